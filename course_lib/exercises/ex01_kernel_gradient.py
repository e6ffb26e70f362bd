"""Exercise 1: the gradients of a convolution, derived index by index."""

from course_lib.exercises.exercise import Choice, Exercise, Option
from course_lib.exercises.fill_in import Indices, RightFormula, RightIndices, Text, Ticked, Ticks
from course_lib.exercises.formulas import Formula
from course_lib.exercises.properties import RightChoice

PLACES = {"r": (0, 9), "s": (0, 9), "u": (0, 4), "v": (0, 4)}
ELEMENTS = {"a": (4, 13), "b": (4, 13), "r": (0, 9), "s": (0, 9)}
RUBRIC = {
    "a": "the loss depends on one weight through every output of its channel, in every sample and at every position",
    "b": "the total derivative adds the contributions of all these routes, and each is an upstream gradient times an "
    "element of the input",
    "c": "the division by m is in every upstream gradient already, where the loss is a mean",
}


def index(name, right, ranges, wrong):
    """One point for an index."""
    return RightFormula(name, 1, (name,), right, wrong, ranges)


def marked(letter):
    """One point for what the learner's text says."""
    return Ticked(f"own words, {letter}", 1, ("own_words", "ticked"), letter, RUBRIC[letter])


EXERCISE = Exercise(
    number=1,
    name="01_kernel_gradient",
    title="The kernel's gradient, index by index",
    stars=2,
    chapter="06",
    task="Derive the gradients of a convolution from its formula, and say why the kernel's is a sum.",
    lines=14,
    allowed="Pencil and paper.",
    answers=(
        Choice(
            "which_outputs",
            {
                "a": Option("Z[i, q, u, v] alone, one in each sample.", "weight_used_once"),
                "b": Option("Z[i, p, r, s] for every i, p, r and s.", "weight_feeds_all_outputs"),
                "c": Option("Z[i, q, r, s] for every i, r and s, and for this q."),
            },
        ),
        Formula("row", tuple(PLACES)),
        Formula("column", tuple(PLACES)),
        Indices("weight_sum", "iqcrsuv"),
        Indices("bias_sum", "iqcrsuv"),
        Formula("tap_row", tuple(ELEMENTS)),
        Formula("tap_column", tuple(ELEMENTS)),
        Indices("input_sum", "iqcrsuv"),
        Formula("first_window", ("a", "kh")),
        Formula("ratio", ("m",)),
        Choice(
            "why_a_sum",
            {
                "a": Option(
                    "So that the gradient has the shape of the kernel; a mean would do as well.",
                    "sum_is_mean",
                ),
                "b": Option(
                    "Because one weight is one variable, used many times: the total derivative adds over its uses."
                ),
                "c": Option(
                    "Because frameworks agreed to add over the batch; one could also take the last sample.",
                    "sum_is_convention",
                ),
            },
        ),
        Text("own_words"),
        Ticks("ticked", "abc"),
    ),
    properties=(
        RightChoice("which_outputs", 1, ("which_outputs",)),
        index(
            "row",
            "r + u",
            PLACES,
            {
                "index_minus": ("r - u",),
                "index_from_one": ("r + u - 1", "r + u + 1"),
                "index_without_window": ("u",),
                "index_without_tap": ("r",),
                "index_turned": ("u - r",),
                "index_axes_swapped": ("s + v", "r + v", "s + u"),
            },
        ),
        index(
            "column",
            "s + v",
            PLACES,
            {
                "index_minus": ("s - v",),
                "index_from_one": ("s + v - 1", "s + v + 1"),
                "index_without_window": ("v",),
                "index_without_tap": ("s",),
                "index_turned": ("v - s",),
                "index_axes_swapped": ("r + u", "r + v", "s + u"),
            },
        ),
        RightIndices(
            "weight_sum",
            2,
            ("weight_sum",),
            "irs",
            {
                "sum_without_samples": ("rs",),
                "sum_without_positions": ("i",),
                "sum_over_outputs": ("iqrs", "qrs"),
                "sum_over_inputs": ("icrs", "crs"),
            },
        ),
        RightIndices(
            "bias_sum",
            1,
            ("bias_sum",),
            "irs",
            {
                "sum_without_samples": ("rs",),
                "sum_without_positions": ("i",),
                "sum_over_outputs": ("iqrs", "qrs"),
            },
        ),
        index(
            "tap_row",
            "a - r",
            ELEMENTS,
            {
                "index_plus": ("a + r",),
                "index_turned": ("r - a",),
                "index_axes_swapped": ("b - s", "a - s", "b - r"),
                "index_from_one": ("a - r + 1", "a - r - 1"),
                "index_without_window": ("a",),
                "index_without_tap": ("r",),
            },
        ),
        index(
            "tap_column",
            "b - s",
            ELEMENTS,
            {
                "index_plus": ("b + s",),
                "index_turned": ("s - b",),
                "index_axes_swapped": ("a - r", "a - s", "b - r"),
                "index_from_one": ("b - s + 1", "b - s - 1"),
                "index_without_window": ("b",),
                "index_without_tap": ("s",),
            },
        ),
        RightIndices(
            "input_sum",
            2,
            ("input_sum",),
            "qrs",
            {
                "sum_without_outputs": ("rs",),
                "sum_without_positions": ("q",),
                "sum_over_samples": ("iqrs", "irs"),
                "sum_over_inputs": ("qcrs", "crs"),
            },
        ),
        index(
            "first_window",
            "a - kh + 1",
            {"a": (6, 15), "kh": (1, 5)},
            {"off_by_one": ("a - kh", "a - kh + 2"), "index_without_tap": ("a",), "index_plus": ("a + kh - 1",)},
        ),
        index(
            "ratio",
            "1 / m",
            {"m": (2, 64)},
            {"division_harmless": ("1",), "ratio_turned": ("m",), "ratio_squared": ("1 / m**2",)},
        ),
        RightChoice("why_a_sum", 1, ("why_a_sum",)),
        *map(marked, RUBRIC),
    ),
    hints=(
        "Take a kernel of two weights and an input of three elements, and write both outputs out in full. Which of "
        "them move when you move the first weight? Which when you move the second element of the input?",
        "The chain rule for one weight: add, over all outputs that contain it, the upstream gradient times the "
        "derivative of that output with respect to the weight. That derivative is the element which the weight stands "
        "beside. For an element of the input, read the same index equation, row = r + u, the other way round.",
        "dZ[i, q, r, s]/dW[q, c, u, v] = A[i, c, r + u, s + v], and the outputs differ in i, r and s. dZ/db = 1. With "
        "a = r + u the tap is u = a - r, which must lie between 0 and kh - 1: so r is at most a, and at least? If each "
        "upstream gradient holds 1/m, so does their sum.",
    ),
    misconceptions=(
        "weight_used_once",
        "weight_feeds_all_outputs",
        "index_minus",
        "index_plus",
        "index_from_one",
        "index_without_window",
        "index_without_tap",
        "index_turned",
        "index_axes_swapped",
        "off_by_one",
        "sum_without_samples",
        "sum_without_positions",
        "sum_over_outputs",
        "sum_over_samples",
        "sum_without_outputs",
        "sum_over_inputs",
        "sum_is_mean",
        "sum_is_convention",
        "division_harmless",
        "ratio_turned",
        "ratio_squared",
    ),
)
