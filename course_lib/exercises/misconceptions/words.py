"""What goes wrong in words: the wrong answers of multiple choices, each with an input that refutes it."""

from course_lib.exercises.misconceptions.model import Misconception
from course_lib.exercises.misconceptions.pooling import window_case

WORD_MISCONCEPTIONS = [
    Misconception(
        name="tie_is_harmless",
        sentence="Equal values give one output, but where the gradient lands still depends on a choice: of two equal "
        "elements, raising either raises the maximum, and lowering either alone does not lower it.",
        chapter="05",
        smallest=window_case([[2, 2]], 1),
    ),
    Misconception(
        name="tie_chosen_anew",
        sentence="If the backward chooses by a rule of its own, the gradient may go to an element that the forward did "
        "not take, and two runs of one model may differ.",
        chapter="05",
        smallest=window_case([[2, 2]], 1),
    ),
]
