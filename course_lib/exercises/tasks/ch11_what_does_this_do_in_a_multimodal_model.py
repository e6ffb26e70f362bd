"""The task of chapter 11: a maximum over words, a clipped branch, and two faults to find."""

import numpy as np

from course_lib.exercises.exercise import Array, Choice, Exercise, Option
from course_lib.exercises.fill_in import RightFormula
from course_lib.exercises.formulas import Formula
from course_lib.exercises.misconceptions import MAX_POOL
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.properties import RightChoice, Values

PLACES = window_case([[2, 5, 5, -np.inf]], 6, kernel_size=(1, 4), stride=(1, 4))


def row(results):
    """The gradient of the four places."""
    return results["grad_input"][0, 0, 0]


EXERCISE = Exercise(
    number="11",
    name="11_what_does_this_do_in_a_multimodal_model",
    title="Two branches by hand",
    stars=1,
    chapter="11",
    task="Send a gradient through a maximum over words, clip two branches together, and find two faults.",
    lines=4,
    allowed="Pencil and paper.",
    answers=(
        Array("token_gradient"),
        Formula("clipped"),
        Choice(
            "cause",
            {
                "a": Option("Max pooling made the gradient so sparse that it died out.", "sparse_dies"),
                "b": Option("The image features were detached before the fusion."),
                "c": Option("An empty text sent −∞ into the fusion.", "infinity_is_silent"),
                "d": Option("The loss was not scaled.", "unscaled_cuts"),
            },
        ),
        Choice(
            "empty",
            {
                "a": Option("At the loss: multiply the sample's loss by 0.", "zero_times_nan"),
                "b": Option("At the result of the maximum: replace −∞ by zeros or by a learned vector."),
                "c": Option(
                    "In the pool: let padding count as zero, so that it wins where nothing else is.", "pad_wins"
                ),
            },
        ),
    ),
    properties=(
        Values("token_gradient", 1, ("token_gradient",), MAX_POOL, (PLACES,), row),
        RightFormula(
            "clipped",
            1,
            ("clipped",),
            "3/5",
            {"clip_each": ("1",), "clip_by_sum": ("3/7",), "clip_none": ("3",)},
        ),
        RightChoice("cause", 1, ("cause",)),
        RightChoice("empty", 1, ("empty",)),
    ),
    hints=(
        "Which words hold the maximum, and which of them takes the gradient? And what is the norm of two gradients "
        "together?",
        "The first 5 takes all 6. Norms add like the sides of a right triangle. For the faults ask what each cause "
        "would "
        "leave in the table: zeros, no gradient, NaN, or small numbers.",
        "[0, 6, 0, 0]. Together the norm is 5, so everything is divided by 5. Only what was detached has no gradient "
        "at "
        "all. −∞ must be replaced before anything is calculated with it.",
    ),
    misconceptions=(
        "max_tie_last",
        "max_tie_split",
        "max_eqmask",
        "max_as_average",
        "clip_each",
        "clip_by_sum",
        "clip_none",
        "sparse_dies",
        "infinity_is_silent",
        "unscaled_cuts",
        "zero_times_nan",
        "pad_wins",
    ),
    worked="The first 5 wins: [0, 6, 0, 0].\nThe norm of both is 5, so each is divided by 5: 3/5.\nb: a detached "
    "branch "
    "gets nothing. Zeros would be few or many, −∞ would show as NaN, an unscaled loss as small numbers.\nb: replace −∞ "
    "where it appears. 0 · NaN is NaN, and a padding that counts as zero wins wherever all words are negative.",
)
