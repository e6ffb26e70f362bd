"""Convolution and transposed convolution, forward and backward: arguments. The operators are in `conv_operators`."""

import torch

from course_lib import arguments
from course_lib.torch_ops import checks
from course_lib.torch_ops.conv_operators import CONV, CONV_BACKWARD, TRANSPOSE, TRANSPOSE_BACKWARD
from course_lib.torch_ops.layout import channels_back, channels_second
from course_lib.torch_ops.register import AUTOCAST


def conv(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, channel_axis=1):
    """Every window times the weights, summed (a cross-correlation: the kernel is not flipped); differentiable.

    Parameters
    ----------
    x : Tensor (N, C_in, *spatial)
        One to three spatial axes; float16, bfloat16, float32 or float64, on any device.
    weight : Tensor (C_out, C_in / groups, *kernel)
        In the dtype of ``x``.
    bias : Tensor (C_out,) or None
    stride, padding, dilation, groups, channel_axis
        As in `course_lib.numpy_ops.conv`.

    Returns
    -------
    Tensor (N, C_out, *output), in the dtype of ``x``, or in that of autocast.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.conv`, and if the tensors lie on two devices.

    See Also
    --------
    conv_backward, conv_transpose

    Notes
    -----
    Off the CPU float32 is multiplied in float32, with TF32 only where ``torch.backends.cuda.matmul`` allows it.

    Examples
    --------
    >>> conv(torch.tensor([[[1., 2., 3.]]]), torch.tensor([[[1., 10.]]]))
    tensor([[[21., 32.]]])
    """
    x, axis = operands(x, weight, channel_axis, cast=True)
    groups = arguments.conv_weight(weight.shape, x.shape, groups)
    bias_vector(bias, x, weight.shape[0])
    window = packed(arguments.conv_axes(x.shape[2:], weight.shape, stride, padding, dilation))
    return channels_back(CONV(x, weight, bias, *window, groups), axis)


def conv_backward(grad_output, x, weight, stride=1, padding=0, dilation=1, groups=1, *, channel_axis=1):
    """The gradients of input, weight and bias; differentiable.

    Parameters
    ----------
    grad_output : Tensor (N, C_out, *output)
        Upstream gradient, in the dtype of ``x``.
    x, weight, stride, padding, dilation, groups, channel_axis
        As given to `conv`.

    Returns
    -------
    grad_input, grad_weight, grad_bias : Tensor

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.conv_backward`, and if the tensors lie on two devices.

    See Also
    --------
    conv

    Examples
    --------
    >>> x, weight = torch.tensor([[[1., 2., 3.]]]), torch.tensor([[[1., 10.]]])
    >>> conv_backward(torch.tensor([[[1., 1.]]]), x, weight)[0]
    tensor([[[ 1., 11., 10.]]])
    """
    x, axis = operands(x, weight, channel_axis, cast=False)
    groups = arguments.conv_weight(weight.shape, x.shape, groups)
    axes = arguments.conv_axes(x.shape[2:], weight.shape, stride, padding, dilation)
    expected = (x.shape[0], weight.shape[0], *(entry.output for entry in axes))
    grad_output = upstream(grad_output, expected, x, axis)
    grad_input, *others = CONV_BACKWARD(grad_output, x, weight, *packed(axes), groups)
    return channels_back(grad_input, axis), *others


def conv_transpose(x, weight, bias=None, stride=1, padding=0, output_padding=0, dilation=1, groups=1, *,
                   channel_axis=1):  # fmt: skip
    """Adds the weights, times each element, into that element's window: the transpose of `conv`; differentiable.

    Parameters
    ----------
    x : Tensor (N, C_in, *spatial)
        One to three spatial axes; float16, bfloat16, float32 or float64, on any device.
    weight : Tensor (C_in, C_out / groups, *kernel)
        In the dtype of ``x``.
    bias : Tensor (C_out,) or None
    stride, padding, output_padding, dilation, groups, channel_axis
        As in `course_lib.numpy_ops.conv_transpose`.

    Returns
    -------
    Tensor (N, C_out, *output), in the dtype of ``x``, or in that of autocast.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.conv_transpose`, and if the tensors lie on two devices.

    See Also
    --------
    conv_transpose_backward, conv

    Examples
    --------
    >>> conv_transpose(torch.tensor([[[1., 2.]]]), torch.tensor([[[1., 10.]]]))
    tensor([[[ 1., 12., 20.]]])
    """
    x, axis = operands(x, weight, channel_axis, cast=True)
    groups = arguments.conv_transpose_weight(weight.shape, x.shape, groups)
    bias_vector(bias, x, weight.shape[1] * groups)
    axes = arguments.conv_transpose_axes(x.shape[2:], weight.shape, stride, padding, output_padding, dilation)
    window = transpose_packed(axes, output_padding)
    return channels_back(TRANSPOSE(x, weight, bias, *window, groups), axis)


