"""The window explorable: what one window of a pooling operation reads, and what it makes of it."""

import traitlets

from course_lib import arguments
from course_lib.widgets import choices, window_explorer_table, windowed
from course_lib.widgets.explorable import module

OPERATIONS = ("max", "average")


class WindowExplorer(windowed.Windowed):
    """Shows the window of each output, with padding and dilation, and how large the output becomes.

    All settings are computed when the widget is made; its controls, a click and the arrow keys then ask no kernel. Blue
    marks the window, hatching the elements that no window holds. A setting that the library refuses shows its sentence.

    Parameters
    ----------
    x : ndarray (H, W)
        A small grid or a piece of a photograph, at most 12 × 12; any real type.
    kernel_size, stride, padding, dilation : int or sequence of int
        The choices of each control, as in `course_lib.max_pool`. The widget starts with the first one. A control that
        offers one choice is not shown.
    ceil_mode : bool or sequence of bool
    operation : "max", "average" or a sequence of both
    picture : bool or None
        Whether ``x`` is drawn in grey, as a photograph. None: if it has bytes, or more than eight rows or columns.

    Attributes
    ----------
    operation, kernel_size, stride, padding, dilation, ceil_mode
        The present values of the controls. Set them to drive the widget.
    picked_output : tuple of int
        Row and column of the output whose window is shown.

    Raises
    ------
    ValueError, TypeError
        If the array or a choice does not fit, or the table would take more than 300 kB. A wrong value that is set later
        raises ``traitlets.TraitError``.

    See Also
    --------
    RoutingExplorer, course_lib.max_pool, course_lib.avg_pool

    Examples
    --------
    >>> WindowExplorer([[1.0, 4.0, 2.0], [3.0, 2.0, 5.0]], kernel_size=2, stride=1)
    WindowExplorer(2 × 3 input)
    """

    _esm, _css = module("window")
    operation = traitlets.Unicode().tag(sync=True)
    dilation = traitlets.Int().tag(sync=True)
    ceil_mode = traitlets.Bool().tag(sync=True)
    picked_output = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)

    def __init__(self, x, *, kernel_size=(2, 3, 4), stride=(2, 1, 3), padding=(0, 1, 2), dilation=(1, 2),
                 ceil_mode=(False, True), operation=OPERATIONS, picture=None):  # fmt: skip
        x = choices.plane("x", x, largest=12)
        offered = {
            "operation": choices.words("operation", operation, OPERATIONS),
            **windowed.window_choices(
                kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode
            ),
        }
        start = {name: options[0] for name, options in offered.items()}
        axes = arguments.pool_axes(x.shape, *(start[name] for name in window_explorer_table.WINDOW))
        table = window_explorer_table.build(x, offered, choices.is_picture(x, picture))
        super().__init__(table=table, **start, picked_output=choices.middle([axis.output for axis in axes]))

    def _summary(self):
        rows, columns = self.table["input"]["shape"]
        return f"{rows} × {columns} input"
