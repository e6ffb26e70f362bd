"""Exercise 3: the gradient of one window, for max and average pooling, and what a tie needs."""

from course_lib.exercises.compare import number_text
from course_lib.exercises.exercise import Array, Choice, Exercise, Option
from course_lib.exercises.misconceptions import AVG_POOL, MAX_POOL
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.own_numbers import OwnNumbers
from course_lib.exercises.properties import RightChoice, Values

UPSTREAM = 6
WINDOW = window_case([[1, 4], [3, 2]], UPSTREAM)
TIED_WINDOW = window_case([[1, 5, 2], [5, 0, 5]], UPSTREAM)


def own_cases(window, tied_window, upstream):
    """The cases with a learner's own windows and upstream gradient."""
    whole = window_case(window, upstream)
    return whole, whole, window_case(tied_window, upstream)


def window_gradient(results):
    """The gradient of the only sample and channel."""
    return results["grad_input"][0, 0]


def sum_remark(case, yours, expected):
    """Pooling hands on what it was sent, no more and no less."""
    total, sent = yours.sum(), expected.sum()
    if abs(total - sent) < 1e-6 * abs(sent):
        return ""
    return f"Your elements sum to {number_text(total)}. Pooling was sent {number_text(sent)}, and hands on just that."


EXERCISE = Exercise(
    number=3,
    name="03_one_window_by_hand",
    title="One window by hand",
    stars=1,
    chapter="02",
    task="Find the gradient of one window under max and under average pooling, and say what a tie needs.",
    lines=4,
    allowed="Pencil and paper; NumPy, if you like.",
    answers=(
        Array("max_gradient"),
        Array("average_gradient"),
        Array("tie_gradient"),
        Choice(
            "tie_rule",
            {
                "a": Option(
                    "Nothing: tied elements are equal, so it makes no difference where the gradient goes.",
                    "tie_is_harmless",
                ),
                "b": Option(
                    "That each tied element receives the whole upstream gradient, since each is the maximum.",
                    "max_eqmask",
                ),
                "c": Option(
                    "Which tied element wins, or how they share, and that the backward uses what the forward used."
                ),
                "d": Option(
                    "Only that the backward finds a maximum: it may look for itself and take any of the tied ones.",
                    "tie_chosen_anew",
                ),
            },
        ),
    ),
    properties=(
        Values(
            name="max_gradient",
            points=2,
            answers=("max_gradient",),
            operation=MAX_POOL,
            cases=(WINDOW,),
            part=window_gradient,
            remark=sum_remark,
        ),
        Values(
            name="average_gradient",
            points=2,
            answers=("average_gradient",),
            operation=AVG_POOL,
            cases=(WINDOW,),
            part=window_gradient,
            remark=sum_remark,
        ),
        Values(
            name="tie_gradient",
            points=2,
            answers=("tie_gradient",),
            operation=MAX_POOL,
            cases=(TIED_WINDOW,),
            part=window_gradient,
            remark=sum_remark,
        ),
        RightChoice(name="tie_rule", points=2, answers=("tie_rule",)),
    ),
    hints=(
        "Raise one element of the window by a tiny amount and leave the others alone. By how much does the maximum "
        "rise? By how much does the mean?",
        "The answers to the first hint are local derivatives: for the maximum 1 at the winner and 0 elsewhere, for the "
        "mean the same small number everywhere. The chain rule multiplies each by the upstream gradient. At a tie, the "
        "rule makes one of the equal elements the winner.",
        "With g the upstream gradient and K the number of elements: max_gradient is zeros with g at the largest "
        "element, average_gradient is np.full((2, 2), g / K), and tie_gradient is zeros with g at the first of the "
        "largest that you meet when you read row by row. For tie_rule ask: which option makes the forward and the "
        "backward agree?",
    ),
    misconceptions=(
        "max_as_average",
        "max_passthrough",
        "max_as_minimum",
        "max_without_upstream",
        "max_value_for_gradient",
        "max_times_value",
        "max_sign",
        "max_transposed",
        "max_eqmask",
        "max_tie_split",
        "max_tie_last",
        "max_tie_column_first",
        "max_zero_at_tie",
        "avg_divide_by_k",
        "avg_divide_twice",
        "avg_not_divided",
        "avg_as_max",
        "avg_by_value",
        "avg_without_upstream",
        "avg_value_for_gradient",
        "avg_sign",
        "tie_is_harmless",
        "tie_chosen_anew",
    ),
    own=OwnNumbers({"window": (2, 2), "tied_window": (2, 3), "upstream": ()}, own_cases),
)
