"""Average pooling: the forward divides each window's sum, the backward spreads the gradient with the same divisor."""

from course_lib import arguments, geometry
from course_lib.numpy_ops import (
    avg_product,
    avg_separable,
    avg_spread,
    avg_views,
    choose,
    tap_by_tap,
    tiny,
    whole_planes,
)
from course_lib.numpy_ops.planes import from_planes, to_planes


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
    Sizes and divisors agree with PyTorch 2.13 and ONNX 1.23. Half precision is summed in float32. A float32 sum is
    wrong by 2 ε of the absolute values at most; by 4 ε where one window is a whole plane of 17 to 64 elements.

    Examples
    --------
    >>> import numpy as np
    >>> avg_pool(np.array([[1., 4.], [3., 2.]])[None, None], 2)
    array([[[[2.5]]]])
    """
    x = arguments.array("x", x, arguments.FLOATS)
    rank = arguments.rank_of(kernel_size, stride, dilation)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, rank)
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    divisors = window_divisors(axes, count_include_pad, divisor_override)
    return from_planes(average(to_planes(x, axis), axes, divisors), x.shape, axis)


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

    >>> import numpy as np
    >>> avg_pool_backward(np.array([[[3., 6.]]]), (1, 1, 5), 3, stride=2)
    array([[[1., 1., 3., 2., 2.]]])
    """
    grad_output = arguments.array("grad_output", grad_output, arguments.FLOATS)
    shape, axis, first = arguments.shape_argument("input_shape", input_shape, channel_axis, grad_output.ndim - 2)
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    arguments.gradient_shape(grad_output.shape, arguments.output_shape(first, axes, axis))
    divisors = window_divisors(axes, count_include_pad, divisor_override)
    return from_planes(spread(to_planes(grad_output, axis), axes, divisors), shape, axis)


def window_divisors(axes, count_include_pad, divisor_override):
    """The checked divisor of every window, of the output's spatial shape."""
    include = arguments.flag("count_include_pad", count_include_pad)
    return geometry.divisors(axes, include, arguments.divisor(divisor_override))


# A question to the array, and what then averages it or spreads it as a gradient. The first yes counts.
TECHNIQUES = (
    (choose.few_taps, tiny.average, tiny.spread),
    (choose.nothing_to_compare, tap_by_tap.average, tap_by_tap.spread),
    (choose.whole_plane, whole_planes.average, whole_planes.spread),
    (avg_views.suits_both_ways, avg_views.average, avg_views.spread),
    (avg_views.suits, avg_views.average, avg_spread.spread),
    (avg_product.suits, avg_product.average, avg_product.spread),
    (choose.short_rows, avg_separable.average_undealt, avg_spread.spread),
    (choose.small_planes, avg_separable.average_lanes, avg_spread.spread_lanes),
    (choose.anything, avg_separable.average, avg_spread.spread),
)


def average(x, axes, divisors):
    """The averages of ``x`` (planes, *spatial, lanes)."""
    technique = next(forward for suits, forward, _ in TECHNIQUES if suits(x, axes))
    return technique(x, axes, divisors)


def spread(grad_output, axes, divisors):
    """The gradient of the averages, for an upstream gradient (planes, *spatial, lanes)."""
    technique = next(backward for suits, _, backward in TECHNIQUES if suits(grad_output, axes))
    return technique(grad_output, axes, divisors)
