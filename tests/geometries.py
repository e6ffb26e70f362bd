"""One list of windows and one list of values, shared by the tests of all operations."""

from typing import NamedTuple

import numpy as np


class Geometry(NamedTuple):
    """A spatial size and the arguments of a pooling call on it."""

    name: str
    size: tuple
    arguments: dict

    @property
    def in_torch(self):
        """Whether PyTorch can express it: no pairs, no "same", and no window that is all padding."""
        plain = not isinstance(self.arguments.get("padding", 0), str) and "pairs" not in self.name
        return plain and "no-real-tap" not in self.name

    @property
    def dilated(self):
        return self.arguments.get("dilation", 1) != 1


def _geometry(name, size, **arguments):
    return Geometry(name, size, arguments)


GEOMETRIES = [
    _geometry("1d-tiles", (8,), kernel_size=2),
    _geometry("1d-overlap", (7,), kernel_size=3, stride=1),
    _geometry("1d-padded", (6,), kernel_size=3, stride=2, padding=1),
    _geometry("1d-gaps", (9,), kernel_size=2, stride=3),
    _geometry("1d-dilated", (9,), kernel_size=3, stride=2, padding=1, dilation=2),
    _geometry("1d-ceil-overhangs", (5,), kernel_size=2, ceil_mode=True),
    _geometry("tiles", (4, 6), kernel_size=2),
    _geometry("overlapping", (5, 6), kernel_size=3, stride=1),
    _geometry("overlapping-stride-2", (7, 9), kernel_size=3, stride=2),
    _geometry("padded", (5, 4), kernel_size=3, stride=2, padding=1),
    _geometry("padded-same-size", (5, 6), kernel_size=3, stride=1, padding=1),
    _geometry("dilated", (8, 7), kernel_size=2, stride=1, dilation=3),
    _geometry("dilated-padded", (7, 8), kernel_size=3, stride=2, padding=1, dilation=2),
    _geometry("non-square", (6, 9), kernel_size=(2, 3), stride=(1, 2), padding=(1, 0), dilation=(2, 1)),
    _geometry("ceil-overhangs", (5, 6), kernel_size=3, stride=2, ceil_mode=True),
    _geometry("ceil-drops-last", (5, 5), kernel_size=2, stride=2, padding=1, ceil_mode=True),
    _geometry("ceil-padded", (6, 7), kernel_size=4, stride=3, padding=2, ceil_mode=True),
    _geometry("remainder", (7, 8), kernel_size=3),
    _geometry("gaps", (8, 8), kernel_size=2, stride=3),
    _geometry("one-tap", (3, 4), kernel_size=1),
    _geometry("one-tap-strided", (5, 4), kernel_size=1, stride=2),
    _geometry("one-element", (1, 1), kernel_size=2, stride=1, padding=1),
    _geometry("whole-plane", (4, 5), kernel_size=(4, 5)),
    _geometry("large-window", (13, 12), kernel_size=9, stride=1),
    _geometry("pairs", (5, 6), kernel_size=3, stride=2, padding=((0, 1), (2, 1))),
    _geometry("pairs-wide", (4, 4), kernel_size=2, stride=1, padding=((2, 1), (0, 3))),
    _geometry("pairs-ceil", (5, 5), kernel_size=3, stride=2, padding=((0, 1), (1, 2)), ceil_mode=True),
    _geometry("pairs-no-real-tap", (3, 3), kernel_size=2, stride=2, padding=((4, 1), (0, 5))),
    _geometry("same", (5, 6), kernel_size=2, stride=1, padding="same"),
    _geometry("same-strided", (7, 5), kernel_size=3, stride=2, padding="same"),
    _geometry("same-lower", (5, 6), kernel_size=4, stride=2, padding="same_lower"),
    _geometry("same-dilated", (6, 6), kernel_size=3, stride=1, padding="same", dilation=2),
    _geometry("valid", (5, 5), kernel_size=2, padding="valid"),
    _geometry("dilated-no-real-tap", (1, 1), kernel_size=2, stride=1, padding=1, dilation=2),
    _geometry("3d-tiles", (4, 4, 6), kernel_size=2),
    _geometry("3d-overlap", (4, 5, 5), kernel_size=3, stride=1, padding=1),
    _geometry("3d-non-cubic", (5, 4, 6), kernel_size=(2, 1, 3), stride=(2, 1, 2), padding=(1, 0, 1), ceil_mode=True),
    _geometry("3d-dilated", (5, 5, 4), kernel_size=2, stride=1, dilation=(2, 1, 3)),
]


def _distinct(rng, shape):
    return rng.permutation(np.prod(shape, dtype=int)).reshape(shape) - np.prod(shape) / 2


def _tied(rng, shape):
    return rng.integers(-2, 2, shape)


def _all_negative(rng, shape):
    return -1 - rng.random(shape)


def _all_equal(rng, shape):
    return np.full(shape, -3.0)


def _with(*special):
    def values(rng, shape):
        x = rng.normal(size=shape)
        return np.where(rng.random(shape) < 0.4, rng.choice(special, size=shape), x)

    return values


VALUES = {
    "distinct": _distinct,
    "tied": _tied,
    "all-negative": _all_negative,
    "all-equal": _all_equal,
    "nan": _with(np.nan),
    "all-nan": lambda rng, shape: np.full(shape, np.nan),
    "minus-inf": _with(-np.inf),
    "all-minus-inf": lambda rng, shape: np.full(shape, -np.inf),
    "inf-nan": _with(np.inf, -np.inf, np.nan),
    "signed-zero": lambda rng, shape: rng.choice([0.0, -0.0], size=shape),
    "subnormal": lambda rng, shape: rng.integers(-3, 4, shape) * 5e-324,
    "huge": _with(1.7e308, -1.7e308),
}

FINITE = ("distinct", "tied", "all-negative", "all-equal")


def geometry_id(geometry):
    return geometry.name


def batch(values, rng, geometry, dtype=np.float64, samples=2, channels=3):
    """An input of the geometry's size with values from the list."""
    with np.errstate(all="ignore"):
        return np.asarray(VALUES[values](rng, (samples, channels, *geometry.size))).astype(dtype)
