"""What goes wrong in max pooling."""

from functools import partial

import numpy as np

from course_lib.exercises.misconceptions import steps
from course_lib.exercises.misconceptions.model import Misconception
from course_lib.exercises.misconceptions.pooling import MAX_POOL, assign, even, is_largest, window_case


def windows_won(operation, case, index):
    """How many windows an element wins, from the gradient of the sum of all outputs."""
    arguments = case.fresh()
    arguments["grad_output"] = np.ones_like(arguments["grad_output"])
    count = operation.recipe(operation.rules, **arguments)["grad_input"][(0,) * (4 - len(index)) + index]
    return f"it wins {count:g} windows, and only one of them is kept"


def elements_tied(operation, case, index):
    """How many elements of a single window share its maximum."""
    x = case.fresh()["x"]
    return f"{np.count_nonzero(x == x.max())} elements share the maximum {x.max():g}" if _is_one_window(case) else ""


def _is_one_window(case):
    """Whether one window fills the plane."""
    return np.size(case.fresh()["grad_output"]) == 1


_mistake = partial(Misconception, operation=MAX_POOL)
WINDOW = window_case([[0, 3], [1, 2]], 8)
PAIR = window_case([[0, 3]], 8)
TIE = window_case([[0, 0]], 8)

MAX_POOL_MISCONCEPTIONS = [
    _mistake(
        name="max_as_average",
        sentence="Every element gets an equal share. That is average pooling: the maximum depends on its winner alone.",
        chapter="02",
        smallest=PAIR,
        changes={"share": even},
    ),
    _mistake(
        name="max_passthrough",
        sentence="Every element gets the whole upstream gradient, as if pooling let it pass. Only the winner does.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.everyone},
    ),
    _mistake(
        name="max_as_minimum",
        sentence="The smallest element gets the gradient. The output is the largest one: the gradient belongs there.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.smallest},
    ),
    _mistake(
        name="max_without_upstream",
        sentence="The local derivative stands there alone. The chain rule multiplies it by the upstream gradient.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.without_upstream},
    ),
    _mistake(
        name="max_value_for_gradient",
        sentence="The winner holds the maximum, as in unpooling. The backward puts the upstream gradient there.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.times_maximum},
    ),
    _mistake(
        name="max_times_value",
        sentence="The upstream gradient is multiplied by the maximum. The derivative at the winner is 1.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.times_both},
    ),
    _mistake(
        name="max_sign",
        sentence="The sign is turned. The minus belongs to the descent step, not to the gradient.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.against},
    ),
    _mistake(
        name="max_transposed",
        sentence="Rows and columns are exchanged. The gradient lies as the input lies.",
        chapter="02",
        smallest=WINDOW,
        changes={"finish": steps.transposed},
    ),
    _mistake(
        name="max_eqmask",
        sentence="Every tied element gets the whole gradient, as with the mask x == max: more arrives than was sent.",
        chapter="05",
        smallest=TIE,
        changes={"share": is_largest},
        shows=elements_tied,
    ),
    _mistake(
        name="max_tie_split",
        sentence="The tied elements share the gradient. Some functions do that; here the first one wins.",
        chapter="05",
        smallest=TIE,
        changes={"share": steps.equal_share},
        shows=elements_tied,
    ),
    _mistake(
        name="max_tie_last",
        sentence="The last of the tied elements gets the gradient, as a scan with >= finds it; here the first wins.",
        chapter="05",
        smallest=TIE,
        changes={"share": steps.last_largest},
        shows=elements_tied,
    ),
    _mistake(
        name="max_tie_column_first",
        sentence="The first of the tied elements was looked for column by column. Row-major order goes row by row.",
        chapter="05",
        smallest=window_case([[0, 1], [1, 0]], 8),
        changes={"share": steps.first_largest_by_column},
        shows=elements_tied,
    ),
    _mistake(
        name="max_zero_at_tie",
        sentence="No tied element gets anything, as if no derivative meant a derivative of 0. The gradient is lost.",
        chapter="05",
        smallest=TIE,
        changes={"share": steps.only_without_tie},
        shows=elements_tied,
    ),
    _mistake(
        name="max_overwrite",
        sentence="A later window overwrites what an earlier one sent. An element that wins several gets the sum: add.",
        chapter="03",
        smallest=window_case([[5]], [[8, 7], [8, 5]], kernel_size=2, stride=1, padding=1),
        changes={"write": assign},
        shows=windows_won,
    ),
    _mistake(
        name="max_zero_pad",
        sentence="Padding counts as 0 and wins against negative elements. In max pooling it counts as minus infinity.",
        chapter="04",
        smallest=window_case([[-1]], [[7]], kernel_size=2, stride=2, padding=1),
        changes={"pad_value": 0.0},
    ),
]
