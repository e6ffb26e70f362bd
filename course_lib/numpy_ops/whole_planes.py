"""Windows that hold the whole plane: each plane is one stretch of memory, which NumPy reduces at full speed.

Arrays are (planes, *spatial, 1).
"""

from itertools import product

import numpy as np

from course_lib.numpy_ops import memory

# Elements that are treated at a time, so that they stay in the cache.
ELEMENTS = 2**17
# Elements of a plane that are summed in their own type. NumPy adds many at a time, so that none of so few passes
# through many additions: random sums are wrong by up to 1.7 ε, and a search for the worst one found 3.5 ε.
FEW = 64


def winners(x, axes, lowest, return_indices):
    """Values and flat positions of the largest elements; None for positions that nobody asks for."""
    planes = x.reshape(len(x), -1)
    y, indices = np.empty(len(planes), x.dtype), np.empty(len(planes), np.int64)
    for group in groups(*planes.shape):
        find(planes[group], y[group], indices[group], return_indices)
    shape = len(x), *(1 for _ in axes), 1
    return y.reshape(shape), indices.reshape(shape) if return_indices else None


def find(planes, y, indices, return_indices):
    """The winners of some planes: the elements that equal the largest, which are found faster than argmax finds one."""
    starts = np.arange(0, planes.size, planes.shape[1])
    np.maximum.reduceat(planes.reshape(-1), starts, out=y)
    # A reduction does not know the sign of the first of several zeros.
    if not return_indices and y.all():
        return
    places = np.flatnonzero(planes == y[:, None])
    if len(places) == len(y):
        np.subtract(places, starts, out=indices)
    else:
        # Ties, or NaN, which equals nothing.
        np.copyto(indices, winners_in_order(planes))
        np.copyto(y, np.take_along_axis(planes, indices[:, None], axis=1)[:, 0])


def winners_in_order(planes):
    """The first of equal elements, but the last NaN where there is one."""
    firsts = planes.argmax(axis=1)
    if planes.dtype.kind == "f":
        for row in np.flatnonzero(np.isnan(planes).any(axis=1)):
            firsts[row] = np.flatnonzero(np.isnan(planes[row]))[-1]
    return firsts


def average(x, axes, divisors):
    """The averages; summed in float64, except where few elements are summed."""
    planes = x.reshape(len(x), -1)
    # What overflows or is not finite goes into the result as it is, as in all averages: without a warning.
    with np.errstate(all="ignore"):
        sums = np.einsum("ij->i", planes) if x.dtype != np.float16 and planes.shape[1] <= FEW else None
        # Sums may overflow where averages do not.
        if sums is None or not np.isfinite(sums).all():
            sums = add_wide(planes)
        return (
            (sums / sums.dtype.type(divisors.flat[0])).astype(x.dtype, copy=False).reshape(len(x), *divisors.shape, 1)
        )


def add_wide(planes):
    """The sums of all planes in float64, a part of them at a time: the plane as a whole may be large."""
    sums = np.zeros(len(planes))
    for group, piece in product(groups(*planes.shape), range(0, planes.shape[1], ELEMENTS)):
        rows = planes[group, piece : piece + ELEMENTS]
        # Pairwise where there are no bits to spare; else in the order that is fastest.
        double = rows.dtype == np.float64
        sums[group] += np.add.reduce(rows, axis=1) if double else np.einsum("ij->i", rows.astype(np.float64))
    return sums


def spread(grad_output, axes, divisors):
    """Gives all elements of a plane the same share."""
    with np.errstate(all="ignore"):
        shares = (grad_output / divisors.flat[0].astype(np.float64)).astype(grad_output.dtype)
    grad_input = memory.empty((len(shares), *(axis.size for axis in axes), 1), shares.dtype)
    np.copyto(grad_input.reshape(len(shares), -1), shares.reshape(-1, 1))
    return grad_input


def groups(planes, size):
    """Slices of planes that together hold about so many elements."""
    step = max(1, ELEMENTS // size)
    return [slice(start, start + step) for start in range(0, planes, step)]
