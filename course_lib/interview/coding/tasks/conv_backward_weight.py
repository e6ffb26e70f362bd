"""The gradient of a convolution's weight."""

import numpy as np

from course_lib.interview.coding import convs
from course_lib.interview.coding.draw import one_of
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "conv_backward_weight"
ORDERS = (("x", "grad_output"), ("grad_output", "x"))
MISTAKES = (
    "conv_flip_dW", "conv_div_m_twice", "conv_dW_mean", "conv_dW_last_sample", "conv_dW_one_window",
    "conv_stride_ignored",
)  # fmt: skip


def variant(seed):
    """The layout, the order of the arguments, and dilation or groups are drawn."""
    rng = np.random.default_rng(seed)
    layout, order, extra = one_of(rng, *convs.WORDS), one_of(rng, *ORDERS), one_of(rng, *convs.EXTRAS)
    of = convs.operation()
    arguments = (*order, "kernel_size", "stride", "padding", *([extra] if extra else []))
    asked = convs.ConvAsked(NAME, of, layout, arguments, "grad_weight")
    words = convs.WORDS[layout]
    signature = f"def {NAME}({', '.join(arguments)}):"
    statement = (
        f"y is the convolution of `x`, {words['x']}, with a weight {words['weight']}, without a turned kernel: "
        f"cross-correlation. `grad_output`, {words['y']}, is the gradient of y. `kernel_size` is (kh, kw); `stride` "
        f"and `padding` are ints for both axes, and the padding is zeros at both ends.{convs.EXTRAS[extra]} Return the "
        "gradient of the weight, in the weight's shape. Change no argument."
    )

    def call(*sizes):
        return asked.case(rng, extra, *sizes)

    properties = (
        asked.gives("overlap", call((1, 1, 3, 3), (1, 1, 2, 2)), call((1, 1, 4, 5), (1, 1, 2, 3))),
        asked.gives("stride", call((1, 1, 5, 6), (1, 1, 2, 2), 2), call((1, 1, 5, 5), (1, 1, 1, 2), 3)),
        asked.gives("borders", call((1, 1, 2, 3), (1, 1, 2, 2), 1, 1), call((1, 1, 4, 5), (1, 1, 3, 2), 2, 1)),
        asked.gives("channels", call((1, 2, 3, 3), (1, 2, 2, 2)), call((1, 2, 3, 4), (3, 2, 2, 1))),
        asked.gives("a batch", call((2, 1, 3, 3), (1, 1, 2, 2)), call((3, 2, 4, 3), (2, 2, 2, 1), 1, 1)),
        asked.keeps_inputs(call((2, 2, 4, 4), (2, 2, 2, 2), 2, 1)),
    )
    blank = skeleton(signature, f"The gradient of the weight, {words['weight']}.")
    return Variant(statement, signature, properties, blank, convs.mistakes(of, MISTAKES, extra))


TASK = Task(
    name="conv-backward-weight",
    title="The gradient of a convolution's weight",
    minutes=25,
    topic="Convolution",
    level=2,
    variant=variant,
    why="A weight is one variable, used at every position and in every sample, so its gradient is a sum over both: "
    "what it was multiplied with, times what came back. Nothing is turned. Written tap by tap it is one line, and the "
    "slices are those of the forward; an einsum over windows is the same sum.",
    hints=(
        "Which outputs contain weight (a, b)? With which element of x was it multiplied there?",
        "For each tap (a, b) take the elements of the padded x that it reads, in the shape of y's plane, multiply by "
        "grad_output and sum over samples and positions.",
        "seen = padded[:, :, a * d : a * d + rows * s : s, b * d : b * d + columns * s : s], cut to the shape of y; "
        "grad[:, :, a, b] = np.einsum('nchw,nohw->oc', seen, grad_output).",
    ),
    chapter="06",
)
