"""Convolution and pooling with a Python loop over samples and windows, as one writes them first."""

import numpy as np

from course_lib.experiments.networks import POOL


def conv2d(x, weight, bias):
    """A convolution without padding, window by window."""
    rows, columns = weight.shape[2:]
    y = np.zeros((len(x), len(weight), x.shape[2] - rows + 1, x.shape[3] - columns + 1), x.dtype)
    for n, r, s in np.ndindex(len(x), *y.shape[2:]):
        window = x[n, :, r : r + rows, s : s + columns]
        y[n, :, r, s] = (weight * window).sum(axis=(1, 2, 3)) + bias
    return y


def conv2d_backward(grad_output, x, weight):
    """The gradients of input, weight and bias: each window adds its part."""
    rows, columns = weight.shape[2:]
    grad_input, grad_weight = np.zeros_like(x), np.zeros_like(weight)
    for n, r, s in np.ndindex(len(x), *grad_output.shape[2:]):
        gradient = grad_output[n, :, r, s].reshape(-1, 1, 1, 1)
        place = n, slice(None), slice(r, r + rows), slice(s, s + columns)
        grad_input[place] += (gradient * weight).sum(axis=0)
        grad_weight += gradient * x[place]
    return grad_input, grad_weight, grad_output.sum(axis=(0, 2, 3))


def tiles(x):
    """Every tile of a batch of planes: its place in the output, and its view of the input."""
    for n, c, r, s in np.ndindex(*x.shape[:2], x.shape[2] // POOL, x.shape[3] // POOL):
        yield (n, c, r, s), x[n, c, r * POOL : (r + 1) * POOL, s * POOL : (s + 1) * POOL]


def max_pool(x):
    """The largest element of each tile, and where it is in the tile."""
    y = np.zeros((*x.shape[:2], x.shape[2] // POOL, x.shape[3] // POOL), x.dtype)
    winners = np.zeros(y.shape, int)
    for place, tile in tiles(x):
        winners[place] = tile.argmax()
        y[place] = tile.flat[winners[place]]
    return y, (winners, x.shape)


def max_pool_backward(grad_output, saved):
    """Each upstream gradient to the winner of its tile."""
    winners, shape = saved
    grad_input = np.zeros(shape, grad_output.dtype)
    for place, tile in tiles(grad_input):
        tile[np.unravel_index(winners[place], tile.shape)] = grad_output[place]
    return grad_input


def avg_pool(x):
    """The mean of each tile."""
    y = np.zeros((*x.shape[:2], x.shape[2] // POOL, x.shape[3] // POOL), x.dtype)
    for place, tile in tiles(x):
        y[place] = tile.mean()
    return y, x.shape


def avg_pool_backward(grad_output, shape):
    """Each upstream gradient in equal shares."""
    grad_input = np.zeros(shape, grad_output.dtype)
    for place, tile in tiles(grad_input):
        tile[...] = grad_output[place] / tile.size
    return grad_input
