"""What goes wrong in checking a gradient: a checker as a recipe, whose steps a mistake can change.

The checker is given a backward of max pooling, right or with a mistake of the catalogue, and accepts it or does not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import course_lib
from course_lib.exercises.misconceptions.max_pool import MAX_POOL_MISCONCEPTIONS
from course_lib.exercises.misconceptions.model import Case, Misconception, Operation
from course_lib.exercises.misconceptions.pooling import MAX_POOL, window_case

KNOWN = {entry.name: entry for entry in MAX_POOL_MISCONCEPTIONS}


@dataclass(frozen=True)
class Rules:
    """The steps of a gradient check.

    Attributes
    ----------
    upstream : callable
        From the upstream gradient of the case to the one that is used.
    dtype : type
        The type in which the outputs are computed.
    step : float
    slopes : callable
        From the left and the right slope of each element to the interval in which the gradient may lie.
    accepts : callable
        From the gradient, the lower and the upper end of the interval to whether it is right.
    """

    upstream: Callable
    dtype: type
    step: float
    slopes: Callable
    accepts: Callable


def check_recipe(rules, mistake, x, grad_output, kernel_size, stride, padding):
    """Whether a checker accepts the backward that has a mistake; "" for the right one."""
    geometry = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    upstream = rules.upstream(grad_output)
    changes = KNOWN[mistake].changes if mistake else {}
    tested = Case("tested", {"x": x, "grad_output": upstream, **geometry})
    gradient = MAX_POOL.results_with(changes, tested)["grad_input"]
    left, right = (slope(x, upstream, sign * rules.step, rules.dtype, geometry) for sign in (-1, 1))
    return {"accepted": np.array(rules.accepts(gradient, *rules.slopes(left, right)))}


def slope(x, upstream, step, dtype, geometry):
    """By how much the weighted sum of the outputs rises with each element, over a step to one side."""

    def loss(values):
        return np.sum(course_lib.max_pool(values.astype(dtype), **geometry) * upstream.astype(dtype), dtype=dtype)

    slopes = np.zeros(x.shape)
    for element in np.ndindex(x.shape):
        moved = x.copy()
        moved[element] += step
        slopes[element] = (loss(moved) - loss(x)) / step
    return slopes


def interval(left, right):
    """Between the two slopes: they are equal but at a kink, and there each number between is possible."""
    return np.minimum(left, right), np.maximum(left, right)


def central(left, right):
    """Their mean, as a central difference has it, whatever lies between."""
    return (left + right) / 2, (left + right) / 2


def relative(gradient, low, high):
    """Off by no more than a millionth of the largest slope."""
    return _beyond(gradient, low, high).max() <= 1e-6 * max(np.abs(low).max(), np.abs(high).max())


def absolute(gradient, low, high):
    """Off by no more than a fixed number."""
    return _beyond(gradient, low, high).max() <= 1e-4


def of_the_sum(gradient, low, high):
    """The sum over all elements alone."""
    return abs(gradient.sum() - (low + high).sum() / 2) <= 1e-6 * max(abs(gradient.sum()), 1)


def _beyond(gradient, low, high):
    """How far each element lies outside its interval."""
    return np.maximum(np.maximum(low - gradient, gradient - high), 0)


RULES = Rules(upstream=lambda given: given, dtype=np.float64, step=1e-6, slopes=interval, accepts=relative)


def right_check(mistake, x, grad_output, kernel_size, stride, padding):
    """Whether the backward is right for this input."""
    tested = Case("tested", {"x": x, "grad_output": grad_output, "kernel_size": kernel_size, "stride": stride,
                             "padding": padding})  # fmt: skip
    right = MAX_POOL.results(tested)["grad_input"]
    wrong = MAX_POOL.results_with(KNOWN[mistake].changes if mistake else {}, tested)["grad_input"]
    return {"accepted": np.array(wrong.shape == right.shape and np.allclose(wrong, right, rtol=1e-9, atol=0))}


GRADIENT_CHECK = Operation("gradient check", right_check, check_recipe, RULES)


def tested(mistake, rows, upstream, **geometry):
    """A backward with a mistake, and an input."""
    case = window_case(rows, upstream, kernel_size=2, padding=0, **geometry)
    return Case(f"{mistake or 'the right backward'}, {case.name}", {"mistake": mistake, **case.arguments})


_mistake = partial(Misconception, chapter="07", operation=GRADIENT_CHECK)
SQUARE = [[9, 2, 8], [3, 1, 4], [7, 5, 6]]

HARNESS_MISCONCEPTIONS = [
    _mistake(
        name="harness_ones",
        sentence="The upstream gradient is all ones. Exchanged rows and columns then look like the right ones: use "
        "random numbers.",
        smallest=tested("max_dy_transposed", SQUARE, [[1, 2], [4, 8]], stride=1),
        changes={"upstream": np.ones_like},
    ),
    _mistake(
        name="harness_absolute",
        sentence="The tolerance is a fixed number. With small upstream gradients every error is below it: compare with "
        "the size of the gradient.",
        smallest=tested("max_overwrite", [[1, 3, 2], [0, 1, 1]], [[1e-5, 4e-5]], stride=1),
        changes={"accepts": absolute},
    ),
    _mistake(
        name="harness_float32",
        sentence="The differences are taken in float32. Its rounding, divided by a small step, hides the gradient: "
        "check in float64.",
        smallest=tested("", [[1, 3], [0, 2]], [[0.3]], stride=1),
        changes={"dtype": np.float32},
    ),
    _mistake(
        name="harness_at_kink",
        sentence="At a tie, and at the 0 of a ReLU, the central difference is the mean of two slopes, which no rule "
        "for ties gives. Keep away from kinks, or ask whether the gradient lies between the slopes.",
        smallest=tested("", [[2, 2], [0, 1]], [[6]], stride=1),
        changes={"slopes": central},
    ),
    _mistake(
        name="harness_sum",
        sentence="Only the sum of the gradient is compared. A gradient that arrives at the wrong element has the right "
        "sum: compare element by element.",
        smallest=tested("max_local_offset", [[1, 2, 7], [3, 4, 5]], [[4, 9]], stride=1),
        changes={"accepts": of_the_sum},
    ),
    Misconception(
        name="harness_linear_loss",
        sentence="The error is plotted over the step for a function that is linear in the input. It has no truncation, "
        "so there is no U to be seen: take a loss that curves.",
        chapter="07",
        smallest=Case("f(x) = x at x = 1", {"x": 1.0}),
    ),
    Misconception(
        name="harness_data_order",
        sentence="Two versions are compared that see the data in another order. Their difference is then partly the "
        "order's: fix the seed and the order.",
        chapter="07",
        smallest=Case("two batches, exchanged", {"x": [[1], [2]]}),
    ),
]
