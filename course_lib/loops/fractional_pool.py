"""Fractional max pooling as plain loops: the specification. Slow on purpose, and written to be read."""

from itertools import product

import numpy as np

from course_lib import arguments
from course_lib.loops.adaptive_pool import winner
from course_lib.loops.windows import layout


def fractional_max_pool(x, kernel_size, output_size=None, output_ratio=None, *, samples=None, rng=None,
                        return_indices=False, channel_axis=1):  # fmt: skip
    """The largest element of windows that stand at random, as `course_lib.fractional_max_pool`."""
    axis, first = arguments.image_batch("x", x.shape, channel_axis)
    kernel, outputs = arguments.fractional_sizes(first[2:], kernel_size, output_size, output_ratio)
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
    samples = arguments.fractional_samples(samples, rng, first, dtype)
    x = np.moveaxis(x, axis, 1)
    y, indices = (np.zeros((*first[:2], *outputs), kind) for kind in (x.dtype, np.int64))
    for sample, channel in np.ndindex(first[:2]):
        starts = [
            window_starts(u, n, k, o)
            for u, n, k, o in zip(samples[sample, channel], first[2:], kernel, outputs, strict=True)
        ]
        for window in np.ndindex(outputs):
            corner = [axis_starts[number] for axis_starts, number in zip(starts, window, strict=True)]
            elements = list(product(*(range(start, start + k) for start, k in zip(corner, kernel, strict=True))))
            best = winner(x[sample, channel], elements)
            y[sample, channel, *window] = x[sample, channel, *best]
            indices[sample, channel, *window] = np.ravel_multi_index(best, first[2:])
    y, indices = layout(y, axis), layout(indices, axis)
    return (y, indices) if return_indices else y


def window_starts(u, size, kernel, output):
    """Where the windows of one axis start; the last one ends with the axis. Every step rounds to the type of ``u``."""
    if output == 1:
        return [size - kernel]
    alpha = u.dtype.type(size - kernel) / u.dtype.type(output - 1)
    starts = [int((u.dtype.type(number) + u) * alpha) - int(u * alpha) for number in range(output - 1)]
    return [min(start, size - kernel) for start in starts] + [size - kernel]
