"""Drawing a variant: rules, arrays and cases, each case with the text that writes it down."""

import math
from typing import NamedTuple

import numpy as np

from course_lib.exercises.misconceptions import Case

# A longer array is written as the call that draws it.
SHOWN = 30


class Drawn(NamedTuple):
    """An array, and what to type for it."""

    array: np.ndarray
    text: str


def one_of(rng, *options):
    """One of some options, as it is."""
    return options[rng.integers(len(options))]


def distinct(rng, shape, low=None):
    """Distinct whole numbers in float64, half of them below zero, or from ``low`` on."""
    size, seed = math.prod(shape), int(rng.integers(10**6))
    first = -(size // 2) if low is None else low
    call = f"np.random.default_rng({seed}).permutation({size}) + ({float(first)})"
    return _drawn(np.random.default_rng(seed).permutation(size) + float(first), call, shape)


def tied(rng, shape, low=-1, high=2):
    """Whole numbers in float64 from ``low`` to ``high`` - 1, so few that many are equal."""
    size, seed = math.prod(shape), int(rng.integers(10**6))
    call = f"np.random.default_rng({seed}).integers({low}, {high}, {size}) * 1.0"
    return _drawn(np.random.default_rng(seed).integers(low, high, size) * 1.0, call, shape)


def shuffled(rng, values, shape):
    """Some numbers in an order that is drawn, in float64."""
    return given(rng.permutation(np.asarray(values, np.float64)).reshape(shape).tolist())


def given(values):
    """An array that is written out; numbers stand for float64."""
    array = np.asarray(values)
    return Drawn(array.astype(np.float64) if array.dtype.kind == "i" else array, str(values))


def written(array):
    """An array that is written out as it is."""
    return Drawn(array, str(array.tolist()))


def _drawn(flat, call, shape):
    """The array in its shape, written out where it is small."""
    array = flat.reshape(shape)
    return Drawn(array, str(array.tolist()) if array.size <= SHOWN else f"({call}).reshape{tuple(shape)}")


def case(**arguments):
    """A case whose name writes its arguments down; a `Drawn` stands for its array."""
    texts = (f"{name} = {value.text if isinstance(value, Drawn) else value}" for name, value in arguments.items())
    arrays = {name: value.array if isinstance(value, Drawn) else value for name, value in arguments.items()}
    return Case(", ".join(texts), arrays)


def channels_last(array):
    """(N, C, ...) as (N, ..., C), in memory of its own."""
    return np.ascontiguousarray(np.moveaxis(array, 1, -1))


def channels_first(array):
    """(N, ..., C) as (N, C, ...), where it has that many axes."""
    return np.moveaxis(array, -1, 1) if array.ndim > 2 else array
