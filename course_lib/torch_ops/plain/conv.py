"""Convolution with plain torch operations, for any device: unfolding and a matrix product.

The products are in float32 at least. On CUDA they use TF32 only where the caller has asked for it, with
``torch.backends.cuda.matmul``.
"""

from itertools import product
from math import prod

import torch

from course_lib import geometry

# Elements that are unfolded at a time.
BLOCK = 2**26


def wide(x):
    """float32 for halves: products of halves are exact in it, and sums go on counting."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def correlate(x, weight, axes, groups):
    """Every window of ``x`` times every row of the weights, in the wide type."""
    rows = wide(weight).reshape(groups, weight.shape[0] // groups, -1)
    outputs = [axis.output for axis in axes]
    parts = [
        torch.matmul(rows, unfold(wide(part), axes, groups)).reshape(len(part), weight.shape[0], *outputs)
        for part in sample_parts(x, prod(weight.shape[2:]))
    ]
    return torch.cat(parts) if parts else wide(x).new_zeros((0, weight.shape[0], *outputs))


def transpose_correlate(y, weight, axes, groups):
    """The weights times each window of ``y``, added up where windows overlap: the transpose of `correlate`."""
    rows = wide(weight).reshape(groups, weight.shape[0] // groups, -1).transpose(1, 2)
    channels, sizes = weight.shape[1] * groups, [axis.size for axis in axes]
    parts = [
        fold(torch.matmul(rows, wide(part).reshape(len(part), groups, rows.shape[2], -1)), axes, channels)
        for part in sample_parts(y, prod(weight.shape[2:]))
    ]
    return torch.cat(parts) if parts else wide(y).new_zeros((0, channels, *sizes))


def moments(y, x, weight_shape, axes, groups):
    """For each weight the sum of what its tap reads of ``x`` times ``y``: the gradient of the weights."""
    total = wide(x).new_zeros((groups, weight_shape[0] // groups, prod(weight_shape[1:])))
    step = 0
    for part in sample_parts(x, prod(weight_shape[2:])):
        factors = wide(y[step : step + len(part)]).reshape(len(part), groups, total.shape[1], -1)
        products = torch.matmul(factors, unfold(wide(part), axes, groups).transpose(2, 3))
        total, step = total + products.sum(0), step + len(part)
    return total.reshape(tuple(weight_shape))


def sample_parts(x, taps):
    """The input in parts of samples that unfold to about `BLOCK` elements."""
    count = max(1, BLOCK * len(x) // max(1, x.numel() * taps))
    return [x[first : first + count] for first in range(0, len(x), count)]


def unfold(x, axes, groups):
    """What every tap reads, (N, groups, channels · taps, windows); 0 in the padding."""
    columns = x.new_zeros((*x.shape[:2], prod(axis.kernel for axis in axes), *(axis.output for axis in axes)))
    for number, taken, elements in numbered_taps(axes):
        columns[:, :, number][taken] = x[elements]
    return columns.reshape(len(x), groups, -1, prod(axis.output for axis in axes))


def fold(columns, axes, channels):
    """Adds what belongs to each tap to the element that it read: the transpose of `unfold`."""
    shape = (len(columns), channels, prod(axis.kernel for axis in axes), *(axis.output for axis in axes))
    columns = columns.reshape(shape)
    x = columns.new_zeros((*shape[:2], *(axis.size for axis in axes)))
    for number, taken, elements in numbered_taps(axes):
        # One tap reads each element once, so that += loses nothing here: overlap is between taps.
        x[elements] += columns[:, :, number][taken]
    return x


def numbered_taps(axes):
    """The number of each tap, the windows in which it is real, and the elements it reads there."""
    for number, tap in enumerate(product(*(range(axis.kernel) for axis in axes))):
        slices = [geometry.tap_slices(axis, position) for axis, position in zip(axes, tap, strict=True)]
        yield number, (..., *(pair[0] for pair in slices)), (..., *(pair[1] for pair in slices))
