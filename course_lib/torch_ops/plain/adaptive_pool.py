"""Adaptive pooling with plain torch operations, for any device."""

from functools import reduce

import numpy as np
import torch

from course_lib import geometry
from course_lib.torch_ops.layout import channels_last, dense
from course_lib.torch_ops.plain.positions import bin_sums, bin_taps, separable_max, spread_bins
from course_lib.torch_ops.plain.taps import sum_dtype


def adaptive_max_pool(x, outputs):
    """Values and flat positions of the winners."""
    taps = [bin_taps(n, o, x.device) for n, o in zip(x.shape[2:], outputs, strict=True)]
    last = channels_last(x)
    return tuple(dense(result, last) for result in separable_max(x, taps))


def adaptive_avg_pool(x, outputs):
    """The mean of each bin, one axis after another."""
    sums = x.to(sum_dtype(x))
    for axis, output in enumerate(outputs, start=2):
        sums = bin_sums(sums, axis, output)
    return dense((sums / bin_sizes(x.shape[2:], outputs, sums)).to(x.dtype), channels_last(x))


def adaptive_avg_pool_backward(grad_output, input_shape):
    """The transpose of `adaptive_avg_pool`."""
    shares = grad_output.to(sum_dtype(grad_output))
    shares = shares / bin_sizes(input_shape[2:], grad_output.shape[2:], shares)
    for axis, size in enumerate(input_shape[2:], start=2):
        shares = spread_bins(shares, axis, size)
    return dense(shares.to(grad_output.dtype), channels_last(grad_output))


def bin_sizes(sizes, outputs, like):
    """The number of elements of every bin, of the output's spatial shape."""
    windows = [geometry.adaptive_windows(n, o) for n, o in zip(sizes, outputs, strict=True)]
    counts = reduce(np.multiply.outer, [stops - starts for starts, stops in windows])
    return torch.from_numpy(counts).to(device=like.device, dtype=like.dtype)
