"""Power-average pooling: the p-norm of each window, from the sum (p = 1) on towards the maximum."""

from itertools import product

import numpy as np

from course_lib import arguments, geometry
from course_lib.numpy_ops.layout import from_channels_first, to_channels_first


def lp_pool(x, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, channel_axis=1):
    """The p-norm of each window, (Σ |x|ᵖ)^(1/p).

    Parameters
    ----------
    x : ndarray (N, C, *spatial)
        One to three spatial axes; float16, float32 or float64.
    norm_type : number
        The order p of the norm, finite and greater than 0.
    kernel_size, stride, padding, dilation, ceil_mode, channel_axis
        As in `max_pool`. Padding counts as 0.

    Returns
    -------
    ndarray (N, C, *output), in the dtype of ``x``. A window without a real tap gives 0.

    Raises
    ------
    ValueError
        If a shape or a number does not fit: the message names the argument and its value.
    TypeError
        If an argument has the wrong type; integers are refused.

    See Also
    --------
    lp_pool_backward

    Notes
    -----
    Agrees with LpPool of ONNX 1.23. PyTorch 2.13 takes no absolute value, so that odd orders of negative elements give
    NaN there, and it scales a window that hangs over the end. Computed in float64 and divided by the largest element
    first, so that no power overflows.

    Examples
    --------
    >>> lp_pool(np.array([[[3., -4., 6., 8.]]]), 2, 2)
    array([[[ 5., 10.]]])
    """
    power = arguments.norm_order(norm_type)
    x = arguments.array("x", x, arguments.FLOATS)
    axis, axes = lp_windows(x, kernel_size, stride, padding, dilation, ceil_mode, channel_axis)
    x = to_channels_first(x, axis)
    y = np.empty((*x.shape[:2], *(entry.output for entry in axes)), x.dtype)
    with np.errstate(all="ignore"):
        for sample in range(len(x)):
            y[sample] = norms(x[sample], axes, power)
    return from_channels_first(y, axis)


def lp_pool_backward(grad_output, x, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *,
                     channel_axis=1):  # fmt: skip
    """Sends sign(x) · (|x| / y)ᵖ⁻¹ of a window's upstream gradient to each tap, and adds what arrives.

    Parameters
    ----------
    grad_output : ndarray (N, C, *output)
        Upstream gradient, float16, float32 or float64.
    x, norm_type, kernel_size, stride, padding, dilation, ceil_mode, channel_axis
        As given to `lp_pool`.

    Returns
    -------
    ndarray of the shape of ``x``, in the gradient's dtype. An element that is 0 gets 0: the norm has a corner there.

    Raises
    ------
    ValueError, TypeError
        As `lp_pool`, and if ``grad_output`` has not the output's shape.

    See Also
    --------
    lp_pool

    Examples
    --------
    >>> lp_pool_backward(np.array([[[10.]]]), np.array([[[3., -4.]]]), 2, 2)
    array([[[ 6., -8.]]])
    """
    power = arguments.norm_order(norm_type)
    grad_output = arguments.array("grad_output", grad_output, arguments.FLOATS)
    x = arguments.array("x", x, arguments.FLOATS)
    axis, axes = lp_windows(x, kernel_size, stride, padding, dilation, ceil_mode, channel_axis)
    _, first = arguments.channels_first(x.shape, axis)
    arguments.gradient_shape(grad_output.shape, arguments.output_shape(first, axes, axis))
    x, grad_output = to_channels_first(x, axis), to_channels_first(grad_output, axis)
    grad_input = np.empty(x.shape, grad_output.dtype)
    with np.errstate(all="ignore"):
        for sample in range(len(x)):
            grad_input[sample] = norm_gradients(grad_output[sample], x[sample], axes, power)
    return from_channels_first(grad_input, axis)


def lp_windows(x, kernel_size, stride, padding, dilation, ceil_mode, channel_axis):
    """The channel axis counted from the front, and the window along each spatial axis."""
    rank = arguments.rank_of(kernel_size, stride, dilation)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, rank)
    return axis, arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)


def real_taps(axes):
    """For each tap: the windows in which it is real, and the elements it reads there."""
    for tap in product(*(range(axis.kernel) for axis in axes)):
        slices = [geometry.tap_slices(axis, number) for axis, number in zip(axes, tap, strict=True)]
        yield (..., *(pair[0] for pair in slices)), (..., *(pair[1] for pair in slices))


def norms(x, axes, power):
    """The norms of the windows of one sample, in float64."""
    scale, relative = scaled_norms(np.abs(x), axes, power)
    return scale * relative


def scaled_norms(sizes, axes, power):
    """The largest size of each window, and the window's norm in units of it: neither can overflow."""
    largest = np.zeros((len(sizes), *(axis.output for axis in axes)))
    for windows, elements in real_taps(axes):
        np.maximum(largest[windows], sizes[elements], out=largest[windows])
    # A window of zeros, or with an infinity, is its own norm: dividing by it would give NaN.
    scale = np.where((largest == 0) | np.isinf(largest), 1, largest)
    sums = np.zeros_like(largest)
    for windows, elements in real_taps(axes):
        sums[windows] += (sizes[elements] / scale[windows]) ** power
    return scale, sums ** (1 / power)


def norm_gradients(grad_output, x, axes, power):
    """The gradients of one sample, in float64."""
    sizes, signs = np.abs(x).astype(np.float64, copy=False), np.sign(x)
    scale, relative = scaled_norms(sizes, axes, power)
    grad_input = np.zeros(x.shape)
    for windows, elements in real_taps(axes):
        # Not over the norm itself: that may overflow, or lose digits where it is subnormal.
        slopes = (sizes[elements] / scale[windows] / relative[windows]) ** (power - 1)
        # Not slopes * 0: for p < 1 the slope at 0 is infinite, and for y = 0 it is not a number.
        grad_input[elements] += np.where(signs[elements] == 0, 0, slopes * signs[elements] * grad_output[windows])
    return grad_input
