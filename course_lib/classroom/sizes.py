"""What the judge computes for a program: small arrays, and numbers that make nothing large of them."""

import math

import numpy as np

MOST_ELEMENTS, LARGEST, LONGEST_AXIS, MOST_IN_SHAPE = 2000, 20, 500, 1e5
MOST_AXES = 6
CONTAINERS = list, tuple, dict, frozenset


def check_sizes(arguments):
    """Refuses to compute what is large for a student's program."""
    if _elements(arguments) > MOST_ELEMENTS:
        raise ValueError(f"the arrays are too large: at most {MOST_ELEMENTS} elements")
    for one in arguments:
        _check_numbers(one)


def _elements(value):
    """How many elements all arrays in a value have together."""
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(_elements, value)) if isinstance(value, (list, tuple, frozenset)) else np.size(value)


def _check_numbers(value):
    """Refuses a number that makes something large, alone or with others in a shape."""
    members = list(value.values() if isinstance(value, dict) else value) if isinstance(value, CONTAINERS) else [value]
    # Three sizes or more are a shape, two or one a kernel, a stride or a padding.
    most = LONGEST_AXIS if len(members) > 2 else LARGEST
    numbers = [one for one in members if isinstance(one, (int, float, np.number))]
    volume = math.prod(max(abs(one), 1) for one in numbers) if len(numbers) <= MOST_AXES else 0
    if any(abs(one) > most for one in numbers) or volume > MOST_IN_SHAPE:
        raise ValueError(f"a number is too large: at most {most}, and {MOST_IN_SHAPE:g} in a shape")
    for one in members:
        if isinstance(one, CONTAINERS):
            _check_numbers(one)
