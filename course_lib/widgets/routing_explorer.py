"""The routing explorable: pick an output or an input element and see which way its gradient goes."""

import traitlets

from course_lib import arguments, routing
from course_lib.widgets import choices, routing_table
from course_lib.widgets.explorable import Explorable, module

OPERATIONS = ("max", "average")


class RoutingExplorer(Explorable):
    """Shows which input elements a pooling window reads, and which of them its gradient goes to.

    The upstream gradient is 1 at every output. All settings are computed when the widget is made; its controls, a click
    and the arrow keys then ask no kernel. Blue marks the picked element and its windows, red the gradient's way.

    Parameters
    ----------
    x : ndarray (H, W)
        A small grid or a piece of a photograph, at most 16 × 16; any real type. NaN and infinities are shown as such.
    kernel_size, stride, padding : int or sequence of int
        The choices of each control, as in `course_lib.max_pool`. The widget starts with the first one. A control that
        offers one choice is not shown.
    operation : "max", "average" or a sequence of both
    ties : "first", "last", "split" or a sequence of them
        Which of equal maxima gets the gradient, as in `course_lib.routing.max_routes`.
    picture : bool or None
        Whether ``x`` is drawn in grey, as a photograph. None: if it has bytes, or more than eight rows or columns.

    Attributes
    ----------
    operation, kernel_size, stride, padding, ties
        The present values of the controls. Set them to drive the widget.
    show : "values", "gradient" or "coverage"
        What the numbers in the grids are.
    side : "output" or "input"
        Which of the two picks is followed.
    picked_output, picked_input : tuple of int
        Row and column.

    Raises
    ------
    ValueError, TypeError
        If the array or a choice does not fit, or the table would take more than 300 kB. A wrong value that is set later
        raises ``traitlets.TraitError``.

    See Also
    --------
    course_lib.routing.max_routes, course_lib.routing.avg_routes, course_lib.routing.coverage

    Examples
    --------
    >>> RoutingExplorer([[1.0, 4.0, 2.0], [3.0, 2.0, 5.0]], stride=1)
    RoutingExplorer(2 × 3 input)
    """

    _esm, _css = module("routing")
    operation = traitlets.Unicode().tag(sync=True)
    kernel_size = traitlets.Int().tag(sync=True)
    stride = traitlets.Int().tag(sync=True)
    padding = traitlets.Int().tag(sync=True)
    ties = traitlets.Unicode().tag(sync=True)
    show = traitlets.Enum(["values", "gradient", "coverage"], "values").tag(sync=True)
    side = traitlets.Enum(["output", "input"], "output").tag(sync=True)
    picked_output = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)
    picked_input = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)

    def __init__(self, x, *, kernel_size=(2, 3, 4), stride=(2, 1, 3), padding=(0, 1), operation=OPERATIONS,
                 ties=routing.TIES, picture=None):  # fmt: skip
        x = choices.plane("x", x)
        offered = {
            "operation": choices.words("operation", operation, OPERATIONS),
            "kernel_size": choices.integers("kernel_size", kernel_size, 1),
            "stride": choices.integers("stride", stride, 1),
            "padding": choices.integers("padding", padding, 0),
            "ties": choices.words("ties", ties, routing.TIES),
        }
        start = {name: options[0] for name, options in offered.items()}
        axes = arguments.pool_axes(x.shape, start["kernel_size"], start["stride"], start["padding"])
        picks = {
            "picked_output": choices.middle([axis.output for axis in axes]),
            "picked_input": choices.middle(x.shape),
        }
        super().__init__(table=routing_table.build(x, offered, choices.is_picture(x, picture)), **start, **picks)

    def _summary(self):
        rows, columns = self.table["input"]["shape"]
        return f"{rows} × {columns} input"

    def output_shape(self):
        """Rows and columns of the output under the present setting."""
        return tuple(self.table["geometry"][self._setting()["geometry"]]["shape"])

    @traitlets.validate("operation", "kernel_size", "stride", "padding", "ties")
    def _validate_control(self, proposal):
        value = self._option(proposal.trait.name, proposal.value)
        self._check_together(**{proposal.trait.name: value})
        return value

    def _check_together(self, **change):
        """Refuses a value that does not go with the other controls, with the sentence of `max_pool`."""
        values = [{"kernel_size": self.kernel_size, "stride": self.stride, "padding": self.padding, **change}[name]
                  for name in ("kernel_size", "stride", "padding")]  # fmt: skip
        try:
            arguments.pool_axes(tuple(self.table["input"]["shape"]), *values)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.validate("picked_output", "picked_input")
    def _validate_pick(self, proposal):
        name = proposal.trait.name
        if self._setting() is None:
            return proposal.value
        shape = self.output_shape() if name == "picked_output" else self.table["input"]["shape"]
        return choices.pick(name, proposal.value, shape)

    @traitlets.observe("kernel_size", "stride", "padding")
    def _keep_pick_inside(self, _):
        """Moves the picked output into a smaller output."""
        shape = self.output_shape()
        self.picked_output = tuple(min(at, size - 1) for at, size in zip(self.picked_output, shape, strict=True))
