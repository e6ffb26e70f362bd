"""What a report can hold, and how each number is written."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Field(NamedTuple):
    """One measured quantity.

    Attributes
    ----------
    meaning : str
        What the number is, in one line.
    write : callable
        From the values of one variant to the text of its cell.
    """

    meaning: str
    write: Callable


def spread(digits):
    """Writes the mean over the seeds, and the least and the largest."""

    def write(values):
        low, high = np.min(values), np.max(values)
        return f"{np.mean(values):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"

    return write


def each_block(digits):
    """Writes the mean over the seeds for each block."""
    return lambda values: ", ".join(f"{number:.{digits}g}" for number in np.mean(values, axis=0))


def largest_pair(values):
    """Writes the largest absolute and the largest relative value."""
    absolute, relative = np.max(values, axis=0)
    return f"{absolute:.1e}, {relative:.1e}"


FIELDS = {
    "accuracy": Field(
        "share of the test digits that are named rightly: mean over the seeds (least to most)", spread(3)
    ),
    "gradient difference": Field(
        "from the same gradients by PyTorch in float64, the worst of five moments of the training: the largest "
        "absolute difference of an element, and the largest difference of a parameter over its largest element",
        largest_pair,
    ),
    "gradient density": Field(
        "share of non-zero elements in the gradient before each pooling: mean over five moments of the training",
        each_block(3),
    ),
    "gradient norm": Field(
        "Euclidean norm of the gradient before each pooling: mean over five moments of the training", each_block(3)
    ),
    "norm ratio": Field("norm of the gradient before each pooling over the norm after it", each_block(3)),
    "finite gradients": Field("share of the steps whose gradients are all finite", spread(3)),
    "vanished gradients": Field(
        "share of the parameters' gradients that are 0 where float64 has another number, the worst of five moments of "
        "the training",
        spread(3),
    ),
    "training time": Field("seconds for all steps, median over the seeds", lambda values: f"{np.median(values):.2f} s"),
    "prediction time": Field(
        "milliseconds for the same 256 test images, median of several turns",
        lambda values: f"{1e3 * np.median(values):.2f} ms",
    ),
    "parameters": Field("numbers that are trained", lambda values: f"{int(values):,}"),
    "peak memory": Field(
        "largest sum of the arrays alive at one time in one forward and backward",
        lambda values: f"{values / 1e3:.0f} kB",
    ),
}
DEFAULT_FIELDS = ("accuracy", "training time", "prediction time", "parameters", "peak memory")
