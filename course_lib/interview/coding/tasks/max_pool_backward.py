"""Max pooling backward, where windows overlap."""

import numpy as np

from course_lib.interview.coding import pools
from course_lib.interview.coding.asked import Asked
from course_lib.interview.coding.draw import case, distinct, one_of, shuffled, tied
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "max_pool_backward"
ORDERS = (("x", "grad_output"), ("grad_output", "x"))


def variant(seed):
    """The rule for ties, the layout and the order of the arguments are drawn."""
    rng = np.random.default_rng(seed)
    layout, order, rule = one_of(rng, *pools.LAYOUTS), one_of(rng, *ORDERS), one_of(rng, *pools.RULES)
    axes = pools.LAYOUTS[layout]
    signature = f"def {NAME}({', '.join(order)}, kernel_size, stride):"
    statement = (
        f"Write the backward of 2-D max pooling. `x` is {axes} and `grad_output`, the upstream gradient, has the same "
        "layout with the pooled sizes. Windows are square, `kernel_size` by `kernel_size`, and `stride` apart, which "
        "may be less than the kernel or more. There is no padding; a remainder at the end of an axis lies in no "
        f"window. {pools.SAID[rule]} Return the gradient of x, in its shape. Change no argument."
    )
    asked = Asked(NAME, pools.operation(rule, layout), ("grad_input",))

    def pool(numbers, shape, kernel_size, stride):
        x = numbers(pools.laid(shape, layout))
        arrays = {"x": x, "grad_output": pools.upstream(rng, x, kernel_size, stride, layout)}
        return case(**{name: arrays[name] for name in order}, kernel_size=kernel_size, stride=stride)

    def plain(shape, kernel_size, stride):
        return pool(lambda laid: distinct(rng, laid), shape, kernel_size, stride)

    def equal(shape, kernel_size, stride):
        return pool(lambda laid: tied(rng, laid), shape, kernel_size, stride)

    pair = pool(lambda laid: shuffled(rng, (2, 2, 2, -1), laid), (1, 1, 2, 2), 2, 2)
    batch = plain((2, 3, 5, 4), 3, 1)
    properties = (
        asked.gives("windows side by side", plain((1, 1, 2, 4), 2, 2), plain((1, 1, 6, 6), 3, 3)),
        asked.gives("overlap", plain((1, 1, 3, 4), 2, 1), plain((1, 1, 5, 5), 3, one_of(rng, 1, 2))),
        # Before the ties: who shares a winner among channels is then told from who pays all that tie.
        asked.gives("batch and channels", plain((2, 2, 2, 2), 2, 2), batch),
        asked.gives("ties", pair, equal((1, 1, 4, 5), one_of(rng, 2, 3), 1)),
        asked.gives("gaps and remainders", plain((1, 1, 5, 7), 2, 3), plain((1, 1, 5, 4), 3, 3)),
        asked.keeps_inputs(batch),
    )
    blank = skeleton(signature, f"The gradient of x, {axes}.")
    return Variant(statement, signature, properties, blank, pools.mistakes(rule, layout))


TASK = Task(
    name="max-pool-backward",
    title="Max pooling backward with overlap",
    minutes=15,
    topic="Overlapping windows",
    level=2,
    variant=variant,
    why="An element that wins several windows gets the sum of what they send. So the line that decides is an addition "
    "at repeated places: a loop with +=, np.add.at or np.bincount. An interviewer waits for the rule for ties, said "
    "before you write, and for a winner in each window of its own.",
    hints=(
        "Which elements of x does one element of grad_output reach? And what if two windows have the same winner?",
        "Loop over the windows. Find the winner by the rule for ties, and add there.",
        "With the place (a, b) of the winner in its window, add grad_output at row i * stride + a and column "
        "j * stride + b.",
    ),
    chapter="03",
)
