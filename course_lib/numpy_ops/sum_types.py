"""In which type sums of products are kept: as exact as the rule of the course asks, and no slower than that needs."""

import numpy as np

from course_lib.numpy_ops.layout import sum_dtype

# Multiply-adds up to which float32 is summed in float64, because there it costs nothing.
LITTLE = 2**20
# Terms of a sum from which on a single one does not dominate it.
MANY = 96
# The mean of all terms may be this part of their root mean square, and their signs still count as mixed.
MIXED = 0.15
# Largest size over root mean square: 1 where all sizes are equal, 1.7 for uniform numbers, 3 to 6 for normal ones.
PEAK = (1.5, 7)
# Mean over root mean square of the channels' sizes: 1 where they are equal, less where a few outweigh the rest.
LEVEL = 0.8
# Elements that are looked at: in a large array the middle of every plane, and 64 elements of it at least.
SEEN = 2**16


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
    are equal, float32 would lose more than the two units that the course allows. The data are judged by a few figures
    of a part of them, which is no proof: terms made to deceive them can lose more.

    Parameters
    ----------
    dtype : dtype of the arrays
    sums, terms : int
        How many sums there are, and of how many terms the shortest kind is.
    factor, *others : ndarray
        ``factor`` is multiplied with each of the others, term by term. The first axis of each counts separate sums, the
        second one channels.
    """
    if dtype != np.float32:
        return sum_dtype(dtype)
    if sums * terms <= LITTLE or terms < MANY:
        return np.dtype(np.float64)
    shares, evenness = zip(*map(mean_and_evenness, (factor, *others)), strict=True)
    mixed = all(shares[0] * share <= MIXED for share in shares[1:])
    return np.dtype(np.float32 if mixed and all(evenness) else np.float64)


def mean_and_evenness(values):
    """The largest mean over root mean square along the first axis, and whether the sizes are as even as asked."""
    planes = values.reshape(*values.shape[:2], -1)
    length = max(64, SEEN // (planes.shape[0] * planes.shape[1]))
    start = max(0, (planes.shape[2] - length) // 2)
    with np.errstate(all="ignore"):
        means, peaks, levels = statistics(np.ascontiguousarray(planes[:, :, start : start + length]))
    # Comparisons with NaN are false: zeros only, or a NaN, are not even.
    return means.max(), bool(((peaks >= PEAK[0]) & (peaks <= PEAK[1]) & (levels >= LEVEL)).all())


def statistics(values):
    """Along the first axis: mean, largest size and mean size of the channels, all over the root mean square."""
    squares, rows = np.vecdot(values, values) / values.shape[2], values.reshape(len(values), -1)
    size, peaks = np.sqrt(squares.mean(axis=1)), np.abs(rows).max(axis=1)
    return np.abs(rows.mean(axis=1)) / size, peaks / size, np.sqrt(squares).mean(axis=1) / size
