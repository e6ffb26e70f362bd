"""The plain technique, for any window: one tap after another over whole arrays. The other techniques are held to it.

All arrays are (planes, *spatial, lanes).
"""

from itertools import product

import numpy as np

from course_lib import geometry


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
    """The averages, summed in float64."""
    sums = np.zeros((x.shape[0], *divisors.shape, x.shape[-1]))
    for windows, elements in real_taps(axes):
        sums[windows] += x[elements]
    return (sums / divisors[..., None]).astype(x.dtype, copy=False)


def spread(grad_output, axes, divisors):
    """The transpose of `average`: divides, then adds each share where its tap was read."""
    shares = grad_output / divisors[..., None].astype(np.float64)
    grad_input = np.zeros((grad_output.shape[0], *(axis.size for axis in axes), grad_output.shape[-1]))
    for windows, elements in real_taps(axes):
        # One tap reads each element once, so that += loses nothing here: overlap is between taps.
        grad_input[elements] += shares[windows]
    return grad_input.astype(grad_output.dtype, copy=False)
