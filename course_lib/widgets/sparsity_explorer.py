"""The sparsity explorable: where on a photograph a gradient arrives, and how much of it is not zero."""

import numpy as np
import traitlets

from course_lib import arguments
from course_lib.experiments import photograph
from course_lib.widgets import choices, sparsity_table
from course_lib.widgets.explorable import Explorable, module

OPERATIONS = ("max", "average", "strided convolution")
FRONTS = ("nothing", "convolution")
SIZE = (40, 60)
BYTE = 255


class SparsityExplorer(Explorable):
    """Shows where on a photograph a gradient arrives through max, average and strided convolution.

    The upstream gradient is drawn at random, the same every time. Beside the photograph stands the gradient before the
    reduction: red above zero, blue below, the stronger the larger, and blank where it is zero. With a convolution in
    front, a third picture shows the photograph's own gradient, which is dense again. A bar under each says which part
    is not zero, with a mark at 1/K, one element of a window.

    Parameters
    ----------
    x : ndarray (H, W) or None
        A grey picture, from 0 (black) to 1 (white), or of bytes. None takes a small photograph of a flower.
    operation : "max", "average", "strided convolution" or a sequence of them
    kernel_size, stride : int or sequence of int
        The choices of each control. The widget starts with the first one.
    front : "nothing", "convolution" or a sequence of both
        What stands between the photograph and the reduction.

    Attributes
    ----------
    operation, kernel_size, stride, front
        The present values of the controls. Set them to drive the widget.

    Raises
    ------
    ValueError, TypeError
        If the picture or a choice does not fit, or the table would take more than 300 kB. A wrong value that is set
        later raises ``traitlets.TraitError``.

    See Also
    --------
    course_lib.routing.density, course_lib.experiments.photograph

    Examples
    --------
    >>> explorer = SparsityExplorer(np.arange(36.0).reshape(6, 6) / 36, stride=2)
    >>> explorer
    SparsityExplorer(6 × 6 picture)
    >>> explorer.density()
    0.25
    """

    _esm, _css = module("sparsity")
    operation = traitlets.Unicode().tag(sync=True)
    kernel_size = traitlets.Int().tag(sync=True)
    stride = traitlets.Int().tag(sync=True)
    front = traitlets.Unicode().tag(sync=True)

    def __init__(self, x=None, *, operation=OPERATIONS, kernel_size=(2, 3, 4), stride=(2, 1, 3, 4), front=FRONTS):
        x = photograph("flower", size=SIZE) if x is None else _picture(x)
        offered = {
            "operation": choices.words("operation", operation, OPERATIONS),
            "kernel_size": choices.integers("kernel_size", kernel_size, 1),
            "stride": choices.integers("stride", stride, 1),
            "front": choices.words("front", front, FRONTS),
        }
        for size in offered["kernel_size"]:
            arguments.pool_axes(x.shape, size, offered["stride"][0])
        start = {name: options[0] for name, options in offered.items()}
        super().__init__(table=sparsity_table.build(x, offered), **start)

    def _summary(self):
        rows, columns = self.table["input"]["shape"]
        return f"{rows} × {columns} picture"

    def density(self):
        """The part of the gradient before the reduction that is not zero, under the present setting."""
        return self._setting()["density"]

    @traitlets.validate("operation", "kernel_size", "stride", "front")
    def _validate_control(self, proposal):
        return self._option(proposal.trait.name, proposal.value)


def _picture(x):
    """The checked picture, from 0 to 1."""
    x = arguments.array("x", np.asarray(x), arguments.FLOATS + arguments.INTEGERS)
    if x.ndim != 2 or x.size == 0:
        raise ValueError(f"x must have shape (H, W) and not be empty; got shape {x.shape}.")
    x = x.astype(np.float64) / (BYTE if x.dtype == np.uint8 else 1)
    if not ((x >= 0) & (x <= 1)).all():
        raise ValueError(f"x must lie between 0 (black) and 1 (white); got {x.min():g} to {x.max():g}.")
    return x
