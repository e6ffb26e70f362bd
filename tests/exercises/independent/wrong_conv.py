"""Wrong convolution by another hand: written from one line about each mistake, without a look at the catalogue."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def forward_einsum(x, weight, bias):
    """A right forward: windows times the kernel."""
    windows = sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, weight) + bias[:, None, None]


def forward_matmul(x, weight, bias):
    """A right forward: im2col and one product."""
    n = x.shape[0]
    windows = sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, windows.shape[2] * windows.shape[3], -1)
    y = columns @ weight.reshape(len(weight), -1).T + bias
    return y.transpose(0, 2, 1).reshape(n, len(weight), *windows.shape[2:4])


def full(grad_output, kh, kw):
    """The upstream gradient in a frame of zeros."""
    return np.pad(grad_output, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))


def grad_weight_of(grad_output, x):
    """A right gradient of the kernel."""
    return np.einsum("nohw,ncijhw->ocij", grad_output, sliding_window_view(x, grad_output.shape[2:], axis=(2, 3)))


def grad_input_of(grad_output, weight):
    """A right gradient of the input: full correlation with the turned kernel."""
    windows = sliding_window_view(full(grad_output, *weight.shape[2:]), weight.shape[2:], axis=(2, 3))
    return np.einsum("nohwij,ocij->nchw", windows, weight[:, :, ::-1, ::-1])


def full_correlation_without_turning_the_kernel():
    # conv_flip_dA: the kernel of the gradient of the input is not rotated.
    def conv2d_backward(grad_output, x, weight):
        windows = sliding_window_view(full(grad_output, *weight.shape[2:]), weight.shape[2:], axis=(2, 3))
        grad_input = np.tensordot(windows, weight, axes=((1, 4, 5), (0, 2, 3))).transpose(0, 3, 1, 2)
        return grad_input, grad_weight_of(grad_output, x), grad_output.sum((0, 2, 3))

    return forward_einsum, conv2d_backward


def gradient_of_the_kernel_turned():
    # conv_flip_dW: the gradient of the kernel comes out rotated.
    def conv2d_backward(grad_output, x, weight):
        kh, kw = weight.shape[2:]
        ho, wo = grad_output.shape[2:]
        dw = np.zeros(weight.shape)
        for u in range(kh):
            for v in range(kw):
                patch = x[:, :, u : u + ho, v : v + wo]
                dw[:, :, kh - 1 - u, kw - 1 - v] = np.tensordot(grad_output, patch, ([0, 2, 3], [0, 2, 3]))
        return grad_input_of(grad_output, weight), dw, grad_output.sum((0, 2, 3))

    return forward_matmul, conv2d_backward


def another_mean_over_the_samples():
    # conv_div_m_twice: the parameters' gradients are divided by the number of samples once more.
    def conv2d_backward(grad_output, x, weight):
        m = x.shape[0]
        dx = np.zeros_like(x, dtype=float)
        dw = np.zeros_like(weight, dtype=float)
        for n, o, i, j in np.ndindex(grad_output.shape):
            g = grad_output[n, o, i, j]
            dx[n, :, i : i + weight.shape[2], j : j + weight.shape[3]] += g * weight[o]
            dw[o] += g * x[n, :, i : i + weight.shape[2], j : j + weight.shape[3]]
        return dx, dw / m, np.sum(grad_output, axis=(0, 2, 3)) / m

    return forward_einsum, conv2d_backward


def bias_summed_over_the_batch_alone():
    # conv_bias_batch_only: db = dZ.sum(axis=0), and the positions stay.
    def conv2d_backward(grad_output, x, weight):
        return grad_input_of(grad_output, weight), grad_weight_of(grad_output, x), grad_output.sum(axis=0)

    return forward_matmul, conv2d_backward


def bias_summed_over_everything():
    # conv_bias_all: one number for all channels.
    def conv2d_backward(grad_output, x, weight):
        db = np.ones(len(weight)) * np.sum(grad_output)
        return grad_input_of(grad_output, weight), grad_weight_of(grad_output, x), db

    return forward_einsum, conv2d_backward


def bias_averaged():
    # conv_bias_mean: a mean where the sum belongs.
    def conv2d_backward(grad_output, x, weight):
        db = np.array([grad_output[:, o].mean() for o in range(grad_output.shape[1])])
        return grad_input_of(grad_output, weight), grad_weight_of(grad_output, x), db

    return forward_matmul, conv2d_backward


def input_gradient_assigned():
    # conv_dA_overwrite: windows that overlap replace one another.
    def conv2d_backward(grad_output, x, weight):
        kh, kw = weight.shape[-2:]
        dx = np.zeros(x.shape)
        for n in range(x.shape[0]):
            for i in range(grad_output.shape[2]):
                for j in range(grad_output.shape[3]):
                    dx[n, :, i : i + kh, j : j + kw] = np.einsum("o,ocij->cij", grad_output[n, :, i, j], weight)
        return dx, grad_weight_of(grad_output, x), np.einsum("nohw->o", grad_output)

    return forward_einsum, conv2d_backward


def kernel_gradient_of_the_last_sample():
    # conv_dW_last_sample: the loop over the samples assigns.
    def conv2d_backward(grad_output, x, weight):
        columns = sliding_window_view(x, grad_output.shape[2:], axis=(2, 3))
        for sample, upstream in zip(columns, grad_output, strict=True):
            dw = np.einsum("ohw,cijhw->ocij", upstream, sample)
        return grad_input_of(grad_output, weight), dw, grad_output.sum((0, 2, 3))

    return forward_matmul, conv2d_backward


def input_gradient_of_the_last_output_channel():
    # conv_dA_last_q: the loop over the output channels assigns.
    def conv2d_backward(grad_output, x, weight):
        kh, kw = weight.shape[2:]
        frame = full(grad_output, kh, kw)
        turned = np.rot90(weight, 2, axes=(2, 3))
        dx = np.empty(x.shape)
        for n, c, i, j in np.ndindex(x.shape):
            for o in range(len(weight)):
                dx[n, c, i, j] = (frame[n, o, i : i + kh, j : j + kw] * turned[o, c]).sum()
        return dx, grad_weight_of(grad_output, x), grad_output.sum((0, 2, 3))

    return forward_einsum, conv2d_backward


def axes_of_the_kernel_exchanged():
    # conv_f1f2_swap: in the gradient of the input the two spatial axes of the kernel change places.
    def conv2d_backward(grad_output, x, weight):
        ho, wo = grad_output.shape[2:]
        dx = np.zeros(x.shape)
        for u in range(weight.shape[2]):
            for v in range(weight.shape[3]):
                tap = weight.transpose(0, 1, 3, 2)[:, :, u, v] if weight.shape[2] == weight.shape[3] else None
                tap = weight.swapaxes(2, 3).reshape(weight.shape)[:, :, u, v] if tap is None else tap
                dx[:, :, u : u + ho, v : v + wo] += np.einsum("nohw,oc->nchw", grad_output, tap)
        return dx, grad_weight_of(grad_output, x), grad_output.sum((0, 2, 3))

    return forward_matmul, conv2d_backward


WRONG_CONV = {
    "conv_flip_dA": full_correlation_without_turning_the_kernel,
    "conv_flip_dW": gradient_of_the_kernel_turned,
    "conv_div_m_twice": another_mean_over_the_samples,
    "conv_bias_batch_only": bias_summed_over_the_batch_alone,
    "conv_bias_all": bias_summed_over_everything,
    "conv_bias_mean": bias_averaged,
    "conv_dA_overwrite": input_gradient_assigned,
    "conv_dW_last_sample": kernel_gradient_of_the_last_sample,
    "conv_dA_last_q": input_gradient_of_the_last_output_channel,
    "conv_f1f2_swap": axes_of_the_kernel_exchanged,
}
