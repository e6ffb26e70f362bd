"""The task of chapter 13: mark an answer by the rubric, and expose the code that it describes."""

from course_lib.exercises.exercise import Choice, Exercise, Option
from course_lib.exercises.properties import RightChoice

EXERCISE = Exercise(
    number="13",
    name="13_could_i_explain_it_in_60_seconds",
    title="Mark an answer",
    stars=1,
    chapter="13",
    task="Mark the answer in the chapter: what was not said, which move is missing, and which input exposes its code.",
    lines=3,
    allowed="The chapter.",
    answers=(
        Choice(
            "missing",
            {
                "a": Option("that it works on each sample and channel by itself", "point_was_said"),
                "b": Option("that the winner is recorded", "point_was_said"),
                "c": Option("that gradients of several windows add"),
                "d": Option("that the others get zero", "point_was_said"),
            },
        ),
        Choice(
            "move",
            {
                "a": Option("record", "point_was_said"),
                "b": Option("route", "point_was_said"),
                "c": Option("test"),
            },
        ),
        Choice(
            "exposing",
            {
                "a": Option("4 × 4, kernel_size=2, stride=2", "tiles_hide_overwriting"),
                "b": Option("2 × 3 with the largest number in the middle, kernel_size=2, stride=1"),
                "c": Option("two equal numbers in one window, kernel_size=2, stride=2", "ties_hide_overwriting"),
            },
        ),
    ),
    properties=(
        RightChoice("missing", 1, ("missing",)),
        RightChoice("move", 1, ("move",)),
        RightChoice("exposing", 1, ("exposing",)),
    ),
    hints=(
        "Go through the row *must* of the rubric and underline, in the answer, the words that cover each point.",
        "The answer says 'write the gradient to the saved positions'. What if two windows saved the same position? And "
        "does it say anywhere how you would find out?",
        "Nothing is said about adding, which is the move accumulate, and nothing about testing. An input exposes the "
        "first if one element wins two windows, so the windows must overlap.",
    ),
    misconceptions=("point_was_said", "tiles_hide_overwriting", "ties_hide_overwriting"),
    worked="missing is c: gradients are written, and never added.\nmove is c: nothing is said about tests.\n"
    "exposing is b: the middle wins both windows, and only the second gradient would stay.",
)
