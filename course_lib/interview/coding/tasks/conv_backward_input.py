"""The gradient of a convolution's input."""

import numpy as np

from course_lib.interview.coding import convs
from course_lib.interview.coding.draw import one_of
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "conv_backward_input"
ORDERS = (("grad_output", "weight", "input_shape"), ("weight", "input_shape", "grad_output"))
MISTAKES = (
    "conv_flip_dA", "conv_f1f2_swap", "conv_dA_overwrite", "conv_dA_dedup", "conv_dA_last_q", "conv_qc_swap",
    "conv_dA_not_full", "conv_no_crop", "conv_crop_shift", "conv_crop_empty", "conv_stride_ignored",
)  # fmt: skip


def variant(seed):
    """The layout, the order of the arguments, and dilation or groups are drawn."""
    rng = np.random.default_rng(seed)
    layout, order, extra = one_of(rng, *convs.WORDS), one_of(rng, *ORDERS), one_of(rng, *convs.EXTRAS)
    of = convs.operation()
    arguments = (*order, "stride", "padding", *([extra] if extra else []))
    asked = convs.ConvAsked(NAME, of, layout, arguments, "grad_input")
    words = convs.WORDS[layout]
    signature = f"def {NAME}({', '.join(arguments)}):"
    statement = (
        f"y is the convolution of x, {words['x']}, with `weight`, {words['weight']}, without a turned kernel: "
        f"cross-correlation. `grad_output`, {words['y']}, is the gradient of y, and `input_shape` is the shape of x. "
        "`stride` and `padding` are ints for both axes; the padding is zeros at both ends, and a remainder behind the "
        f"last window is in no window.{convs.EXTRAS[extra]} Return the gradient of x. Change no argument."
    )

    def call(*sizes):
        return asked.case(rng, extra, *sizes)

    properties = (
        asked.gives("one window", call((1, 1, 3, 3), (1, 1, 2, 2), 2), call((1, 1, 3, 5), (1, 1, 2, 3), 3)),
        asked.gives("overlap", call((1, 1, 4, 5), (1, 1, 2, 2)), call((1, 1, 5, 6), (1, 1, 3, 2))),
        asked.gives("stride and remainder", call((1, 1, 5, 6), (1, 1, 2, 2), 2), call((1, 1, 6, 8), (1, 1, 2, 2), 3)),
        asked.gives("borders", call((1, 1, 2, 3), (1, 1, 2, 2), 1, 1), call((1, 1, 4, 5), (1, 1, 3, 2), 2, 1)),
        asked.gives("channels", call((1, 2, 3, 3), (2, 2, 2, 2)), call((1, 2, 3, 4), (3, 2, 2, 1))),
        asked.gives("a batch", call((2, 1, 3, 3), (1, 1, 2, 2)), call((2, 2, 4, 4), (3, 2, 2, 2), 2, 1)),
        asked.keeps_inputs(call((2, 2, 4, 4), (2, 2, 2, 2), 2, 1)),
    )
    blank = skeleton(signature, f"The gradient of x, {words['x']}.")
    return Variant(statement, signature, properties, blank, convs.mistakes(of, MISTAKES, extra))


TASK = Task(
    name="conv-backward-input",
    title="The gradient of a convolution's input",
    minutes=40,
    topic="Convolution",
    level=3,
    variant=variant,
    why="Run the forward backwards: wherever a window multiplied an element by a weight, the gradient comes back "
    "through the same weight, and windows that overlap add. Written as a scatter, nothing is turned. Written as a "
    "gather it is a full convolution with the rotated kernel, with a stride as gaps in grad_output; say why, and take "
    "the form that you can finish.",
    hints=(
        "Which outputs contain element (u, v) of x, and by which weight was it multiplied in each?",
        "For each tap (a, b) every window sends grad_output times weight[..., a, b] to one element. Add, in an array "
        "of the padded size, and cut at the end.",
        "part = np.einsum('nohw,oc->nchw', grad_output, weight[:, :, a, b]); padded[:, :, a * d : ... : s, b * d : "
        "... : s] += part; return padded[:, :, p : p + H, p : p + W].",
    ),
    chapter="06",
)
