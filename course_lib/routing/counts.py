"""How many windows hold an element, and how much of a gradient is not zero."""

import numpy as np

from course_lib import arguments, geometry
from course_lib.routing.tensors import as_array


def coverage(input_size, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """How many windows hold each input element.

    Parameters
    ----------
    input_size : int or tuple of int
        Spatial size of the input.
    kernel_size, stride, padding, dilation, ceil_mode
        As in `course_lib.max_pool`.

    Returns
    -------
    ndarray of shape ``input_size``, int64

    Examples
    --------
    The centre of 5×5 lies in four windows of 3×3 with stride 2.

    >>> coverage((5, 5), 3, stride=2)
    array([[1, 1, 2, 1, 1],
           [1, 1, 2, 1, 1],
           [2, 2, 4, 2, 2],
           [1, 1, 2, 1, 1],
           [1, 1, 2, 1, 1]])
    """
    rank = arguments.rank_of(input_size) or 1
    sizes = arguments.per_axis("input_size", input_size, rank, 1)
    return geometry.coverage(arguments.pool_axes(sizes, kernel_size, stride, padding, dilation, ceil_mode))


def density(grad):
    """Fraction of the elements that are not zero; NaN counts as not zero.

    Parameters
    ----------
    grad : ndarray or Tensor
        Of any shape, not empty.

    Examples
    --------
    >>> density(np.array([0., 6., 0., 0.]))
    0.25
    """
    grad = np.asarray(as_array(grad))
    if grad.size == 0:
        raise ValueError(f"grad must not be empty; got shape {grad.shape}.")
    return int(np.count_nonzero(grad)) / grad.size
