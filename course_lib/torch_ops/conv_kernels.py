"""The kernels of the convolution operators: NumPy's on the CPU, plain ones elsewhere, and fakes that only know shapes.

``window`` is (stride, padding, dilation, groups), with two entries of padding an axis; ``transposed`` has the output
padding after the padding.
"""

import torch

from course_lib import arguments, numpy_ops
from course_lib.torch_ops.layout import channels_last, dense, empty, lend, sample_blocks, take_back
from course_lib.torch_ops.plain import conv as plain


def conv_axes(x_shape, weight_shape, stride, padding, dilation, _groups):
    """The window along each axis of a convolution."""
    return arguments.conv_axes(tuple(x_shape[2:]), weight_shape, tuple(stride), pairs(padding), tuple(dilation))


def transpose_axes(x_shape, weight_shape, stride, padding, output_padding, dilation, _groups):
    """The window along each axis of the convolution that a transposed one undoes."""
    return arguments.conv_transpose_axes(
        tuple(x_shape[2:]), weight_shape, tuple(stride), pairs(padding), tuple(output_padding), tuple(dilation)
    )


def pairs(padding):
    """One (before, after) pair an axis."""
    return tuple(zip(padding[::2], padding[1::2], strict=True))


def as_numpy(window):
    """The window as NumPy's functions take it."""
    stride, padding, *others, groups = window
    return tuple(stride), pairs(padding), *(tuple(other) for other in others), groups


def fake_conv(x, weight, bias, *window):
    """An output without content."""
    axes = conv_axes(x.shape, weight.shape, *window)
    return empty((x.shape[0], weight.shape[0], *(axis.output for axis in axes)), x, channels_last(x))


def fake_transpose(x, weight, bias, *transposed):
    """An output without content."""
    axes = transpose_axes(x.shape, weight.shape, *transposed)
    channels = weight.shape[1] * transposed[-1]
    return empty((x.shape[0], channels, *(axis.size for axis in axes)), x, channels_last(x))


def fake_gradients(grad_output, x, weight, *_window):
    """Three gradients without content."""
    return (
        empty(x.shape, x, channels_last(x)),
        empty(weight.shape, weight, False),
        x.new_empty((grad_output.shape[1],)),
    )


def fake_moments(y, x, weight_shape, *_window):
    """A gradient of the weights without content."""
    return empty(tuple(weight_shape), x, False)


def forward_on(function, fake):
    """NumPy's forward on the tensors' memory; bfloat16 is widened in blocks of samples."""

    def cpu(x, weight, bias, *window):
        if x.dtype == torch.bfloat16:
            y, weight, bias = fake(x, weight, bias, *window), weight.float(), None if bias is None else bias.float()
            for samples in sample_blocks(x):
                y[samples] = cpu(x[samples].float(), weight, bias, *window)
            return y
        last = channels_last(x)
        arrays = lend(x, last), lend(weight, False), None if bias is None else lend(bias, False)
        return take_back(function(*arrays, *as_numpy(window), channel_axis=-1 if last else 1), last)

    return cpu


def backward_on(function):
    """NumPy's backward on the tensors' memory; bfloat16 is widened in blocks of samples, and summed in float32."""

    def cpu(grad_output, x, weight, *window):
        if x.dtype == torch.bfloat16:
            return in_float32(cpu, grad_output, x, weight, *window)
        last = channels_last(x)
        arrays = lend(grad_output, last), lend(x, last), lend(weight, False)
        grad_input, *others = function(*arrays, *as_numpy(window), channel_axis=-1 if last else 1)
        return take_back(grad_input, last), *(take_back(other, False) for other in others)

    return cpu


def in_float32(kernel, grad_output, x, weight, *window):
    """Three gradients, block after block; those of weight and bias are added in float32."""
    results = fake_gradients(grad_output, x, weight, *window)
    sums = [torch.zeros(result.shape, dtype=torch.float32) for result in results[1:]]
    for samples in sample_blocks(x):
        grad_input, *parts = kernel(grad_output[samples].float(), x[samples].float(), weight.float(), *window)
        results[0][samples] = grad_input
        for total, part in zip(sums, parts, strict=True):
            total += part
    return results[0], *(total.to(x.dtype) for total in sums)


cpu_conv = forward_on(numpy_ops.conv, fake_conv)
cpu_transpose = forward_on(numpy_ops.conv_transpose, fake_transpose)
cpu_conv_backward = backward_on(numpy_ops.conv_backward)
cpu_transpose_backward = backward_on(numpy_ops.conv_transpose_backward)


def cpu_moments(y, x, weight_shape, *window):
    """NumPy's gradient of the weights, which needs no weights: any will do."""
    weight = x.new_zeros(()).expand(tuple(weight_shape))
    axes = conv_axes(x.shape, weight.shape, *window)
    # Elements that no window of ``y`` reads would make one window more.
    surplus = [axis.stride * (axis.output - count) for axis, count in zip(axes, y.shape[2:], strict=True)]
    for position, extra in enumerate(surplus, start=2):
        x = x.narrow(position, 0, x.shape[position] - extra)
    return cpu_conv_backward(y, x, weight, *window)[1]


def plain_conv(x, weight, bias, *window):
    """Unfolding and a matrix product."""
    y = plain.correlate(x, weight, conv_axes(x.shape, weight.shape, *window), window[-1])
    return finished(y, bias, x)


def plain_transpose(x, weight, bias, *transposed):
    """A matrix product and folding."""
    axes = transpose_axes(x.shape, weight.shape, *transposed)
    return finished(plain.transpose_correlate(x, weight, axes, transposed[-1]), bias, x)


def finished(y, bias, x):
    """Adds the bias while sums are wide, then rounds once."""
    if bias is not None:
        y = y + plain.wide(bias).reshape(-1, *[1] * (y.dim() - 2))
    return dense(y.to(x.dtype), channels_last(x))


def plain_conv_backward(grad_output, x, weight, *window):
    """The three gradients of a convolution."""
    axes, groups = conv_axes(x.shape, weight.shape, *window), window[-1]
    grad_input = plain.transpose_correlate(grad_output, weight, axes, groups)
    grad_weight = plain.moments(grad_output, x, weight.shape, axes, groups)
    return finished(grad_input, None, x), grad_weight.to(x.dtype), bias_gradient(grad_output)


def plain_transpose_backward(grad_output, x, weight, *transposed):
    """The three gradients of a transposed convolution."""
    axes, groups = transpose_axes(x.shape, weight.shape, *transposed), transposed[-1]
    grad_input = plain.correlate(grad_output, weight, axes, groups)
    grad_weight = plain.moments(x, grad_output, weight.shape, axes, groups)
    return finished(grad_input, None, x), grad_weight.to(x.dtype), bias_gradient(grad_output)


def plain_moments(y, x, weight_shape, *window):
    """The gradient of the weights."""
    axes = conv_axes(x.shape, tuple(weight_shape), *window)
    axes = [axis._replace(output=count) for axis, count in zip(axes, y.shape[2:], strict=True)]
    return plain.moments(y, x, weight_shape, axes, window[-1]).to(x.dtype)


def bias_gradient(grad_output):
    """The upstream gradient, summed over all but the channels."""
    return plain.wide(grad_output).sum((0, *range(2, grad_output.dim()))).to(grad_output.dtype)
