"""In which type sums of products are kept: as exact as the rule of the course asks, and no slower than that needs."""

import numpy as np

from course_lib.numpy_ops.layout import sum_dtype

# Multiply-adds up to which float32 is summed in float64, because there it costs nothing.
LITTLE = 2**20
# Terms of a sum from which on a single one does not dominate it.
MANY = 96
# The mean of all terms may be this part of their root mean square, and their signs still count as mixed.
MIXED = 0.25
# Largest size over root mean square: 1 where all sizes are equal, 1.7 for uniform numbers, 3 to 6 for normal ones.
EVEN = (1.5, 7)
# Elements that are looked at four times while they are in the cache.
CACHED = 2**18


def sum_type(dtype, sums, terms, factor, *others):
    """The type in which products are formed and added.

    ======== ============================================= =======
    dtype    when                                          sums in
    ======== ============================================= =======
    float16  always                                        float32
    float64  always                                        float64
    float32  little work, or few terms in a sum            float64
    float32  much work, many even terms of both signs      float32
    float32  much work, all else                           float64
    ======== ============================================= =======

    The rounding error of a sum is proportional to its partial sums. Where terms of like size have mixed signs, these
    stay small, and errors are as often up as down. Where one sign prevails, where a few terms dwarf the others or all
    are equal, float32 would lose more than the two units that the course allows.

    Parameters
    ----------
    dtype : dtype of the arrays
    sums, terms : int
        How many sums there are, and of how many terms the shortest kind is.
    factor, *others : ndarray
        ``factor`` is multiplied with each of the others, term by term. The first axis of each counts separate sums.
    """
    if dtype != np.float32:
        return sum_dtype(dtype)
    if sums * terms <= LITTLE or terms < MANY:
        return np.dtype(np.float64)
    shares, evenness = zip(*map(mean_and_evenness, (factor, *others)), strict=True)
    mixed = all(shares[0] * share <= MIXED for share in shares[1:])
    return np.dtype(np.float32 if mixed and all(evenness) else np.float64)


def mean_and_evenness(values):
    """The largest mean over root mean square along the first axis, and whether all largest sizes are as `EVEN` asks."""
    rows = values.reshape(len(values), -1)
    count = max(1, CACHED // rows.shape[1])
    with np.errstate(all="ignore"):
        parts = [row_statistics(rows[start : start + count]) for start in range(0, len(rows), count)]
    means, peaks = map(np.concatenate, zip(*parts, strict=True))
    # Comparisons with NaN are false: a row of zeros, or one that holds NaN, is not even.
    return means.max(), bool(((peaks >= EVEN[0]) & (peaks <= EVEN[1])).all())


def row_statistics(rows):
    """The mean of each row and its largest size, both over its root mean square."""
    sizes = np.sqrt(np.vecdot(rows, rows) / rows.shape[1])
    # A product with ones, because it is four times as fast as a sum; it need not be exact.
    means = np.abs(rows @ np.ones(rows.shape[1], rows.dtype)) / rows.shape[1]
    return means / sizes, np.maximum(rows.max(axis=1), -rows.min(axis=1)) / sizes
