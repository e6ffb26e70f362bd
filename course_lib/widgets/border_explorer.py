"""The border explorable: what happens where a window reaches over the edge of its input."""

import traitlets

from course_lib import arguments
from course_lib.widgets import border_table, choices, window_table, windowed
from course_lib.widgets.explorable import module

OPERATIONS = ("max", "average")
LARGEST_SIDE = 8


class BorderExplorer(windowed.Windowed):
    """Shows what padding counts as, what each average is divided by, and how a saved index finds its element.

    For a maximum, padding may count as −∞, as it must, or as 0, the mistake. A small cross marks the element to which
    an index would point if the padding were forgotten. For an average, each window's divisor stands beside its output.

    Parameters
    ----------
    x : ndarray (H, W)
        A small grid, at most 8 × 8; any real type. With values below 0, padding with 0 shows.
    kernel_size, stride, padding : int or sequence of int
        The choices of each control, as in `course_lib.avg_pool`. The widget starts with the first one. A control that
        offers one choice is not shown.
    ceil_mode, count_include_pad : bool or sequence of bool
    divisor_override : int, None or a sequence of them
    padding_value : "-inf", "0" or a sequence of both
    operation : "max", "average" or a sequence of both

    Attributes
    ----------
    operation, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, padding_value
        The present values of the controls. Set them to drive the widget.
    show : "values" or "gradient"
        What the numbers in the input are; the upstream gradient is 1 at every output.
    picked_output : tuple of int
        Row and column of the output whose window is shown.

    Raises
    ------
    ValueError, TypeError
        If the array or a choice does not fit, or the table would take more than 300 kB. A wrong value that is set later
        raises ``traitlets.TraitError``.

    See Also
    --------
    WindowExplorer, course_lib.avg_pool, course_lib.max_pool

    Examples
    --------
    >>> BorderExplorer([[-1.0, -4.0, -2.0], [-3.0, -2.0, -5.0]], kernel_size=2, padding=1)
    BorderExplorer(2 × 3 input)
    """

    _esm, _css = module("border")
    operation = traitlets.Unicode().tag(sync=True)
    ceil_mode = traitlets.Bool().tag(sync=True)
    padding_value = traitlets.Unicode().tag(sync=True)
    count_include_pad = traitlets.Bool().tag(sync=True)
    divisor_override = traitlets.Int(None, allow_none=True).tag(sync=True)
    show = traitlets.Enum(["values", "gradient"], "values").tag(sync=True)
    picked_output = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)

    def __init__(self, x, *, kernel_size=(3, 2), stride=2, padding=(1, 0), ceil_mode=(False, True),
                 operation=OPERATIONS, padding_value=border_table.PADDING_VALUES, count_include_pad=(True, False),
                 divisor_override=(None, 4)):  # fmt: skip
        x = choices.plane("x", x, largest=LARGEST_SIDE)
        offered = {
            "operation": choices.words("operation", operation, OPERATIONS),
            **windowed.window_choices(kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode),
            "padding_value": choices.words("padding_value", padding_value, border_table.PADDING_VALUES),
            "count_include_pad": choices.flags("count_include_pad", count_include_pad),
            "divisor_override": _divisors(divisor_override),
        }
        start = {name: options[0] for name, options in offered.items()}
        window_table.axes_of(x.shape, start)
        super().__init__(table=border_table.build(x, offered), **start)

    def _summary(self):
        rows, columns = self.table["input"]["shape"]
        return f"{rows} × {columns} input"

    @traitlets.validate("padding_value", "count_include_pad", "divisor_override")
    def _validate_rule(self, proposal):
        return self._option(proposal.trait.name, proposal.value)


def _divisors(given):
    """The choices of divisor_override, without repeats, in the order given."""
    given = given if isinstance(given, (tuple, list)) else (given,)
    if not given:
        raise ValueError(f"divisor_override must offer at least one choice; got divisor_override={given!r}.")
    return list(dict.fromkeys(arguments.divisor(choice) for choice in given))
