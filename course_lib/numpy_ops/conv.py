"""Convolution and transposed convolution, forward and backward: arguments and layout; the sums are in `correlation`."""

import numpy as np

from course_lib import arguments, threads
from course_lib.numpy_ops.correlation import correlate, transpose_correlate
from course_lib.numpy_ops.layout import from_channels_first, to_channels_first
from course_lib.numpy_ops.single_taps import element_sums, weight_moments, window_sums
from course_lib.numpy_ops.sum_types import sum_type


def conv(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, channel_axis=1):
    """Every window times the weights, summed (a cross-correlation: the kernel is not flipped).

    Parameters
    ----------
    x : ndarray (N, C_in, *spatial)
        One to three spatial axes; float16, float32 or float64.
    weight : ndarray (C_out, C_in / groups, *kernel)
        In the dtype of ``x``. Its layout does not depend on ``channel_axis``.
    bias : ndarray (C_out,) or None
        Is added to every window.
    stride, dilation : int or one int an axis
        In elements.
    padding : int, one int an axis, one (before, after) pair an axis, "valid", "same" or "same_lower"
        Zeros around the input, in elements.
    groups : int
        The channels are cut into so many groups, and outputs see only the inputs of their own.
    channel_axis : int
        Where the channels of ``x`` and of the result stand; −1 for NHWC.

    Returns
    -------
    ndarray (N, C_out, *output), in the dtype of ``x``.

    Raises
    ------
    ValueError
        If a shape or a number does not fit: the message names the argument and its value.
    TypeError
        If an argument has the wrong type; integers are refused, and so are two different types.

    See Also
    --------
    conv_backward, conv_transpose

    Notes
    -----
    Agrees with PyTorch 2.13, which has no padding pairs and refuses "same" with a stride. Half precision is summed in
    float32; `sum_type` says in which type float32 is summed.

    Examples
    --------
    >>> x, weight = np.array([[[1., 2., 3.]]]), np.array([[[1., 10.]]])
    >>> conv(x, weight)
    array([[[21., 32.]]])
    """
    x, weight, axis = operands(x, weight, channel_axis)
    groups = arguments.conv_weight(weight.shape, x.shape, groups)
    bias = arguments.bias_vector(bias, x.dtype, len(weight))
    axes = arguments.conv_axes(x.shape[2:], weight.shape, stride, padding, dilation)
    y = np.empty((len(x), len(weight), *(entry.output for entry in axes)), x.dtype)
    dtype = sum_type(x.dtype, y.size, weight[0].size, x, weight)
    parts = by_group(x, groups), rows_by_group(weight, groups), axes, by_group(y, groups)
    with np.errstate(all="ignore"), threads.blas(threads.allowed()):
        correlate(*parts, dtype, bias_by_group(bias, groups, dtype))
    return from_channels_first(y, axis)


def conv_backward(grad_output, x, weight, stride=1, padding=0, dilation=1, groups=1, *, channel_axis=1):
    """The gradients of input, weight and bias.

    Parameters
    ----------
    grad_output : ndarray (N, C_out, *output)
        Upstream gradient, in the dtype of ``x``.
    x, weight, stride, padding, dilation, groups, channel_axis
        As given to `conv`.

    Returns
    -------
    grad_input : ndarray like ``x``
        0 where no window reads.
    grad_weight : ndarray like ``weight``
    grad_bias : ndarray (C_out,)

    Raises
    ------
    ValueError, TypeError
        As `conv`, and if ``grad_output`` has not the output's shape.

    See Also
    --------
    conv

    Examples
    --------
    The middle element is read by both windows, with different weights.

    >>> x, weight = np.array([[[1., 2., 3.]]]), np.array([[[1., 10.]]])
    >>> grad_input, grad_weight, grad_bias = conv_backward(np.array([[[1., 1.]]]), x, weight)
    >>> grad_input
    array([[[ 1., 11., 10.]]])
    >>> grad_weight
    array([[[3., 5.]]])
    >>> grad_bias
    array([2.])
    """
    x, weight, axis = operands(x, weight, channel_axis)
    groups = arguments.conv_weight(weight.shape, x.shape, groups)
    axes = arguments.conv_axes(x.shape[2:], weight.shape, stride, padding, dilation)
    outputs = (len(x), len(weight), *(entry.output for entry in axes))
    grad_output = upstream(grad_output, outputs, x.dtype, axis)
    terms = len(weight) // groups * weight[0, 0].size
    dtype = sum_type(x.dtype, x.size, terms, grad_output, weight.swapaxes(0, 1), x)
    grad_input, rows = np.empty(x.shape, x.dtype), rows_by_group(weight, groups)
    parts = by_group(grad_output, groups), rows, axes, by_group(grad_input, groups)
    with np.errstate(all="ignore"), threads.blas(threads.allowed()):
        moments = transpose_correlate(*parts, dtype, partner=by_group(x, groups))
        # Where a zero of the padding times infinity has spoilt the result: there are no such terms.
        if not np.isfinite(weight).all():
            parts[3][:] = element_sums(*parts[:3])
        if not np.isfinite(moments).all():
            moments = weight_moments(by_group(x, groups), parts[0], axes)
        grad_weight = np.ascontiguousarray(moments.reshape(weight.shape), x.dtype)
    return from_channels_first(grad_input, axis), grad_weight, bias_gradient(grad_output, dtype)


