"""The layers of a trainable network in NumPy: linear, ReLU and cross-entropy, and who computes the others."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from course_lib import numpy_ops
from course_lib.experiments import naive
from course_lib.experiments.networks import POOL


class Layers(NamedTuple):
    """Who computes convolution and pooling.

    Attributes
    ----------
    conv2d : callable
        From x, weight and bias to the output, without padding.
    conv2d_backward : callable
        From grad_output, x and weight to the gradients of x, weight and bias.
    pool : callable
        From x to the output and what its backward needs.
    pool_backward : callable
        From grad_output and that to the gradient of x.
    """

    conv2d: Callable
    conv2d_backward: Callable
    pool: Callable
    pool_backward: Callable


def layers(backend, pooling, functions):
    """The layers of a variant; ``functions`` holds the learner's ``conv2d`` and ``conv2d_backward``, or is empty."""
    naively = backend == "naive"
    first, second = (naive.conv2d, naive.conv2d_backward) if naively else (numpy_ops.conv, numpy_ops.conv_backward)
    if backend == "yours":
        first, second = functions.get("conv2d", first), functions.get("conv2d_backward", second)
    return Layers(first, second, *(NAIVE_POOLING if naively else POOLING)[pooling])


def max_pool(x):
    """Max pooling with its indices."""
    y, indices = numpy_ops.max_pool(x, POOL, return_indices=True)
    return y, (indices, x.shape)


def max_pool_backward(grad_output, saved):
    """The gradient of max pooling."""
    return numpy_ops.max_pool_backward(grad_output, *saved)


def avg_pool(x):
    """Average pooling."""
    return numpy_ops.avg_pool(x, POOL), x.shape


def avg_pool_backward(grad_output, shape):
    """The gradient of average pooling."""
    return numpy_ops.avg_pool_backward(grad_output, shape, POOL)


POOLING = {"max": (max_pool, max_pool_backward), "average": (avg_pool, avg_pool_backward)}
NAIVE_POOLING = {
    "max": (naive.max_pool, naive.max_pool_backward),
    "average": (naive.avg_pool, naive.avg_pool_backward),
}


def relu(z):
    """What is above 0."""
    return np.maximum(z, 0)


def relu_backward(grad_output, z):
    """The gradient passes where the input was above 0; at 0 it stops, as in PyTorch."""
    return grad_output * (z > 0)


def linear(x, weight, bias):
    """A row of outputs for each sample."""
    return x @ weight.T + bias


def linear_backward(grad_output, x, weight):
    """The gradients of input, weight and bias."""
    return grad_output @ weight, grad_output.T @ x, grad_output.sum(axis=0)


def cross_entropy(logits, y):
    """The mean over the samples of minus the logarithm of the right class's probability."""
    # The largest logit is taken away first: exp of a large number would overflow, and the result is the same.
    shifted = logits - logits.max(axis=1, keepdims=True)
    return float(np.mean(np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(y)), y]))


def cross_entropy_backward(logits, y):
    """The gradient of the logits: probabilities minus one at the right class, over the number of samples."""
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    gradient = odds / odds.sum(axis=1, keepdims=True)
    gradient[np.arange(len(y)), y] -= 1
    return gradient / len(y)


def padded(x, padding):
    """Zeros around each plane."""
    return np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding))) if padding else x


def cropped(gradient, padding):
    """The gradient without that of the zeros."""
    return gradient[:, :, padding:-padding, padding:-padding] if padding else gradient
