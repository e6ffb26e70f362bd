"""The functions of the gradient-check explorable: each with its backward pass and what makes its errors."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from course_lib.dispatch import conv, conv_backward, max_pool, max_pool_backward

# A power of two, so that float32 holds the difference exactly.
GAP = 2.0**-10
PATCHES = np.array([[0.2, 0.7, 0.4], [0.9, 0.1, 0.6], [0.5, 0.8, 0.3]])[None, None]


class Case(NamedTuple):
    """A function of one array, of which one element is moved.

    Attributes
    ----------
    words : str
        What it computes, for a sentence.
    x : ndarray
        Where it is differentiated.
    place : tuple of int
        The element that is moved.
    function, backward : callable
        As `course_lib.gradcheck.error_curve` takes them.
    second, third : float
        Derivatives of the summed output along this element.
    gap : float or None
        How far away the kink lies.
    """

    words: str
    x: np.ndarray
    place: tuple
    function: Callable[[Any], Any]
    backward: Callable[[Any, Any], Any]
    second: float
    third: float
    gap: float | None = None


def cases():
    """The functions by name, in the order in which they are offered."""
    return {
        "exp": _smooth("exp(x) at x = 1", 1.0, np.exp, np.exp, np.exp(1.0), np.exp(1.0)),
        "sin": _smooth("sin(x) at x = 1", 1.0, np.sin, np.cos, -np.sin(1.0), -np.cos(1.0)),
        "square": _smooth("x² at x = 1.3", 1.3, lambda x: x * x, lambda x: 2 * x, 2.0, 0.0),
        "convolution": _convolution(),
        "max pooling": _pooling(),
    }


def _smooth(words, at, function, slope, second, third):
    """A function of one number."""
    return Case(words, np.array([at]), (0,), function, lambda g, x: g * slope(x), float(second), float(third))


def _convolution():
    """The sum of exp over a convolution's outputs, as a function of the kernel; exp, since a sum alone has no curve."""
    weight = np.array([[0.3, -0.2], [0.5, 0.1]])[None, None]

    def function(weight):
        return np.exp(conv(PATCHES.astype(weight.dtype), weight))

    def backward(grad_output, weight):
        x = PATCHES.astype(weight.dtype)
        return conv_backward(grad_output * np.exp(conv(x, weight)), x, weight)[1]

    # Weight (0, 0) reads one element of each window: y grows by it for every unit of the weight.
    y, read = function(weight)[0, 0], PATCHES[0, 0, :2, :2]
    second, third = (float((y * read**order).sum()) for order in (2, 3))
    words = "the sum of exp(conv(x, weight)), along weight (0, 0)"
    return Case(words, weight, (0, 0, 0, 0), function, backward, second, third)


def _pooling():
    """A maximum whose runner-up is near."""
    x = np.array([[1.0 - GAP, 0.25], [1.0, 0.5]])[None, None]

    def backward(grad_output, x):
        indices = max_pool(x, 2, return_indices=True)[1]
        return max_pool_backward(grad_output, indices, x.shape)

    words = "max_pool over one 2 × 2 window, along its winner"
    return Case(words, x, (0, 0, 1, 0), lambda x: max_pool(x, 2), backward, 0.0, 0.0, GAP)
