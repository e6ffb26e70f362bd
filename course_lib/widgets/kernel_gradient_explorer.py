"""The kernel-gradient explorable: which positions touch one weight, and what is summed to its gradient."""

import numpy as np
import traitlets

from course_lib import arguments
from course_lib.widgets import choices, kernel_gradient_table
from course_lib.widgets.explorable import Explorable, module

LARGEST_INPUT, LARGEST_KERNEL = 8, 5
GRIDS = {"picked_weight": "weight", "picked_input": "input", "picked_output": "output"}


class KernelGradientExplorer(Explorable):
    """Shows which input elements one weight meets, and the products that are summed to its gradient.

    Pick a weight: the input that it met stands beside the upstream gradient, and their products add up to
    ``grad_weight``. Pick an input element: the weights that read it, in reverse order, and the outputs that they feed
    add up to ``grad_input``. Pick an output: what it sends to every weight and to every input of its window.

    Parameters
    ----------
    x : ndarray (H, W)
        The input, at most 8 × 8; any real type.
    weight : ndarray (kernel rows, kernel columns)
        The kernel, at most 5 × 5.
    stride, padding, dilation : int or sequence of int
        The choices of each control, as in `course_lib.conv`. The widget starts with the first one.
    grad_output : None, number or ndarray
        The upstream gradient: one number at every output, or an array of which each setting takes as many rows and
        columns as it has outputs. None takes small whole numbers, always the same.

    Attributes
    ----------
    stride, padding, dilation
        The present values of the controls. Set them to drive the widget.
    show : "values" or "gradients"
        What the numbers in the grids are.
    side : "weight", "input" or "output"
        Which of the three picks is followed.
    picked_weight, picked_input, picked_output : tuple of int
        Row and column.

    Raises
    ------
    ValueError, TypeError
        If an array or a choice does not fit, or the table would take more than 300 kB. A wrong value that is set later
        raises ``traitlets.TraitError``.

    See Also
    --------
    course_lib.conv, course_lib.conv_backward

    Examples
    --------
    >>> KernelGradientExplorer(np.arange(25.0).reshape(5, 5), np.array([[0.0, 1.0], [2.0, 3.0]]))
    KernelGradientExplorer(5 × 5 input, 2 × 2 kernel)
    """

    _esm, _css = module("kernel_gradient")
    stride = traitlets.Int().tag(sync=True)
    padding = traitlets.Int().tag(sync=True)
    dilation = traitlets.Int().tag(sync=True)
    show = traitlets.Enum(["values", "gradients"], "values").tag(sync=True)
    side = traitlets.Enum(list(GRIDS.values()), "weight").tag(sync=True)
    picked_weight = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)
    picked_input = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)
    picked_output = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0)).tag(sync=True)

    def __init__(self, x, weight, *, stride=(1, 2), padding=(0, 1), dilation=(1, 2), grad_output=None):
        x = choices.plane("x", x, LARGEST_INPUT).astype(np.float64)
        weight = choices.plane("weight", weight, LARGEST_KERNEL).astype(np.float64)
        offered = {
            "stride": choices.integers("stride", stride, 1),
            "padding": choices.integers("padding", padding, 0),
            "dilation": choices.integers("dilation", dilation, 1),
        }
        start = {name: options[0] for name, options in offered.items()}
        axes = arguments.conv_axes(x.shape, (1, 1, *weight.shape), **start)
        table = kernel_gradient_table.build(x, weight, _upstream(grad_output), offered)
        picks = {"picked_input": choices.middle(x.shape), "picked_output": choices.middle([a.output for a in axes])}
        super().__init__(table=table, **start, **picks)

    def _summary(self):
        words = [" × ".join(map(str, self.table[name]["shape"])) for name in ("input", "weight")]
        return f"{words[0]} input, {words[1]} kernel"

    def output_shape(self):
        """Rows and columns of the output under the present setting."""
        return tuple(self._setting()["shape"])

    @traitlets.validate("stride", "padding", "dilation")
    def _validate_control(self, proposal):
        value = self._option(proposal.trait.name, proposal.value)
        self._check_together(**{proposal.trait.name: value})
        return value

    def _check_together(self, **change):
        """Refuses a value that does not go with the other controls, with the sentence of `conv`."""
        window = {name: getattr(self, name) for name in ("stride", "padding", "dilation")} | change
        try:
            arguments.conv_axes(self.table["input"]["shape"], (1, 1, *self.table["weight"]["shape"]), **window)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.validate(*GRIDS)
    def _validate_pick(self, proposal):
        name = proposal.trait.name
        if self._setting() is None:
            return proposal.value
        grid = GRIDS[name]
        shape = self.output_shape() if grid == "output" else self.table[grid]["shape"]
        return choices.pick(name, proposal.value, shape)

    @traitlets.observe("stride", "padding", "dilation")
    def _keep_pick_inside(self, _):
        """Moves the picked output into a smaller output."""
        shape = self.output_shape()
        self.picked_output = tuple(min(at, size - 1) for at, size in zip(self.picked_output, shape, strict=True))


def _upstream(grad_output):
    """The function that gives the upstream gradient for an output of some shape."""
    if np.ndim(grad_output) == 0 and grad_output is not None:
        number = arguments.number("grad_output", grad_output)
        return lambda shape: np.full(shape, number)
    grid = _whole_numbers() if grad_output is None else choices.plane("grad_output", grad_output)

    def piece(shape):
        if any(have < want for have, want in zip(grid.shape, shape, strict=True)):
            raise ValueError(
                f"grad_output must have a row and a column for every output, {tuple(shape)}; got shape {grid.shape}."
            )
        return grid[: shape[0], : shape[1]]

    return piece


def _whole_numbers():
    """Whole numbers from −2 to 3 in an order without a pattern, so that no two weights get the same by chance."""
    return np.random.default_rng(7).integers(-2, 4, (40, 40))