def conv_transpose(x, weight, bias=None, stride=1, padding=0, output_padding=0, dilation=1, groups=1, *,
                   channel_axis=1):  # fmt: skip
    """Adds the weights, times each element, into that element's window: the transpose of `conv`.

    Parameters
    ----------
    x : ndarray (N, C_in, *spatial)
        One to three spatial axes; float16, float32 or float64.
    weight : ndarray (C_in, C_out / groups, *kernel)
        In the dtype of ``x``. Its layout does not depend on ``channel_axis``.
    bias : ndarray (C_out,) or None
        Is added to every element of the output.
    stride, dilation : int or one int an axis
        Distance of the windows, and of the taps in a window, in elements of the output.
    padding : int, one int an axis, one (before, after) pair an axis, or "valid"
        Elements that are cropped from the output's two ends.
    output_padding : int or one int an axis
        Elements that are added at the output's end; less than ``stride`` or ``dilation``.
    groups, channel_axis
        As in `conv`.

    Returns
    -------
    ndarray (N, C_out, *output), in the dtype of ``x``.

    Raises
    ------
    ValueError, TypeError
        As `conv`, and if padding is "same" or crops everything.

    See Also
    --------
    conv_transpose_backward, conv

    Examples
    --------
    >>> conv_transpose(np.array([[[1., 2.]]]), np.array([[[1., 10.]]]))
    array([[[ 1., 12., 20.]]])
    """
    x, weight, axis = operands(x, weight, channel_axis)
    groups = arguments.conv_transpose_weight(weight.shape, x.shape, groups)
    bias = arguments.bias_vector(bias, x.dtype, weight.shape[1] * groups)
    axes = arguments.conv_transpose_axes(x.shape[2:], weight.shape, stride, padding, output_padding, dilation)
    terms = len(weight) // groups * weight[0, 0].size
    dtype = sum_type(x.dtype, x.size, terms, x, weight.swapaxes(0, 1))
    y = np.empty((len(x), weight.shape[1] * groups, *(entry.size for entry in axes)), x.dtype)
    parts = by_group(x, groups), rows_by_group(weight, groups), axes, by_group(y, groups)
    lift = bias_by_group(bias, groups, dtype)
    with np.errstate(all="ignore"), threads.blas(threads.allowed()):
        transpose_correlate(*parts, dtype, lift)
        # Where a zero of the padding times infinity has spoilt the result: there are no such terms.
        if not np.isfinite(weight).all():
            parts[3][:] = element_sums(*parts[:3])
            y += 0 if bias is None else bias.reshape(-1, *[1] * len(axes))
    return from_channels_first(y, axis)


