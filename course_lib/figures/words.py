"""Text alternatives: the same numbers as the picture, in words."""

import math

import numpy as np

TOO_MANY = 100


def number(value):
    """A value as a picture writes it: at most three digits behind the first, and a real minus.

    Examples
    --------
    >>> number(2.0), number(-0.25), number(1 / 3), number(float("inf"))
    ('2', '−0.25', '0.333', '∞')
    """
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    # 0.0 + turns a negative zero into zero.
    return f"{0.0 + float(f'{value:.3g}') if abs(value) < 1000 else round(value):g}".replace("-", "−")


def position(place):
    """A place in a grid, as the chapters write it: (row, column)."""
    return "(" + ", ".join(str(int(entry)) for entry in place) + ")"


def shape(values):
    """The size of a grid: rows × columns."""
    return " × ".join(str(size) for size in values.shape)


def rows(values):
    """A grid of numbers, one row a line, in columns; a large grid in one sentence."""
    if values.size > TOO_MANY:
        return summary(values)
    words = [[number(value) for value in row] for row in values]
    width = max(len(word) for row in words for word in row)
    return "\n".join("  " + " ".join(word.rjust(width) for word in row) for row in words)


def summary(values):
    """What can be said of a grid with too many numbers to read."""
    nonzero = int(np.count_nonzero(values))
    are = "is" if nonzero == 1 else "are"
    ends = f"from {number(np.min(values))} to {number(np.max(values))}"
    return f"  {ends}; {nonzero} of {values.size} elements {are} not zero."


def listing(places):
    """Several places, or none."""
    return ", ".join(position(place) for place in places) or "none"
