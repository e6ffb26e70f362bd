"""Exercise 2: the backward of one small convolution on paper, and what such an example cannot show."""

from course_lib.exercises.exercise import Array, Choice, Exercise, Option
from course_lib.exercises.misconceptions import CONV
from course_lib.exercises.misconceptions.convolution import plane_case
from course_lib.exercises.own_numbers import OwnNumbers
from course_lib.exercises.properties import RightChoice, Values

ONES = [[1, 1], [1, 1]]
PLANE = plane_case([[1, 2, 3], [4, 5, 6], [7, 8, 9]], ONES, ONES)


def own_cases(x, grad_output):
    """The cases with a learner's own input and upstream gradients."""
    return (plane_case(x, ONES, grad_output),) * 3


def of_the_only_plane(name):
    """The gradient of the only sample and channels, from the results."""
    return lambda results: results[name][0, 0]


EXERCISE = Exercise(
    number=2,
    name="02_convolution_on_paper",
    title="A convolution on paper",
    stars=1,
    chapter="06",
    task="Find the three gradients of a convolution by hand, and say what such a small example cannot show.",
    lines=5,
    allowed="Pencil and paper; NumPy, if you like.",
    answers=(
        Array("grad_weight"),
        Array("grad_input"),
        Array("grad_bias"),
        Choice(
            "why_four",
            {
                "a": Option(
                    "Because 5, in the middle of the input, is also the middle of its values.", "conv_by_value"
                ),
                "b": Option(
                    "Because the kernel's elements sum to 4, and each element of the input receives that sum.",
                    "conv_kernel_sum",
                ),
                "c": Option(
                    "Because four windows hold the middle, and each sends it its upstream gradient times a weight: "
                    "1 · 1."
                ),
            },
        ),
        Choice(
            "what_stays_hidden",
            {
                "a": Option("A backward that turns the kernel by 180° before it sends the input's gradient."),
                "b": Option(
                    "A backward that writes the input's gradient with = where it should add.", "overwrite_hides"
                ),
                "c": Option("A backward that takes the mean for the bias, and not the sum.", "bias_mean_hides"),
                "d": Option("A backward that returns the kernel's gradient turned by 180°.", "flipped_dW_hides"),
            },
        ),
    ),
    properties=(
        Values("grad_weight", 2, ("grad_weight",), CONV, (PLANE,), of_the_only_plane("grad_weight")),
        Values("grad_input", 2, ("grad_input",), CONV, (PLANE,), of_the_only_plane("grad_input")),
        Values("grad_bias", 1, ("grad_bias",), CONV, (PLANE,), lambda results: results["grad_bias"][0]),
        RightChoice("why_four", 1, ("why_four",)),
        RightChoice("what_stays_hidden", 2, ("what_stays_hidden",)),
    ),
    hints=(
        "Write each of the four outputs as a sum of nine terms or fewer. Which outputs contain the weight in the upper "
        "left, and what does it stand beside there? Which outputs contain the 5?",
        "A weight gets, from each output, the element of the input that it was multiplied with, times the upstream "
        "gradient. An element of the input gets, from each output that holds it, the weight that it was multiplied "
        "with, times the upstream gradient. Where these are 1, you only add and count.",
        "grad_weight[u, v] is a sum over the part of the input with two rows and two columns that begins at (u, v), "
        "each element times the upstream gradient of its window: with ones the first is 1 + 2 + 4 + 5. "
        "grad_input[a, b] is the sum of the upstream gradients of the windows that hold (a, b), one in a corner, and "
        "grad_bias that of all windows. For the last question ask of each mistake: which number on your paper would "
        "it change?",
    ),
    misconceptions=(
        "conv_flip_dW",
        "conv_dW_mean",
        "conv_dW_one_window",
        "conv_dA_overwrite",
        "conv_dA_dedup",
        "conv_dA_not_full",
        "conv_bias_batch_only",
        "conv_bias_mean",
        "conv_by_value",
        "conv_kernel_sum",
        "overwrite_hides",
        "bias_mean_hides",
        "flipped_dW_hides",
    ),
    own=OwnNumbers({"x": (3, 3), "grad_output": (2, 2)}, own_cases),
)
