"""Average pooling backward with its rules for the divisor."""

import numpy as np

from course_lib.interview.coding import averages
from course_lib.interview.coding.draw import one_of
from course_lib.interview.coding.images import Images, words
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "avg_pool_backward"
LAYOUTS = ("NCHW", "NHWC", "CHWN", "HW")
# What cannot happen in one plane.
BATCHES = "avg_channel_mix", "avg_batch_mix", "avg_layout"
ORDERS = (("grad_output", "input_shape"), ("input_shape", "grad_output"))


def variant(seed):
    """The divisor, the layout, the order of the arguments and whether windows are rectangular are drawn."""
    rng = np.random.default_rng(seed)
    rule = one_of(rng, averages.COUNTED, averages.REAL, int(rng.integers(5, 9)))
    layout, order, pairs = one_of(rng, *LAYOUTS), one_of(rng, *ORDERS), one_of(rng, False, True)
    of = averages.operation(rule)
    asked = Images(NAME, of, layout, (*order, "kernel_size", "stride", "padding"), "grad_input")
    signature = f"def {NAME}({', '.join(asked.arguments)}):"
    sizes = "each a pair (rows, columns)" if pairs else "each one int for both axes"
    statement = (
        f"Write the backward of 2-D average pooling. `input_shape` is {words(layout)}, and `grad_output` has the same "
        f"layout with the pooled sizes. `kernel_size`, `stride` and `padding` are {sizes}. The forward padded x with "
        f"zeros at both ends, at most half of the kernel, and took the windows that lie inside. {averages.said(rule)}. "
        "Return the gradient of x, of shape `input_shape`. Change no argument."
    )

    def pool(shape, *geometry):
        both = ((size, size) if isinstance(size, int) else size for size in geometry)
        return asked.case(rng, shape, *(both if pairs else geometry))

    tall = ((3, 2), (2, 1), (1, 0)) if pairs else (3, 2, 1)
    wide = ((1, 3), (1, 2), (0, 1)) if pairs else (2, 1, 1)
    properties = (
        asked.gives("windows side by side", pool((1, 1, 2, 4), 2, 2, 0), pool((1, 1, 6, 6), 3, 3, 0)),
        asked.gives("overlap", pool((1, 1, 3, 4), 2, 1, 0), pool((1, 1, 5, 5), 3, 1, 0)),
        asked.gives("borders", pool((1, 1, 2, 2), 2, 2, 1), pool((1, 1, 5, 5), 3, 2, 1), pool((1, 1, 5, 4), *tall)),
        asked.gives("gaps and remainders", pool((1, 1, 5, 7), 2, 3, 0), pool((1, 1, 4, 6), *wide)),
        *([asked.gives("batch and channels", pool((2, 2, 2, 2), 2, 2, 0), pool((2, 3, 5, 4), *tall))]
          if layout != "HW" else []),
        asked.keeps_inputs(pool((2, 3, 5, 4), *tall)),
    )  # fmt: skip
    impossible = (*(() if pairs else ("avg_square_only",)), *(BATCHES if layout == "HW" else ()))
    blank = skeleton(signature, f"The gradient of x, {words(layout)}.")
    return Variant(
        statement, signature, properties, blank, averages.mistakes(of, "grad_input", rule, without=impossible)
    )


TASK = Task(
    name="average-pool-backward",
    title="Average pooling backward with its divisor rules",
    minutes=18,
    topic="Where the gradient goes",
    level=2,
    variant=variant,
    why="The backward divides by what the forward divided by, window by window, and adds where windows overlap. It "
    "needs no value of x, only its shape: saying so first shows that the derivative of a mean is understood.",
    hints=(
        "By how much does a window's mean rise if one of its elements rises by one? Does the element's value matter?",
        "Add grad_output / divisor to every real element of the window. Padding has no place in the gradient.",
        "Add into zeros of the padded size, grad[r : r + k, c : c + k] += grad_output[i, j] / divisor, and cut "
        "[p : p + H] at the end.",
    ),
    chapter="04",
)
