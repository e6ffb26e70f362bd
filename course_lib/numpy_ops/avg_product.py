"""Average pooling of short rows as a product with a matrix of zeros and ones.

Most of the products are with 0. BLAS is still faster, for it makes dozens of them in the time that NumPy takes for one
addition, and it reads the input once. Arrays are (planes, rows, columns, 1).
"""

from functools import lru_cache, partial

import numpy as np

from course_lib import geometry, threads
from course_lib.numpy_ops import avg_separable, avg_spread, memory
from course_lib.numpy_ops.blocks import budget, share

# Elements that are treated at a time.
ELEMENTS = 2**19
# Rows of a matrix up to which the products cost less than what they replace.
LONGEST = 128


def suits(array, axes):
    """Whether rows are short, and the sums of windows follow from so few additions that they are precise enough."""
    if len(axes) != 2 or array.shape[-1] > 1 or array.dtype == np.float16 or not array.flags.c_contiguous:
        return False
    enough = array.dtype == np.float64 or additions(axes) <= avg_separable.FLOAT32_ADDITIONS
    return enough and longest(axes) <= LONGEST


def additions(axes):
    """How many additions may follow each other in the sum of a window."""
    rows, columns = (axis.kernel for axis in axes)
    # Rows of such a group of windows follow each other in memory, and are multiplied together.
    return rows * columns - 1 if geometry.side_by_side(axes[0]) else rows - 1 + columns - 1


def longest(axes):
    """The rows of the largest matrix."""
    rows, columns = axes
    return (
        rows.kernel * columns.size if geometry.side_by_side(axes[0]) else max(columns.size, rows.size * columns.output)
    )


@lru_cache(maxsize=64)
def matrices(axes, dtype):
    """The matrices that turn elements into sums of windows, one after the other."""
    rows, columns = (taps(axis).astype(dtype) for axis in axes)
    if geometry.side_by_side(axes[0]):
        return (np.tile(columns, (axes[0].kernel, 1)),)
    return columns, np.kron(rows, np.eye(axes[1].output, dtype=dtype))


def taps(axis):
    """Ones where an element (row) is a tap of a window (column)."""
    positions, real = geometry.tap_positions(axis), geometry.is_real(axis)
    ones = np.zeros((axis.size, axis.output))
    ones[positions[real], np.nonzero(real)[0]] = 1
    return ones


def average(x, axes, divisors):
    """The averages of ``x``."""
    y = memory.empty((len(x), *divisors.shape, 1), x.dtype)
    divisor, steps = avg_separable.one_if_equal(divisors).astype(x.dtype), matrices(axes, x.dtype)
    finite = []
    shared(partial(average_groups, x, y, divisor, steps, finite), x)
    # Infinity times 0 is NaN, in windows where it is no tap.
    return y if all(finite) else avg_separable.average_undealt(x, axes, divisors)


def average_groups(x, y, divisor, steps, finite, parts):
    """Averages some groups of planes, and notes of each whether all is finite."""
    with np.errstate(all="ignore"):
        for group in parts:
            multiply(x[group], steps, y[group])
            np.divide(y[group], divisor, out=y[group])
            finite.append(bool(np.isfinite(np.add.reduce(y[group], axis=None))))


def spread(grad_output, axes, divisors):
    """The gradient of the averages: the product with the transposed matrices."""
    dtype = grad_output.dtype
    finite = np.isfinite(grad_output).all()
    if not finite or avg_spread.sum_dtype(dtype, axes, divisors) != dtype:
        return avg_spread.spread(grad_output, axes, divisors)
    grad_input = memory.empty((len(grad_output), *(axis.size for axis in axes), 1), dtype)
    divisor, steps = avg_separable.one_if_equal(divisors).astype(dtype), transposed(axes, dtype)
    shared(partial(spread_groups, grad_output, grad_input, divisor, steps), grad_input)
    # Sums in float64 may overflow (see `sum_dtype`), and infinity times 0 is NaN in elements that it is no share of.
    if dtype == np.float64 and not np.isfinite(grad_input).all():
        return avg_spread.spread(grad_output, axes, divisors)
    return grad_input


def spread_groups(grad_output, grad_input, divisor, steps, parts):
    """Spreads the gradients of some groups of planes."""
    with np.errstate(all="ignore"):
        for group in parts:
            multiply(grad_output[group] / divisor, steps, grad_input[group])


def shared(work, array):
    """Calls ``work`` on groups of the planes of an array, in several threads where that pays.

    BLAS itself takes one: its own threads wait for each other, and on a busy machine much longer than they work.
    """
    with threads.blas(1):
        share(work, groups(len(array), array[:1].size), budget(array.size)[0])


@lru_cache(maxsize=64)
def transposed(axes, dtype):
    """The matrices from gradients of averages to gradients of elements."""
    return tuple(np.ascontiguousarray(matrix.T) for matrix in reversed(matrices(axes, dtype)))


def multiply(array, steps, out):
    """Multiplies the rows of the array with one matrix after another; the last product goes into ``out``."""
    for matrix in steps[:-1]:
        array = array.reshape(-1, len(matrix)) @ matrix
    np.matmul(array.reshape(-1, len(steps[-1])), steps[-1], out=out.reshape(-1, steps[-1].shape[1]))


def groups(planes, size):
    """Slices of planes that together hold about so many elements."""
    step = max(1, ELEMENTS // size)
    return [slice(start, start + step) for start in range(0, planes, step)]
