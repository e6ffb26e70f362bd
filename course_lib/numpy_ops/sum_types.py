"""In which type sums of products are kept: as exact as the rule of the course asks, and no slower than that needs."""

import numpy as np

from course_lib.numpy_ops.layout import sum_dtype

# Multiply-adds up to which float32 is summed in float64, because there it costs nothing.
LITTLE = 2**20
# Mean over root mean square up to which terms count as cancelling.
CANCELLING = 0.25


def sum_type(dtype, work, *factors):
    """The type in which products are formed and added.

    ======== ==================================== =======
    dtype    when                                 sums in
    ======== ==================================== =======
    float16  always                               float32
    float64  always                               float64
    float32  little work                          float64
    float32  much work, terms that cancel         float32
    float32  much work, terms mostly of one sign  float64
    ======== ==================================== =======

    The rounding error of a sum is proportional to its partial sums. They stay small where terms cancel. Where they grow
    with every term, float32 would lose more than the two units allowed. ``work`` counts multiply-adds; the terms
    are products of the elements of each pair of ``factors``, whose first axis counts independent sums.
    """
    if dtype != np.float32:
        return sum_dtype(dtype)
    in_float32 = work > LITTLE and all(terms_cancel(*pair) for pair in factors)
    return np.dtype(np.float32) if in_float32 else np.dtype(np.float64)


def terms_cancel(a, b):
    """Whether products of the elements of two arrays have mixed signs."""
    # The smaller array often decides alone, for no share exceeds 1.
    a, b = sorted((a, b), key=np.size)
    share = one_sidedness(a)
    return share <= CANCELLING or share * one_sidedness(b) <= CANCELLING


def one_sidedness(values):
    """Mean over root mean square of the entry along the first axis that has most; 1 if its elements are equal."""
    rows = values.reshape(len(values), -1)
    with np.errstate(all="ignore"):
        squares = np.vecdot(rows, rows) * rows.shape[1]
        shares = np.abs(rows.sum(axis=1)) / np.sqrt(np.maximum(squares, np.finfo(rows.dtype).tiny))
    return shares.max()
