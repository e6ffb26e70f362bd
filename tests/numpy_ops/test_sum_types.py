"""In which type sums are kept: float32 only where it keeps to the rule."""

import numpy as np
import pytest

from course_lib.numpy_ops.sum_types import sum_type

SHAPE = (4, 32, 40)
DATA = {
    "normal": (lambda rng: rng.normal(size=SHAPE), np.float32),
    "rectified": (lambda rng: np.maximum(rng.normal(size=SHAPE), 0), np.float32),
    "uniform around 0": (lambda rng: rng.uniform(-1, 1, SHAPE), np.float32),
    "one sample of one sign": (lambda rng: np.abs(rng.normal(size=SHAPE)) * _in_one_sample(), np.float64),
    "equal sizes": (lambda rng: rng.choice([-1, 1], SHAPE), np.float64),
    "one sample of equal sizes": (lambda rng: np.where(_in_one_sample(), 1, rng.normal(size=SHAPE)), np.float64),
    "one large element": (lambda rng: rng.normal(size=SHAPE) + 1000 * _at(2, 5, 7), np.float64),
    "one large negative element": (lambda rng: rng.normal(size=SHAPE) - 1000 * _at(2, 5, 7), np.float64),
    "one large channel": (lambda rng: rng.normal(size=SHAPE) * (1 + 100 * _at(2, 5, slice(None))), np.float64),
    "zeros": (lambda rng: np.zeros(SHAPE), np.float64),
    "one sample of zeros": (lambda rng: rng.normal(size=SHAPE) * ~_in_one_sample(), np.float64),
    "nan": (lambda rng: np.full(SHAPE, np.nan), np.float64),
    "one infinity": (lambda rng: np.where(_at(2, 5, 7), np.inf, rng.normal(size=SHAPE)), np.float64),
    "huge": (lambda rng: rng.normal(size=SHAPE) * 1e30, np.float64),
}


def _in_one_sample():
    """True in the third sample."""
    return np.arange(4)[:, None, None] == 2


def _at(*place):
    """1 at one place, else 0."""
    array = np.zeros(SHAPE)
    array[place] = 1
    return array


def _weight(rng):
    """Mixed enough for any input but one of a single sign: its rows lean to one side by chance."""
    return (rng.normal(size=(8, 32, 9)) + 0.1).astype(np.float32)


@pytest.mark.parametrize("name", DATA)
def test_sum_type_of_much_work_depends_on_the_data(name, rng):
    make, expected = DATA[name]
    x = make(rng).astype(np.float32)
    assert sum_type(x.dtype, 10**6, 288, x, _weight(rng)) == expected
    assert sum_type(x.dtype, 10**6, 288, _weight(rng), x) == expected


def test_sum_type_asks_for_every_other_factor(rng):
    x, ones = rng.normal(size=SHAPE).astype(np.float32), np.ones(SHAPE, np.float32)
    assert sum_type(x.dtype, 10**6, 288, x, x, x) == np.float32
    assert sum_type(x.dtype, 10**6, 288, x, x, ones) == np.float64


@pytest.mark.parametrize(("sums", "terms"), [(10**6, 95), (10**3, 1000)])
def test_sum_type_of_few_terms_or_little_work_is_float64(sums, terms, rng):
    x = rng.normal(size=SHAPE).astype(np.float32)
    assert sum_type(x.dtype, sums, terms, x, x) == np.float64


@pytest.mark.parametrize(("dtype", "expected"), [(np.float16, np.float32), (np.float64, np.float64)])
def test_sum_type_of_other_types_does_not_depend_on_the_data(dtype, expected):
    x = np.ones(SHAPE, dtype)
    assert sum_type(x.dtype, 10**6, 288, x, x) == sum_type(x.dtype, 1, 1, x, x) == expected
