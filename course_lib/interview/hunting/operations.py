"""The backwards that may have a fault: what they take, what is right, and on what mended code must be right."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_lib import avg_pool, avg_pool_backward, conv, conv_backward, max_pool, max_pool_backward


@dataclass(frozen=True)
class Operation:
    """A forward, and the backward that belongs to it.

    Attributes
    ----------
    title : str
    kind : str
        Operations of one kind have their misconceptions in common.
    arrays : tuple of str
        What the backward takes before the upstream gradient.
    geometry : tuple of str
        What it takes after that: whole numbers.
    results : tuple of str
        The names of its gradients.
    forward, backward : callable
        Right ones, with keywords.
    hidden : tuple
        The shapes of the arrays and the geometry of each case that mended code must be right about.
    """

    title: str
    kind: str
    arrays: tuple
    geometry: tuple
    results: tuple
    forward: Callable
    backward: Callable
    hidden: tuple

    def output_shape(self, case):
        """The shape that the upstream gradient must have; ValueError if the geometry is not possible."""
        names = (*self.arrays, *self.geometry)
        return self.forward(**{name: case[name] for name in names}).shape

    def right(self, case):
        """The gradients as they should be, in a tuple."""
        found = self.backward(**case)
        return found if isinstance(found, tuple) else (found,)

    def cases(self, seed):
        """What mended code must be right about: batches with channels, ties, negatives, borders, sides that differ."""
        rng = np.random.default_rng([7, seed])
        for shapes, geometry in self.hidden:
            case = dict(zip(self.geometry, geometry, strict=True))
            for name, shape in zip(self.arrays, shapes, strict=True):
                case[name] = rng.integers(-4, 4, shape).astype(float)
            yield case | {"grad_output": rng.normal(size=self.output_shape(case))}


def winners(x, kernel_size, stride, padding):
    """The flat index of the winner of each window; the code of hunts may use it."""
    return max_pool(x, kernel_size, stride, padding, return_indices=True)[1]


def _max_backward(x, grad_output, kernel_size, stride, padding):
    return max_pool_backward(grad_output, winners(x, kernel_size, stride, padding), x.shape)


def _average_backward(x, grad_output, kernel_size, stride, padding):
    return avg_pool_backward(grad_output, x.shape, kernel_size, stride, padding)


WINDOWS = ("kernel_size", "stride", "padding")
PLANES = tuple((((2, 3, 6, 7),), geometry) for geometry in [(2, 2, 0), (2, 1, 0), (3, 2, 1), (3, 1, 1), (2, 3, 1)])
GRADIENTS = ("grad_input", "grad_weight", "grad_bias")
OPERATIONS = {
    "max": Operation("max pooling", "max", ("x",), WINDOWS, GRADIENTS[:1], max_pool, _max_backward, PLANES),
    "average": Operation(
        "average pooling", "average", ("x",), WINDOWS, GRADIENTS[:1], avg_pool, _average_backward, PLANES
    ),
    "convolution": Operation(
        "convolution", "convolution", ("x", "weight"), ("stride", "padding"), GRADIENTS, conv, conv_backward,
        tuple((((2, 3, 6, 7), (4, 3, 2, 3)), geometry) for geometry in [(1, 0), (2, 0), (2, 1), (3, 1)]),
    ),
    "grouped convolution": Operation(
        "convolution in groups", "convolution", ("x", "weight"), ("stride", "padding", "groups"), GRADIENTS, conv,
        conv_backward, ((((2, 3, 5, 6), (4, 3, 2, 3)), (1, 0, 1)), (((2, 6, 5, 6), (4, 3, 2, 3)), (2, 1, 2)),
                        (((2, 6, 5, 6), (12, 2, 1, 2)), (1, 1, 3))),
    ),
}  # fmt: skip


def outcome(operation, code, case):
    """What code makes of a case: its gradients in a tuple, or the exception it raised; MemoryError goes on."""
    try:
        with np.errstate(all="ignore"):
            copies = {name: case[name].copy() for name in operation.arrays}
            found = _backward_of(code)(**{**case, **copies})
            found = found if len(operation.results) > 1 else (found,)
            return tuple(np.asarray(gradient, float) for gradient in found)
    except MemoryError:
        raise
    except Exception as error:
        return error


@lru_cache(maxsize=64)
def _backward_of(code):
    """The function that code defines."""
    names = {"np": np, "winners": winners}
    exec(code, names)
    return names["backward"]


def agrees(operation, code, case):
    """Whether code is right about a case."""
    return not differing(operation, outcome(operation, code, case), operation.right(case))


def differing(operation, found, expected):
    """The names of the gradients that differ; all of them if there are others, or an exception."""
    if not isinstance(found, tuple) or len(found) != len(expected):
        return operation.results
    pairs = zip(operation.results, found, expected, strict=True)
    return tuple(name for name, one, other in pairs if one.shape != other.shape or not _close(one, other))


def _close(one, other):
    """Whether two gradients are equal but for rounding; NaN is equal to NaN."""
    return np.allclose(one, other, equal_nan=True)


def powers(shape):
    """Powers of two, whose sums tell what was summed."""
    return 2.0 ** np.arange(np.prod(shape, dtype=int)).reshape(shape)
