"""The task of chapter 05: a tied input under two rules, and when a backward may choose the winner again."""

from course_lib.exercises.compare import number_text
from course_lib.exercises.exercise import Array, Choice, Exercise, Option
from course_lib.exercises.misconceptions import MAX_POOL
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.misconceptions.ties import SPLIT_POOL
from course_lib.exercises.properties import RightChoice, Values

TIED = window_case([[2, 6, 6, 1], [6, 3, 6, 6]], [[2, 6, 3]], kernel_size=2, stride=1)


def plane(results):
    """The gradient of the only sample and channel."""
    return results["grad_input"][0, 0]


def sum_remark(case, yours, expected):
    """Every fair rule hands on what it was sent."""
    total, sent = yours.sum(), expected.sum()
    if abs(total - sent) < 1e-6 * abs(sent):
        return ""
    return f"Your elements sum to {number_text(total)}. The three windows were sent {number_text(sent)} together."


EXERCISE = Exercise(
    number="05",
    name="05_who_wins_a_tie",
    title="One input, two rules",
    stars=1,
    chapter="05",
    task="Find the gradient of a tied input under two rules, and say when a backward may choose the winner again.",
    lines=3,
    allowed="Pencil and paper; NumPy, if you like.",
    answers=(
        Array("first_gradient"),
        Array("split_gradient"),
        Choice(
            "again",
            {
                "a": Option("Always: the maximum of a window is the same whoever looks for it.", "any_search_finds_it"),
                "b": Option("When it searches in the same input as the forward, by the same rule."),
                "c": Option(
                    "Never: the winner must be saved, because floating-point numbers cannot be compared exactly.",
                    "winner_must_be_saved",
                ),
                "d": Option("When no value is below zero.", "sign_decides"),
            },
        ),
    ),
    properties=(
        Values("first_gradient", 2, ("first_gradient",), MAX_POOL, (TIED,), plane, remark=sum_remark),
        Values("split_gradient", 2, ("split_gradient",), SPLIT_POOL, (TIED,), plane, remark=sum_remark),
        RightChoice("again", 1, ("again",)),
    ),
    hints=(
        "Write the three windows one below the other. Which elements of each equal its maximum? Which elements of the "
        "input lie in two windows?",
        "In the first window two elements tie, in each of the others three. Under the rule first, the one that comes "
        "first row by row takes all; under split, each takes an equal part. What an element gets from two windows is "
        "added.",
        "first_gradient: 2 and 6 arrive at row 0, column 1, and 3 at row 0, column 2. split_gradient: the first window "
        "sends 2/2 to two elements, the second 6/3 to three, the last 3/3 to three. For the letter: which of the "
        "chapter's four searches found every winner again?",
    ),
    misconceptions=(
        "max_eqmask",
        "max_tie_split",
        "max_tie_last",
        "max_tie_column_first",
        "max_zero_at_tie",
        "max_overwrite",
        "max_passthrough",
        "max_as_average",
        "max_stride_is_k",
        "split_first",
        "split_last",
        "split_mask",
        "split_among_all",
        "split_overwrite",
        "any_search_finds_it",
        "winner_must_be_saved",
        "sign_decides",
    ),
    worked="The windows are [2, 6; 6, 3], [6, 6; 3, 6] and [6, 1; 6, 6].\nFirst: the winners are the 6 at row 0, "
    "column 1, twice, and the 6 at row 0, column 2: 2 + 6 = 8 and 3. So first_gradient is [[0, 8, 3, 0], "
    "[0, 0, 0, 0]].\n"
    "Split: the first window gives 1 to each of two, the second 2 to each of three, the last 1 to each of three. So "
    "split_gradient is [[0, 3, 3, 0], [1, 0, 3, 1]]. Both sum to 11.\nAnd b: from the same input, by the same rule.",
)
