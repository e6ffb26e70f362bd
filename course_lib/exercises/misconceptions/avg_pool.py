"""What goes wrong in average pooling."""

from functools import partial

from course_lib.exercises.misconceptions import steps
from course_lib.exercises.misconceptions.model import Misconception
from course_lib.exercises.misconceptions.pooling import AVG_POOL, assign, first_largest, window_case

_mistake = partial(Misconception, operation=AVG_POOL)
WINDOW = window_case([[0, 3], [1, 4]], 8)
PAIR = window_case([[0, 3]], 8)

AVG_POOL_MISCONCEPTIONS = [
    _mistake(
        name="avg_divide_by_k",
        sentence="The gradient is divided by the side k of the window, not by the number of its elements, K = k·k.",
        chapter="02",
        smallest=WINDOW,
        changes={"share": steps.by_kernel_side},
    ),
    _mistake(
        name="avg_divide_twice",
        sentence="The gradient is divided by K twice. The mean divides once, and so does its backward.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.even_twice},
    ),
    _mistake(
        name="avg_not_divided",
        sentence="Every element gets the whole gradient. That is the backward of a sum; a mean gives each element 1/K.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.everyone},
    ),
    _mistake(
        name="avg_as_max",
        sentence="The largest element gets everything. That is max pooling: in a mean every element counts alike.",
        chapter="02",
        smallest=PAIR,
        changes={"share": first_largest},
    ),
    _mistake(
        name="avg_by_value",
        sentence="Each element's share is in proportion to its value. The derivative of a mean depends on no value.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.by_value},
    ),
    _mistake(
        name="avg_without_upstream",
        sentence="The local derivative 1/K stands there alone. The chain rule multiplies it by the upstream gradient.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.without_upstream},
    ),
    _mistake(
        name="avg_value_for_gradient",
        sentence="Every element holds the mean itself. The backward spreads the upstream gradient, not the output.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.times_mean},
    ),
    _mistake(
        name="avg_sign",
        sentence="The sign is turned. The minus belongs to the descent step, not to the gradient.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.against},
    ),
    _mistake(
        name="avg_overwrite",
        sentence="A later window overwrites what an earlier one sent. An element in several windows gets the sum: add.",
        chapter="03",
        smallest=window_case([[5]], [[8, 7], [8, 5]], kernel_size=2, stride=1, padding=1),
        changes={"write": assign},
    ),
]
