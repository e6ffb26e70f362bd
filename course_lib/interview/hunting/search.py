"""The smallest input that exposes a fault, by trying all of one size."""

import itertools

import numpy as np

from course_lib.interview.hunting.operations import agrees, powers

MOST = {"kernel_size": 3, "stride": 3, "padding": 1, "groups": 2}
LEAST = {"kernel_size": 1, "stride": 1, "padding": 0, "groups": 1}
# Only order and sign decide about winners, and no two sums of these primes are the same.
VALUES, GENERIC = (-2.0, -1.0, 1.0), np.array([3.0, 5, 11, 23, 47, 97, 193, 389])


def exposing(operation, code, size):
    """The first case of a size that exposes a fault; None without one.

    Parameters
    ----------
    operation : Operation
    code : str
    size : int
        How many elements the arrays have together.

    Returns
    -------
    dict or None
        With windows of at most three, strides up to three, padding up to one and one group or two; the upstream
        gradient is of powers of two.
    """
    return next((case for case in candidates(operation, size) if not agrees(operation, code, case)), None)


def candidates(operation, size):
    """Every case of a size."""
    spans = [range(LEAST[name], MOST[name] + 1) for name in operation.geometry]
    for numbers in itertools.product(*spans):
        geometry = dict(zip(operation.geometry, numbers, strict=True))
        for arrays in _arrays(operation, size):
            case = geometry | arrays
            try:
                yield case | {"grad_output": powers(operation.output_shape(case))}
            except ValueError:
                continue


def _arrays(operation, size):
    """The arrays of a size: of all orders where the order decides, else of one set of numbers."""
    if operation.kind == "max":
        for shape, values in itertools.product(_shapes(size), itertools.product(VALUES, repeat=size)):
            yield {"x": np.array(values).reshape(shape)}
    elif operation.kind == "average":
        yield from ({"x": np.ones(shape)} for shape in _shapes(size))
    else:
        for first in range(1, size):
            for shape, other in itertools.product(_shapes(first), _shapes(size - first)):
                yield {"x": GENERIC[:first].reshape(shape), "weight": GENERIC[first:size].reshape(other)}


def _shapes(size):
    """Every shape of four axes with so many elements."""
    sides = range(1, size + 1)
    return [shape for shape in itertools.product(sides, repeat=4) if np.prod(shape) == size]
