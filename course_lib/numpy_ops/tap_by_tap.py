"""The plain technique, for any window: one tap after another over whole arrays. The other techniques are held to it.

All arrays are (planes, *spatial, lanes).
"""

from itertools import product

import numpy as np

from course_lib import geometry

# Elements that are averaged at a time: what they need in float64 is a few MiB.
ELEMENTS = 2**17


def real_taps(axes):
    """For each tap: the windows in which it is real, and the elements it reads there."""
    for tap in product(*(range(axis.kernel) for axis in axes)):
        slices = [geometry.tap_slices(axis, number) for axis, number in zip(axes, tap, strict=True)]
        yield (..., *(pair[0] for pair in slices), slice(None)), (..., *(pair[1] for pair in slices), slice(None))


def winners(x, axes, lowest, return_indices):
    """Values and flat positions of the largest elements; None for positions that nobody asks for."""
    outputs = x.shape[0], *(axis.output for axis in axes), x.shape[-1]
    best, indices = np.full(outputs, lowest, x.dtype), np.full(outputs, -1, np.int64)
    plane = np.arange(int(np.prod(x.shape[1:-1]))).reshape(*x.shape[1:-1], 1)
    for windows, elements in real_taps(axes):
        challenge(best[windows], indices[windows], x[elements], plane[elements])
    return best, indices if return_indices else None


def challenge(best, indices, values, positions):
    """Lets one tap take the windows in which it beats what came before it; the first real tap always wins."""
    # Not values >= best: of equal elements the first keeps the window. A NaN takes it, also from an earlier NaN.
    wins = (values > best) | (indices < 0)
    if values.dtype.kind == "f":
        wins |= np.isnan(values)
    # A value that compares false with NaN must not win against it, and it does not: NaN > value is never asked.
    np.copyto(best, values, where=wins)
    np.copyto(indices, np.broadcast_to(positions, indices.shape), where=wins)


def average(x, axes, divisors):
    """The averages, summed in float64, a few planes at a time."""
    y = np.empty((x.shape[0], *divisors.shape, x.shape[-1]), x.dtype)
    for group in groups(x):
        sums = np.zeros(y[group].shape)
        for windows, elements in real_taps(axes):
            sums[windows] += x[group][elements]
        y[group] = sums / divisors[..., None]
    return y


def spread(grad_output, axes, divisors):
    """The transpose of `average`: divides, then adds each share where its tap was read."""
    sizes = *(axis.size for axis in axes), grad_output.shape[-1]
    grad_input = np.empty((grad_output.shape[0], *sizes), grad_output.dtype)
    for group in groups(grad_input):
        shares, sums = grad_output[group] / divisors[..., None].astype(np.float64), np.zeros(grad_input[group].shape)
        for windows, elements in real_taps(axes):
            # One tap reads each element once, so that += loses nothing here: overlap is between taps.
            sums[elements] += shares[windows]
        grad_input[group] = sums
    return grad_input


def groups(array):
    """Slices of planes that together hold about so many elements."""
    step = max(1, ELEMENTS // max(1, array[:1].size))
    return [slice(first, first + step) for first in range(0, len(array), step)]
