"""Average pooling with its rules for the divisor."""

import numpy as np

from course_lib.interview.coding import averages
from course_lib.interview.coding.draw import one_of
from course_lib.interview.coding.images import Images, words
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "avg_pool"
PARTS = {"HW": "one plane", "W": "one row", "NHWC": "a batch of images"}
# A row has no second side, and other windows are square.
WITHOUT = {"W": ("avg_divide_by_k", "avg_square_only"), "HW": ("avg_square_only",), "NHWC": ("avg_square_only",)}
CEIL = (
    " An axis has ceil((size + 2 · padding - kernel_size) / stride) + 1 windows, so that the last may overhang the "
    "padding; what lies beyond it never counts. A last window that would begin behind the input is left out."
)
FLOOR = " Every window lies inside the padded input; a remainder at its end lies in none."


def variant(seed):
    """The divisor, the layout, and whether a last window may overhang are drawn."""
    rng = np.random.default_rng(seed)
    rule = one_of(rng, averages.COUNTED, averages.REAL, int(rng.integers(5, 9)))
    layout, ceil = one_of(rng, *PARTS), one_of(rng, False, True)
    of = averages.operation(rule)
    asked = Images(NAME, of, layout, ("x", "kernel_size", "stride", "padding"), "y")
    more = {"ceil_mode": True} if ceil else {}
    signature = f"def {NAME}(x, kernel_size, stride, padding):"
    size = "kernel_size elements wide" if layout == "W" else "square, kernel_size by kernel_size,"
    statement = (
        f"Write average pooling of {PARTS[layout]}, `x` of shape {words(layout)}. Windows are {size} and `stride` "
        f"apart; `padding` zeros are added at both ends of every spatial axis, at most half of the kernel."
        f"{CEIL if ceil else FLOOR} {averages.said(rule)}. Return the averages, in the same layout."
    )

    def pool(shape, *geometry):
        return asked.case(rng, shape, *geometry, **more)

    wide = (1, 1, 5, 6)
    batch = [asked.gives("batch and channels", pool((2, 3, 4, 4), 2, 2, 1))] if layout == "NHWC" else []
    properties = (
        asked.gives("windows side by side", pool((1, 1, 2, 4), 2, 2), pool((1, 1, 6, 6), 3, 3)),
        asked.gives("overlap", pool((1, 1, 3, 4), 2, 1), pool(wide, 3, 2)),
        asked.gives("borders", pool((1, 1, 2, 2), 2, 2, 1), pool((1, 1, 5, 5), 3, 2, 1), pool((1, 1, 4, 4), 3, 1, 1)),
        asked.gives("the end of an axis", pool((1, 1, 5, 5), 2, 2), pool((1, 1, 6, 4), 2, 3, 1), pool(wide, 3, 3, 1)),
        *batch,
        asked.keeps_inputs(pool(wide, 3, 2, 1)),
    )
    blank = skeleton(signature, f"The averages of the windows, {words(layout)}.")
    return Variant(statement, signature, properties, blank, averages.mistakes(of, "y", rule, ceil, WITHOUT[layout]))


TASK = Task(
    name="average-pool",
    title="Average pooling with its divisor rules",
    minutes=12,
    topic="At the border",
    level=2,
    variant=variant,
    why="At the border two numbers differ: how many taps a window has, and how many of them are real. Whoever says "
    "which of them divides, before writing, has the rest. Counting with a second array of ones and zeros keeps the sum "
    "and its divisor from disagreeing.",
    hints=(
        "Which taps of the first window lie on padding? Do they change the sum, or the divisor?",
        "Clip each window to the input for the sum. Clip it to what counts for the divisor.",
        "start = i * stride - padding; the real taps are x[max(start, 0) : start + kernel_size], and what counts is "
        "min(start + kernel_size, size + padding) - start, or the length of that slice.",
    ),
    chapter="04",
)