def conv_transpose_backward(grad_output, x, weight, stride=1, padding=0, output_padding=0, dilation=1, groups=1, *,
                            channel_axis=1):  # fmt: skip
    """The gradients of input, weight and bias; differentiable.

    Parameters
    ----------
    grad_output : Tensor (N, C_out, *output)
        Upstream gradient, in the dtype of ``x``.
    x, weight, stride, padding, output_padding, dilation, groups, channel_axis
        As given to `conv_transpose`.

    Returns
    -------
    grad_input, grad_weight, grad_bias : Tensor

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.conv_transpose_backward`, and if the tensors lie on two devices.

    See Also
    --------
    conv_transpose

    Examples
    --------
    >>> x, weight = torch.tensor([[[1., 2.]]]), torch.tensor([[[1., 10.]]])
    >>> conv_transpose_backward(torch.tensor([[[1., 1., 0.]]]), x, weight)[0]
    tensor([[[11.,  1.]]])
    """
    x, axis = operands(x, weight, channel_axis, cast=False)
    groups = arguments.conv_transpose_weight(weight.shape, x.shape, groups)
    axes = arguments.conv_transpose_axes(x.shape[2:], weight.shape, stride, padding, output_padding, dilation)
    expected = (x.shape[0], weight.shape[1] * groups, *(entry.size for entry in axes))
    grad_output = upstream(grad_output, expected, x, axis)
    window = transpose_packed(axes, output_padding)
    grad_input, *others = TRANSPOSE_BACKWARD(grad_output, x, weight, *window, groups)
    return channels_back(grad_input, axis), *others


def operands(x, weight, channel_axis, *, cast):
    """The checked input as (N, C, *spatial), and where its channel axis stood."""
    checks.tensor("weight", weight, checks.FLOATS)
    checks.tensor("x", x, checks.FLOATS)
    rank = arguments.weight_rank(weight)
    same_kind("weight", weight, x, cast=cast and autocasts(x))
    axis, _ = arguments.image_batch("x", x.shape, channel_axis, rank)
    return channels_second(x, axis), axis


def same_kind(name, value, x, *, cast):
    """A tensor on the device of ``x`` and of its dtype, unless autocast will ``cast`` both to one."""
    if not cast or torch.float64 in (value.dtype, x.dtype):
        arguments.same_dtype(name, value.dtype, x.dtype, "x")
    checks.same_device(name, value, "x", x)


def autocasts(x):
    """Whether autocast casts the operands of a product on the device of ``x``; float64 it leaves alone."""
    return x.device.type in AUTOCAST and torch.is_autocast_enabled(x.device.type)


def bias_vector(bias, x, channels):
    """Checks one number for each output channel, or None."""
    if bias is None:
        return
    checks.tensor("bias", bias, checks.FLOATS)
    same_kind("bias", bias, x, cast=autocasts(x))
    if tuple(bias.shape) != (channels,):
        raise ValueError(f"bias must have shape (C_out,) = ({channels},); got shape {tuple(bias.shape)}.")


def upstream(grad_output, expected, x, axis):
    """The checked upstream gradient as (N, C, *output)."""
    checks.tensor("grad_output", grad_output, checks.FLOATS)
    same_kind("grad_output", grad_output, x, cast=False)
    wanted = [expected[0], *expected[2:]]
    wanted.insert(axis, expected[1])
    arguments.gradient_shape(grad_output.shape, wanted)
    return channels_second(grad_output, axis)


def packed(axes):
    """Stride, padding (two entries an axis) and dilation as the operators take them."""
    pads = [entry for axis in axes for entry in (axis.before, axis.after)]
    return [axis.stride for axis in axes], pads, [axis.dilation for axis in axes]


def transpose_packed(axes, output_padding):
    """The same with the output padding before the dilation."""
    stride, pads, dilation = packed(axes)
    return stride, pads, list(arguments.per_axis("output_padding", output_padding, len(axes), 0)), dilation
