"""Max pooling: the forward keeps the position of each winner, the backward adds every gradient there."""

import numpy as np

from course_lib import arguments
from course_lib.numpy_ops import choose, max_separable, tap_by_tap, tiny, whole_planes
from course_lib.numpy_ops.planes import from_planes, to_planes
from course_lib.numpy_ops.scatter import scatter_add


def max_pool(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, return_indices=False,
             channel_axis=1):  # fmt: skip
    """The largest element of each window.

    Parameters
    ----------
    x : ndarray (N, C, *spatial)
        One to three spatial axes; float16, float32, float64 or an integer type.
    kernel_size, stride, dilation : int or one int an axis
        In elements. ``stride=None`` means ``kernel_size``; ``dilation=1`` means none.
    padding : int, one int an axis, one (before, after) pair an axis, "valid", "same" or "same_lower"
        In elements. Padding is never chosen: it counts as −inf.
    ceil_mode : bool
        Whether a last window may hang over the end.
    return_indices : bool
        Whether to return the winners' positions too.
    channel_axis : int
        Where the channels stand; −1 for NHWC.

    Returns
    -------
    y : ndarray (N, C, *output)
        In the dtype of ``x``.
    indices : ndarray (N, C, *output), int64
        Only with ``return_indices``: the winner's flat position in the unpadded plane of its sample and channel, or −1
        where a window has no real tap.

    Raises
    ------
    ValueError
        If a shape or a number does not fit: the message names the argument and its value.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    max_pool_backward

    Notes
    -----
    Of equal elements the first in row-major order wins. NaN wins over all, and of several NaNs the last one. A window
    without a real tap gives −inf (integers: the smallest value). All this agrees with PyTorch 2.13, except that PyTorch
    gives such a window an index outside the plane.

    Examples
    --------
    >>> x = np.array([[1., 4.], [3., 2.]])[None, None]
    >>> max_pool(x, 2)
    array([[[[4.]]]])
    >>> max_pool(x, 2, return_indices=True)[1]
    array([[[[1]]]])
    """
    x = arguments.array("x", x, arguments.FLOATS + arguments.INTEGERS)
    rank = arguments.rank_of(kernel_size, stride, dilation)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, rank)
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    arguments.flag("return_indices", return_indices)
    y, indices = winners(to_planes(x, axis), axes, return_indices)
    y = from_planes(y, x.shape, axis)
    return (y, from_planes(indices, x.shape, axis)) if return_indices else y


def max_pool_backward(grad_output, indices, input_shape, *, channel_axis=1):
    """Adds each upstream gradient at the winner of its window.

    Parameters
    ----------
    grad_output : ndarray (N, C, *output)
        Upstream gradient, float16, float32 or float64.
    indices : ndarray (N, C, *output), int64
        As `max_pool` returns them. −1 sends its gradient nowhere.
    input_shape : tuple of int
        Full shape of the input, batch and channels included.
    channel_axis : int
        Where the channels stand, in all three.

    Returns
    -------
    ndarray of shape ``input_shape``, in the gradient's dtype.

    Raises
    ------
    ValueError
        If a shape does not fit, or an index lies outside the plane: nothing is written then.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    max_pool

    Notes
    -----
    No other thread may change the indices meanwhile: they are checked first, and used afterwards.

    An element that wins several windows gets the sum of their gradients. Half precision is summed in float32,
    all else in its own type, one gradient after another. An element that wins n windows may so be wrong by n / 2 units
    of rounding: to know n beforehand would cost as much as the sum.

    Examples
    --------
    The middle element wins both windows of length 2.

    >>> x = np.array([[[1., 5., 2.]]])
    >>> y, indices = max_pool(x, 2, stride=1, return_indices=True)
    >>> max_pool_backward(np.array([[[1., 4.]]]), indices, x.shape)
    array([[[0., 5., 0.]]])
    """
    grad_output = arguments.array("grad_output", grad_output, arguments.FLOATS)
    indices = arguments.index_array(indices, grad_output.shape, "grad_output")
    shape, axis, first = arguments.shape_argument("input_shape", input_shape, channel_axis, grad_output.ndim - 2)
    arguments.same_batch(grad_output.shape, shape, axis)
    grad_input = scatter_add(to_planes(grad_output, axis), to_planes(indices, axis), first[2:])
    return from_planes(grad_input, shape, axis)


# A question to the input, and what then finds the winners: values and positions, or values alone. The first yes counts.
TECHNIQUES = (
    (choose.few_taps, tiny.winners, tiny.winners),
    (choose.nothing_to_compare, tap_by_tap.winners, tap_by_tap.winners),
    (choose.whole_plane, whole_planes.winners, whole_planes.winners),
    (choose.short_rows_of_small_planes, max_separable.winners_of_lanes, max_separable.winners_undealt),
    (choose.small_planes, max_separable.winners_of_lanes, max_separable.winners_of_lanes),
    (choose.short_rows, max_separable.winners, max_separable.winners_undealt),
    (choose.anything, max_separable.winners, max_separable.winners),
)


def winners(x, axes, return_indices):
    """Values and flat positions of the largest elements of ``x`` (planes, *spatial, lanes)."""
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    _, with_indices, values_alone = next(row for row in TECHNIQUES if row[0](x, axes))
    technique = with_indices if return_indices else values_alone
    return technique(x, axes, lowest, return_indices)
