"""Comparing arrays, and writing numbers and small arrays as a person would."""

import numpy as np

SHOWN = 40
# A longer array is shown with a line for each of its rows.
ONE_LINE = 44
# How far an answer may be off, as a share of the largest expected element: rounding in the answer's own type, with room
# for another order of summation.
TOLERANCES = {"float16": 5e-3, "float32": 1e-5}
EXACT_ENOUGH = 1e-9


def same(yours, expected):
    """Whether two arrays have one shape and the same elements, up to rounding; NaN equals NaN."""
    return yours.shape == expected.shape and first_difference(yours, expected) is None


def first_difference(yours, expected):
    """The first index, in row-major order, at which two arrays of one shape differ; None if there is none."""
    differs = differences(yours, expected)
    return tuple(int(i) for i in np.unravel_index(np.argmax(differs), differs.shape)) if differs.any() else None


def differences(yours, expected):
    """Where two arrays of one shape differ, as bools."""
    tolerance = TOLERANCES.get(yours.dtype.name, EXACT_ENOUGH)
    with np.errstate(all="ignore"):
        yours, expected = yours.astype(np.float64), expected.astype(np.float64)
        allowed = tolerance * np.abs(expected[np.isfinite(expected)]).max(initial=0) or 1e-12
        return ~((np.abs(yours - expected) <= allowed) | (yours == expected) | (np.isnan(yours) & np.isnan(expected)))


def minus(yours, expected):
    """The difference of two arrays of one shape, without a word about infinities."""
    with np.errstate(all="ignore"):
        return yours.astype(np.float64) - expected


def number_text(value):
    """A number with at most six significant digits, and none after the point where there is nothing."""
    # Adding 0 turns -0 into 0.
    return f"{float(value) + 0.0:.6g}"


def array_text(array):
    """An array as nested lists; its shape alone where it is large."""
    array = np.asarray(array)
    if array.size > SHOWN:
        return f"an array of shape {shape_text(array.shape)}"
    if array.ndim == 0:
        return number_text(array)
    return "[" + ", ".join(array_text(row) for row in array) + "]"


def rows_text(array):
    """An array as nested lists; from some length on with a line for each row, and its columns under one another.

    Examples
    --------
    >>> print(rows_text(np.array([[1, 2], [3, 40]])))
    [[1, 2], [3, 40]]
    >>> print(rows_text(np.arange(24).reshape(2, 12) % 11))
    <BLANKLINE>
    [[ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10,  0],
     [ 1,  2,  3,  4,  5,  6,  7,  8,  9, 10,  0,  1]]
    """
    text = array_text(array)
    if np.ndim(array) < 2 or array.size > SHOWN or len(text) <= ONE_LINE:
        return text
    width = max(len(number_text(value)) for value in array.flat)
    rows = np.array2string(
        array, separator=", ", max_line_width=1000, formatter={"all": lambda value: number_text(value).rjust(width)}
    )
    # Between two planes NumPy leaves a line empty.
    return "\n" + "\n".join(filter(str.strip, rows.splitlines()))


def shape_text(shape):
    """A shape as Python writes it."""
    return str(tuple(int(size) for size in shape))


def index_text(index):
    """An index as the reader would type it."""
    if index == ():
        return "the number"
    return f"element ({', '.join(map(str, index))})" if len(index) != 1 else f"element {index[0]}"
