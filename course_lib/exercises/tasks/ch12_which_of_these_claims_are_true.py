"""The task of chapter 12: mend two listings of max pooling's backward."""

import numpy as np

from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.misconceptions import MAX_POOL, Case
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.properties import Values

OVERLAPPING = {"kernel_size": 2, "stride": 1}
BORDERED = {"kernel_size": 2, "stride": 2, "padding": 1}
SHARED = window_case([[2, 8, 3], [1, 5, 4]], [[3, 7]], **OVERLAPPING)
CROWDED = window_case([[3, 1, 6], [2, 9, 4], [8, 5, 7]], [[1, 2], [4, 8]], **OVERLAPPING)
WHOLE = Case(
    "x = np.array([[2, 7], [5, 3]]), an array of integers, upstream gradient [[0.5]], k=2, s=2",
    {"x": np.array([[[[2, 7], [5, 3]]]]), "grad_output": [[[[0.5]]]], "kernel_size": 2, "stride": 2},
)
NEGATIVE = window_case([[-3, -8], [-6, -1]], [[5, 2], [7, 4]], **BORDERED)
MIXED = window_case([[-4, 2, -5], [-9, -7, 6], [-1, -3, -2]], [[1, 2], [3, 4]], **BORDERED)


def plane(results):
    """The gradient of the only sample and channel."""
    return results["grad_input"][0, 0]


def of_a(session, case):
    """The learner's gradient by listing A."""
    given = case.fresh()
    arguments = given["x"][0, 0], given["grad_output"][0, 0], given["kernel_size"], given["stride"]
    return session.array("the gradient", session.call("mended_a", *arguments, returns=("grad_input",)))


def of_c(session, case):
    """The learner's gradient by listing C."""
    given = case.fresh()
    arguments = given["x"][0, 0], given["grad_output"][0, 0], *(given[name] for name in BORDERED)
    return session.array("the gradient", session.call("mended_c", *arguments, returns=("grad_input",)))


EXERCISE = Exercise(
    number="12",
    name="12_which_of_these_claims_are_true",
    title="Mend two listings",
    stars=1,
    chapter="12",
    task="Mend listings A and C: one plane and its upstream gradient in, the gradient of the plane out.",
    lines=3,
    allowed="NumPy and loops; copy the listings.",
    answers=(Function("mended_a"), Function("mended_c")),
    properties=(
        Values("listing A: overlap", 2, ("mended_a",), MAX_POOL, (SHARED, CROWDED), plane, of_a),
        Values("listing A: integers", 1, ("mended_a",), MAX_POOL, (WHOLE,), plane, of_a),
        Values("listing C: negative numbers", 2, ("mended_c",), MAX_POOL, (NEGATIVE, MIXED), plane, of_c),
    ),
    hints=(
        "In listing A, ask what happens to an element that wins a second window, and which type of number its gradient "
        "is kept in. In listing C, ask what the padding holds, and whether it can be the largest.",
        "A gradient is collected, so it must be added. It has the type of the upstream gradient, whatever the input "
        "is. And padding must be smaller than every number.",
        "Listing A: np.zeros(x.shape, grad_output.dtype), and += in place of =. Listing C: np.pad(x, p, "
        "constant_values=-np.inf).",
    ),
    misconceptions=("max_overwrite", "max_int_dx", "max_zero_pad"),
    worked="Listing A: grad_input = np.zeros(x.shape, grad_output.dtype), and in the loop += in place of =.\n"
    "Listing C: padded = np.pad(x, p, constant_values=-np.inf). Nothing else need change.",
)
