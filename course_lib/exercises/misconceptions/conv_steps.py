"""Wrong steps of a convolution: what stands in the place of a right rule."""

import numpy as np

from course_lib.exercises.misconceptions.convolution import add_bias, correlate, send, weight_gradient


def interleaved(array, axis, groups):
    """Every group-th channel belongs to one group."""
    apart = array.reshape(*array.shape[:axis], -1, groups, *array.shape[axis + 1 :])
    return np.swapaxes(apart, axis, axis + 1)


def without_stride(geometry):
    """The windows one step apart."""
    return geometry._replace(stride=(1, 1))


def without_dilation(geometry):
    """The taps side by side."""
    return geometry._replace(dilation=(1, 1))


def rotated(weight):
    """The kernel turned by 180°."""
    return weight[..., ::-1, ::-1]


def correlate_rotated(windows, weight):
    """A convolution in the strict sense."""
    return correlate(windows, rotated(weight))


def correlate_last_channel(windows, weight):
    """The sum over one channel, the last."""
    return correlate(windows[:, :, -1:], weight[:, :, -1:])


def no_bias(sums, bias, x):
    """The bias is forgotten."""
    return sums


def bias_for_each_channel(sums, bias, x):
    """The bias once for each channel of the input."""
    return add_bias(sums, bias * x.shape[1], x)


def always(z):
    """The derivative of no activation at all."""
    return np.ones(z.shape)


def not_negative(z):
    """The derivative of the ReLU, 1 at 0."""
    return (z >= 0).astype(np.float64)


def batch_only(upstream):
    """The sum over the samples."""
    return upstream.sum(0)


def mean_of_upstream(upstream):
    """The mean over samples and positions."""
    return upstream.mean((0, 2, 3))


def over_all_outputs(upstream):
    """One sum for all outputs."""
    return np.full(upstream.shape[1], upstream.sum())


def with_all_axes(upstream):
    """The sums, with the axes that were summed over."""
    return upstream.sum((0, 2, 3), keepdims=True)


def last_sample_of_upstream(upstream):
    """The sum over the positions of the last sample."""
    return upstream[-1].sum((-2, -1))


def rotated_weight_gradient(windows, upstream):
    """The weight's gradient turned by 180°."""
    return rotated(weight_gradient(windows, upstream))


def last_sample(windows, upstream):
    """The weight's gradient of the last sample."""
    return weight_gradient(windows[-1:], upstream[-1:])


def one_window(samples, position):
    """The weight's gradient of one position, of all samples or of the last."""

    def weight(windows, upstream):
        at = slice(position, position + 1 or None)
        return weight_gradient(windows[samples, :, :, at, at], upstream[samples, :, :, at, at])

    return weight


def axes_swapped(weight):
    """Rows and columns of the kernel exchanged."""
    return np.swapaxes(weight, 2, 3)


def channels_swapped(weight):
    """Inputs and outputs exchanged."""
    if weight.shape[0] != weight.shape[1]:
        raise ValueError("as many inputs as outputs are needed")
    return np.swapaxes(weight, 0, 1)


def channels_reshaped(weight):
    """The weight reshaped to (inputs, outputs), where it should be transposed."""
    outputs, inputs = weight.shape[:2]
    return np.swapaxes(weight.reshape(inputs, outputs, *weight.shape[2:]), 0, 1)


def send_last_output(upstream, weight):
    """What the last output sends."""
    return send(upstream[:, :, -1:], weight[:, -1:])


def without_full_padding(gradient, given, geometry):
    """The positions alone at which the rotated kernel lies inside the upstream gradient."""
    kh, kw = geometry.kernel
    height, width = gradient.shape[2:]
    return gradient[:, :, kh - 1 : height - kh + 1, kw - 1 : width - kw + 1]


def divided_by(count):
    """A gradient over a number that comes from the upstream gradient's shape."""
    return lambda gradient, shape: gradient / count(*shape)
