"""Average pooling: the forward divides each window's sum, the backward spreads the gradient with the same divisor."""

from itertools import product

import numpy as np

from course_lib import arguments, geometry
from course_lib.numpy_ops.layout import from_channels_first, to_channels_first


def avg_pool(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, count_include_pad=True,
             divisor_override=None, channel_axis=1):  # fmt: skip
    """The mean of each window.

    Parameters
    ----------
    x : ndarray (N, C, *spatial)
        One to three spatial axes; float16, float32 or float64.
    kernel_size, stride, padding, dilation, ceil_mode, channel_axis
        As in `max_pool`. Padding counts as 0.
    count_include_pad : bool
        Whether explicit padding counts in the divisor. What a ceil-mode window reads beyond it never does.
    divisor_override : int or None
        The divisor of every window; None means the number of taps that count.

    Returns
    -------
    ndarray (N, C, *output), in the dtype of ``x``. A window without a real tap gives 0.

    Raises
    ------
    ValueError
        If a shape or a number does not fit: the message names the argument and its value.
    TypeError
        If an argument has the wrong type; averages of integers are refused.

    See Also
    --------
    avg_pool_backward

    Notes
    -----
    Sizes and divisors agree with PyTorch 2.13 and ONNX 1.23. Half precision is summed in float32.

    Examples
    --------
    >>> avg_pool(np.array([[1., 4.], [3., 2.]])[None, None], 2)
    array([[[[2.5]]]])
    """
    x = arguments.array("x", x, arguments.FLOATS)
    rank = arguments.rank_of(kernel_size, stride, dilation)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, rank)
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    divisors = window_divisors(axes, count_include_pad, divisor_override)
    return from_channels_first(average_taps(to_channels_first(x, axis), axes, divisors), axis)


def avg_pool_backward(grad_output, input_shape, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *,
                      count_include_pad=True, divisor_override=None, channel_axis=1):  # fmt: skip
    """Gives each tap of a window its share of the window's upstream gradient, and adds the shares.

    Parameters
    ----------
    grad_output : ndarray (N, C, *output)
        Upstream gradient, float16, float32 or float64.
    input_shape : tuple of int
        Full shape of the input, batch and channels included.
    kernel_size, stride, padding, dilation, ceil_mode, count_include_pad, divisor_override, channel_axis
        As given to `avg_pool`.

    Returns
    -------
    ndarray of shape ``input_shape``, in the gradient's dtype.

    Raises
    ------
    ValueError, TypeError
        As `avg_pool`, and if ``grad_output`` has not the output's shape.

    See Also
    --------
    avg_pool

    Notes
    -----
    The divisor is that of the forward. A share that falls on padding is dropped, so that with ``count_include_pad`` the
    gradients of padded windows sum to less than the upstream gradient.

    Examples
    --------
    The middle element lies in both windows of length 3.

    >>> avg_pool_backward(np.array([[[3., 6.]]]), (1, 1, 5), 3, stride=2)
    array([[[1., 1., 3., 2., 2.]]])
    """
    grad_output = arguments.array("grad_output", grad_output, arguments.FLOATS)
    shape, axis, first = arguments.shape_argument("input_shape", input_shape, channel_axis, grad_output.ndim - 2)
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    arguments.gradient_shape(grad_output.shape, arguments.output_shape(first, axes, axis))
    divisors = window_divisors(axes, count_include_pad, divisor_override)
    return from_channels_first(spread_taps(to_channels_first(grad_output, axis), axes, divisors), axis)


def window_divisors(axes, count_include_pad, divisor_override):
    """The checked divisor of every window, of the output's spatial shape."""
    include = arguments.flag("count_include_pad", count_include_pad)
    return geometry.divisors(axes, include, arguments.divisor(divisor_override))


def real_taps(axes):
    """For each tap: the windows in which it is real, and the elements it reads there."""
    for tap in product(*(range(axis.kernel) for axis in axes)):
        slices = [geometry.tap_slices(axis, number) for axis, number in zip(axes, tap, strict=True)]
        yield (..., *(pair[0] for pair in slices)), (..., *(pair[1] for pair in slices))


def average_taps(x, axes, divisors):
    """Sums tap by tap in float64, for any window, then divides."""
    sums = np.zeros(x.shape[:2] + divisors.shape)
    for windows, elements in real_taps(axes):
        sums[windows] += x[elements]
    return (sums / divisors).astype(x.dtype, copy=False)


def spread_taps(grad_output, axes, divisors):
    """The transpose of `average_taps`: divides, then adds each share where its tap was read."""
    shares = grad_output / divisors.astype(np.float64)
    grad_input = np.zeros(grad_output.shape[:2] + tuple(axis.size for axis in axes))
    for windows, elements in real_taps(axes):
        # One tap reads each element once, so that += loses nothing here: overlap is between taps.
        grad_input[elements] += shares[windows]
    return grad_input.astype(grad_output.dtype, copy=False)
