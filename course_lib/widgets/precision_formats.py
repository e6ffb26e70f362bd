"""Numbers of 16 and 32 bits: what is stored of a number, and which are its neighbours."""

from typing import NamedTuple

import numpy as np


class Format(NamedTuple):
    """A binary floating-point format: a sign, some bits of exponent, some of fraction.

    Attributes
    ----------
    name : str
    exponent, fraction : int
        How many bits each has.
    """

    name: str
    exponent: int
    fraction: int

    @property
    def highest(self):
        """The exponent of the largest numbers."""
        return 2 ** (self.exponent - 1) - 1

    @property
    def largest(self):
        """The largest finite number."""
        return (2 - 2.0**-self.fraction) * 2.0**self.highest

    @property
    def smallest_normal(self):
        """The smallest number above zero with all its bits of fraction."""
        return 2.0 ** (1 - self.highest)

    @property
    def smallest(self):
        """The smallest number above zero."""
        return self.smallest_normal * 2.0**-self.fraction

    @property
    def eps(self):
        """From 1 to the next number."""
        return 2.0**-self.fraction


FORMATS = {name: Format(name, *bits) for name, bits in
           {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23)}.items()}  # fmt: skip


def stored(values, name):
    """What a format makes of numbers, in float64.

    Examples
    --------
    >>> stored([0.1, 2049.0, 1e5], "float16")
    array([9.99755859e-02, 2.04800000e+03,            inf])
    >>> stored([257.0], "bfloat16")
    array([256.])
    """
    return numbers(codes(values, name), name)


def codes(values, name):
    """The bits of the stored numbers, read as whole numbers: neighbours among positive numbers differ by 1."""
    with np.errstate(over="ignore"):
        if name == "float16":
            return np.asarray(values, np.float64).astype(np.float16).view(np.uint16).astype(np.int64)
        bits = np.asarray(values, np.float64).astype(np.float32).view(np.uint32).astype(np.int64)
    if name == "float32":
        return bits
    # A bfloat16 is the upper half of a float32, rounded to nearest; of two that are equally near, to the even one.
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    # A NaN stays one: rounding its bits up could make it another number.
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, (bits >> 16) | 0x40, rounded)


def numbers(codes, name):
    """The numbers with these bits, in float64."""
    codes = np.asarray(codes)
    if name == "float16":
        return codes.astype(np.uint16).view(np.float16).astype(np.float64)
    bits = codes if name == "float32" else codes << 16
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def neighbours(value, name, each):
    """The stored number among its neighbours, in ascending order: so many on each side, as far as they are finite."""
    (code,), last = codes([value], name), codes([FORMATS[name].largest], name)[0]
    middle = min(int(code), int(last))
    return numbers(np.arange(max(middle - each, 0), min(middle + each, int(last)) + 1), name)


def sums_of_ones(most, name):
    """What ones add up to, one after the other, after none, one, … most of them."""
    sums = np.zeros(most + 1)
    for number in range(most):
        sums[number + 1] = stored(sums[number] + 1, name)
        if sums[number + 1] == sums[number]:
            # From here on every sum is the same.
            sums[number + 1 :] = sums[number]
            break
    return sums


def stall(name):
    """The number to which 1 can no longer be added.

    Examples
    --------
    >>> [stall(name) for name in FORMATS]
    [2048.0, 256.0, 16777216.0]
    """
    return next(2.0**power for power in range(64) if stored([2.0**power + 1], name)[0] == 2.0**power)
