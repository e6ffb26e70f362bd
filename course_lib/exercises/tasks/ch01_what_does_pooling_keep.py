"""The task of chapter 01: how many outputs, what one of them is, and what is gone."""

import numpy as np

from course_lib.exercises.exercise import Array, Choice, Exercise, Option
from course_lib.exercises.fill_in import RightFormula
from course_lib.exercises.formulas import Formula
from course_lib.exercises.misconceptions import AVG_POOL, MAX_POOL, Case
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.properties import RightChoice, Values

FLOOR = Case(
    "an input of 11 × 12, kernel_size=4, stride=3, padding=2",
    {"x": np.zeros((1, 1, 11, 12)), "grad_output": np.zeros((1, 1, 4, 5)), "kernel_size": 4, "stride": 3, "padding": 2},
)
CEIL = Case(
    "an input of 10 × 12, kernel_size=4, stride=3, ceil_mode=True",
    {"x": np.zeros((1, 1, 10, 12)), "grad_output": np.zeros((1, 1, 3, 4)), "kernel_size": 4, "stride": 3,
     "ceil_mode": True},
)  # fmt: skip
CORNER = window_case([[-6, -3, -8], [-2, -7, -1], [-5, -9, -4]], [[0, 0], [0, 0]], kernel_size=3, stride=2, padding=1)
WINDOW = window_case([[3, 8, 1], [7, 2, 9]], 0)


def shape(results):
    """Rows and columns of the output."""
    return np.array(results["y"].shape[2:])


def first_output(results):
    """The output of the first window; 0 where a mistake leaves none."""
    return results["y"][0, 0, :1, :1].sum()


EXERCISE = Exercise(
    number="01",
    name="01_what_does_pooling_keep",
    title="Sizes, one maximum, one mean",
    stars=1,
    chapter="01",
    task="Find how many outputs three poolings have, and compute one output of each kind by hand.",
    lines=6,
    allowed="Pencil and paper.",
    answers=(
        Array("floor_shape"),
        Array("ceil_shape"),
        Formula("dilated_size"),
        Array("corner_max"),
        Array("window_mean"),
        Choice(
            "kept",
            {
                "a": Option("The largest value and its place in the window.", "pool_keeps_place"),
                "b": Option("The largest value, and neither its place nor the others."),
                "c": Option("What the weights of the pool, which are learned, find important.", "pool_learns"),
            },
        ),
    ),
    properties=(
        Values("floor_shape", 2, ("floor_shape",), MAX_POOL, (FLOOR,), shape),
        Values("ceil_shape", 1, ("ceil_shape",), AVG_POOL, (CEIL,), shape),
        RightFormula(
            "dilated_size",
            1,
            ("dilated_size",),
            "(11 - 2*(3 - 1) - 1)//2 + 1",
            {
                "size_without_dilation": ("(11 - 3)//2 + 1",),
                "size_dilation_times_k": ("(11 - 2*3)//2 + 1",),
                "size_dilated_off_by_one": ("(11 - 2*(3 - 1) - 1)//2",),
            },
        ),
        Values("corner_max", 1, ("corner_max",), MAX_POOL, (CORNER,), first_output),
        Values("window_mean", 1, ("window_mean",), AVG_POOL, (WINDOW,), first_output),
        RightChoice("kept", 1, ("kept",)),
    ),
    hints=(
        "Along one axis: where does the first window start, and where is the last place at which a whole window still "
        "fits? Padding moves both.",
        "A window starts every s elements. Between the first start and the last possible one lie H + 2·p − k elements, "
        "so there are that many, divided by s, steps, and one window more than steps. A kernel with dilation d reaches "
        "over d·(k − 1) + 1 elements. Padding can never be a maximum.",
        "floor_shape is ((11 + 2·2 − 4) // 3 + 1, (12 + 2·2 − 4) // 3 + 1). With ceil_mode the division is rounded up "
        "instead, and nothing is padded here. Dilated, the kernel reaches over 2·(3 − 1) + 1 = 5 elements. The corner "
        "window holds only four real elements, and its maximum is the largest of these. The mean divides by 2·3.",
    ),
    misconceptions=(
        "max_size_without_padding",
        "max_size_padding_once",
        "max_size_off_by_one",
        "max_size_by_division",
        "max_size_rounded_up",
        "avg_ceil_ignored",
        "avg_size_off_by_one",
        "size_without_dilation",
        "size_dilation_times_k",
        "size_dilated_off_by_one",
        "max_zero_pad",
        "avg_divide_by_k",
        "avg_not_divided",
        "pool_keeps_place",
        "pool_learns",
    ),
    worked="Rounded down: (11 + 4 − 4) / 3 is 3 and a rest, so there are 4 rows; (12 + 4 − 4) / 3 is 4, so there are 5 "
    "columns.\nRounded up: (10 − 4) / 3 is 2, so there are 3 rows; (12 − 4) / 3 is 2 and a rest, so there are 3 steps "
    "and 4 columns.\nWith dilation 2 the kernel reaches over 5 of the 11 elements: (11 − 5) / 2 is 3, so there are 4 "
    "outputs.\nThe corner window holds −6, −3, −2 and −7 beside the padding, which is −∞: its maximum is −2. The mean "
    "is 30 / 6 = 5.\nThe output holds the largest value and no place (b). So the forward pass can return indices too.",
)
