"""Max pooling: the forward keeps the position of each winner, the backward adds every gradient there."""

from itertools import product

import numpy as np

from course_lib import arguments, geometry
from course_lib.numpy_ops.layout import from_channels_first, sum_dtype, to_channels_first


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
    best, indices = scan_taps(to_channels_first(x, axis), axes)
    best = from_channels_first(best, axis)
    return (best, from_channels_first(indices, axis)) if return_indices else best


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
    An element that wins several windows gets the sum of their gradients. Half precision is summed in float32.

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
    arguments.index_range(indices, int(np.prod(first[2:])))
    grad_input = scatter_add(to_channels_first(grad_output, axis), to_channels_first(indices, axis), first)
    return from_channels_first(grad_input, axis)


def scan_taps(x, axes):
    """Winners' values and flat positions, tap by tap in row-major order, for any window."""
    outputs = x.shape[:2] + tuple(axis.output for axis in axes)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    best, indices = np.full(outputs, lowest, x.dtype), np.full(outputs, -1, np.int64)
    plane = np.arange(int(np.prod(x.shape[2:]))).reshape(x.shape[2:])
    for tap in product(*(range(axis.kernel) for axis in axes)):
        slices = [geometry.tap_slices(axis, number) for axis, number in zip(axes, tap, strict=True)]
        windows, elements = (..., *(pair[0] for pair in slices)), (..., *(pair[1] for pair in slices))
        challenge(best[windows], indices[windows], x[elements], plane[elements])
    return best, indices


def challenge(best, indices, values, positions):
    """Lets one tap take the windows in which it beats what came before it; the first real tap always wins."""
    # Not values >= best: of equal elements the first keeps the window. A NaN takes it, also from an earlier NaN.
    wins = (values > best) | (indices < 0)
    if values.dtype.kind == "f":
        wins |= np.isnan(values)
    # A value that compares false with NaN must not win against it, and it does not: NaN > value is never asked.
    np.copyto(best, values, where=wins)
    np.copyto(indices, np.broadcast_to(positions, indices.shape), where=wins)


def scatter_add(grad_output, indices, first):
    """Adds gradients at flat positions of their own plane; index −1 adds nothing."""
    planes, size = first[0] * first[1], int(np.prod(first[2:]))
    grad_input = np.zeros(planes * size, sum_dtype(grad_output.dtype))
    flat = (indices.reshape(planes, -1) + size * np.arange(planes)[:, None]).ravel()
    values = grad_output.astype(grad_input.dtype, copy=False).ravel()
    real = indices.ravel() >= 0
    # add.at, not +=: windows overlap, and += would keep only the last of them.
    np.add.at(grad_input, flat[real], values[real])
    return grad_input.astype(grad_output.dtype, copy=False).reshape(first)