def conv_transpose_backward(grad_output, x, weight, stride=1, padding=0, output_padding=0, dilation=1, groups=1, *,
                            channel_axis=1):  # fmt: skip
    """The gradients of input, weight and bias.

    Parameters
    ----------
    grad_output : ndarray (N, C_out, *output)
        Upstream gradient, in the dtype of ``x``.
    x, weight, stride, padding, output_padding, dilation, groups, channel_axis
        As given to `conv_transpose`.

    Returns
    -------
    grad_input : ndarray like ``x``
    grad_weight : ndarray like ``weight``
    grad_bias : ndarray (C_out,)

    Raises
    ------
    ValueError, TypeError
        As `conv_transpose`, and if ``grad_output`` has not the output's shape.

    See Also
    --------
    conv_transpose

    Notes
    -----
    The gradient of the input is a convolution of the upstream gradient: the two are each other's transpose.

    Examples
    --------
    >>> x, weight = np.array([[[1., 2.]]]), np.array([[[1., 10.]]])
    >>> grad_input, grad_weight, grad_bias = conv_transpose_backward(np.array([[[1., 1., 0.]]]), x, weight)
    >>> grad_input
    array([[[11.,  1.]]])
    >>> grad_weight
    array([[[3., 1.]]])
    >>> grad_bias
    array([2.])
    """
    x, weight, axis = operands(x, weight, channel_axis)
    groups = arguments.conv_transpose_weight(weight.shape, x.shape, groups)
    axes = arguments.conv_transpose_axes(x.shape[2:], weight.shape, stride, padding, output_padding, dilation)
    outputs = (len(x), weight.shape[1] * groups, *(entry.size for entry in axes))
    grad_output = upstream(grad_output, outputs, x.dtype, axis)
    dtype = sum_type(x.dtype, x.size, weight[0].size, grad_output, weight, x)
    grad_input, rows = np.empty(x.shape, x.dtype), rows_by_group(weight, groups)
    parts = by_group(grad_output, groups), rows, axes, by_group(grad_input, groups)
    with np.errstate(all="ignore"), threads.blas(threads.allowed()):
        moments = correlate(*parts, dtype, partner=by_group(x, groups))
        # As in conv_backward: what is cropped is no term.
        if not np.isfinite(weight).all():
            parts[3][:] = window_sums(*parts[:3])
        if not np.isfinite(moments).all():
            moments = weight_moments(parts[0], by_group(x, groups), axes)
        grad_weight = np.ascontiguousarray(moments.reshape(weight.shape), x.dtype)
    return from_channels_first(grad_input, axis), grad_weight, bias_gradient(grad_output, dtype)


def operands(x, weight, channel_axis):
    """The checked input with its channels first, the checked weight, and where the channels stood."""
    x = arguments.array("x", x, arguments.FLOATS)
    weight = arguments.array("weight", weight, arguments.FLOATS)
    arguments.same_dtype("weight", weight.dtype, x.dtype, "x")
    axis, _ = arguments.image_batch("x", x.shape, channel_axis, arguments.weight_rank(weight))
    return to_channels_first(x, axis), weight, axis


def upstream(grad_output, outputs, dtype, axis):
    """The checked upstream gradient with its channels first."""
    grad_output = arguments.array("grad_output", grad_output, arguments.FLOATS)
    arguments.same_dtype("grad_output", grad_output.dtype, dtype, "x")
    expected = [outputs[0], *outputs[2:]]
    expected.insert(axis, outputs[1])
    arguments.gradient_shape(grad_output.shape, expected)
    return to_channels_first(grad_output, axis)


def by_group(planes, groups):
    """(N, C, *spatial) as (N, groups, C / groups, *spatial), without a copy."""
    shape = (len(planes), groups, planes.shape[1] // groups, *planes.shape[2:])
    steps = (planes.strides[0], planes.strides[1] * shape[2], *planes.strides[1:])
    return np.lib.stride_tricks.as_strided(planes, shape, steps)


def rows_by_group(weight, groups):
    """(rows, channels, *kernel) as (groups, rows / groups, channels, *kernel)."""
    return weight.reshape(groups, -1, *weight.shape[1:])


def bias_by_group(bias, groups, dtype):
    """The bias as (groups, rows, 1)."""
    return None if bias is None else bias.astype(dtype).reshape(groups, -1, 1)


def bias_gradient(grad_output, dtype):
    """The upstream gradient summed over all but the channels: each plane in ``dtype``, and the planes in float64."""
    with np.errstate(all="ignore"):
        planes = grad_output.sum(axis=tuple(range(2, grad_output.ndim)), dtype=dtype)
        return planes.sum(axis=0, dtype=np.float64).astype(grad_output.dtype)
