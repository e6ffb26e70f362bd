"""The coverage explorable: how many windows hold each input element."""

import traitlets

from course_lib import arguments
from course_lib.widgets import choices, coverage_table, windowed
from course_lib.widgets.explorable import module

LARGEST_SIDE = 12


class CoverageExplorer(windowed.Windowed):
    """Shows how many windows hold each element of an input, beside the counts along each axis.

    All settings are computed when the widget is made; its controls, a click and the arrow keys then ask no kernel. The
    darker an element, the more windows hold it; dashed frames are the windows that hold the picked one.

    Parameters
    ----------
    size : int or tuple of int
        Rows and columns of the input, at most 12 each.
    kernel_size, stride, padding, dilation : int or sequence of int
        The choices of each control, as in `course_lib.routing.coverage`. The widget starts with the first one. A
        control that offers one choice is not shown.
    ceil_mode : bool or sequence of bool

    Attributes
    ----------
    kernel_size, stride, padding, dilation, ceil_mode
        The present values of the controls. Set them to drive the widget.
    side : "input" or "output"
        Which of the two picks is followed.
    picked_input, picked_output : tuple of int
        Row and column.

    Raises
    ------
    ValueError, TypeError
        If the size or a choice does not fit, or the table would take more than 300 kB. A wrong value that is set later
        raises ``traitlets.TraitError``.

    See Also
    --------
    course_lib.routing.coverage

    Examples
    --------
    >>> CoverageExplorer(5, kernel_size=3, stride=2)
    CoverageExplorer(5 × 5 input)
    """

    _esm, _css = module("coverage")
    dilation = traitlets.Int().tag(sync=True)
    ceil_mode = traitlets.Bool().tag(sync=True)
    side = traitlets.Enum(["input", "output"], "input").tag(sync=True)
    picked_input = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)
    picked_output = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)

    def __init__(self, size, *, kernel_size=(3, 2, 4), stride=(2, 1, 3), padding=(0, 1, 2), dilation=(1, 2),
                 ceil_mode=False):  # fmt: skip
        size = _size(size)
        offered = windowed.window_choices(
            kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode
        )
        start = {name: options[0] for name, options in offered.items()}
        axes = arguments.pool_axes(size, *start.values())
        picks = {"picked_input": choices.middle(size), "picked_output": choices.middle([axis.output for axis in axes])}
        super().__init__(table=coverage_table.build(size, offered), **start, **picks)

    def _summary(self):
        rows, columns = self.table["input"]["shape"]
        return f"{rows} × {columns} input"


def _size(size):
    """Rows and columns, not too many to be drawn."""
    sizes = arguments.per_axis("size", size, 2, 1)
    if max(sizes) > LARGEST_SIDE:
        raise ValueError(f"size must be at most {LARGEST_SIDE} rows and columns; got size={size!r}.")
    return sizes
