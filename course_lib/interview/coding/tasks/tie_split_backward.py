"""Pooling backward where tied elements share."""

from dataclasses import replace

import numpy as np

from course_lib import loops
from course_lib.exercises.misconceptions import CATALOGUE, Case, Misconception, Operation, steps
from course_lib.exercises.misconceptions.pooling import MAX_RULES, pool_recipe
from course_lib.interview.coding.draw import one_of, written
from course_lib.interview.coding.images import Images, words
from course_lib.interview.coding.task import Task, Variant, skeleton
from course_lib.loops.windows import image, real_taps

KINDS = {1: ("max_pool_backward", "max", "maximum", "-inf"), -1: ("min_pool_backward", "min", "minimum", "+inf")}
PARTS = {"HW": "x is one plane", "W": "x is one row", "NHWC": "x is a batch of images"}
NAMES = (
    "split_first", "split_last", "split_among_all", "split_overwrite", "max_zero_at_tie", "max_local_offset",
    "max_stride_is_k", "max_zero_pad", "max_pad_offset", "max_no_crop", "max_crop_empty", "max_remainder_cut",
    "max_without_upstream",
)  # fmt: skip


def right(tolerance):
    """The output, and the gradient that goes in equal parts to all that are close enough; by the loops."""

    def compute(x, grad_output, kernel_size, stride, padding):
        planes, axes, _ = image(x, kernel_size, stride, padding, 1, False, 1)
        grad = np.zeros(x.shape)
        for sample, channel, *window in np.ndindex(grad_output.shape):
            values = {element: planes[sample, channel, *element] for element in real_taps(axes, window)}
            tied = [element for element, value in values.items() if value >= max(values.values()) - tolerance]
            for element in tied:
                grad[sample, channel, *element] += grad_output[sample, channel, *window] / len(tied)
        return {"y": loops.max_pool(x, kernel_size, stride, padding), "grad_input": grad}

    return compute


def close(tolerance):
    """Which taps are close enough to the maximum, as 0 and 1."""
    return lambda windows: (windows.values >= windows.values.max((-2, -1), keepdims=True) - tolerance) * 1.0


def operation(tolerance):
    """The operation, whose recipe shares among those that are close enough."""
    near = close(tolerance)
    share = steps.equal_share if tolerance == 0 else lambda windows: near(windows) / near(windows).sum(
        (-2, -1), keepdims=True)  # fmt: skip
    return Operation("pooling, ties share", right(tolerance), pool_recipe, replace(MAX_RULES, share=share))


def mistakes(of, tolerance):
    """The mistakes of the catalogue where tied elements share, and those about what a tie is."""

    def mistake(name, sentence, share):
        return Misconception(name, sentence, "05", Case("", {}), of, {"share": share})

    yield from (replace(CATALOGUE[name], operation=of, shows=None) for name in NAMES)
    yield mistake("split_mask", CATALOGUE["split_mask"].sentence, close(tolerance))
    if tolerance:
        yield mistake("split_equal_alone", "Only elements that are equal share. Those within the tolerance share too.",
                      steps.equal_share)  # fmt: skip


def statement(sign, tolerance, layout, with_output):
    """What to write."""
    _, kind, best, nothing = KINDS[sign]
    tied = f"that are within {tolerance} of the window's {best}" if tolerance else f"that equal the window's {best}"
    return (
        f"Write the backward of {kind} pooling. {PARTS[layout]}, {words(layout)}; `grad_output`"
        f"{', `y`, the output of the forward,' * with_output} and what you return have the same layout. "
        f"Windows have `kernel_size` elements a side and begin `stride` apart. The forward padded x at both ends with "
        f"`padding` elements of {nothing}, and took the windows that lie inside. All elements of a window {tied} share "
        "its gradient in equal parts. Return the gradient of x. Change no argument."
    )


def numbers(tolerance, above=0):
    """How to draw whole numbers with many ties; where there is a tolerance, quarters up and down from them."""

    def drawn(rng, shape):
        quarters = rng.integers(-1, 2, shape) * 0.25 if tolerance else 0.0
        return written(rng.integers(-2, 2, shape) + quarters + above)

    return drawn


def variant(seed):
    """Maximum or minimum, what counts as a tie, the layout and whether the output is given are drawn."""
    rng = np.random.default_rng(seed)
    sign, tolerance = one_of(rng, 1, -1), one_of(rng, 0, 0.5)
    layout, with_output = one_of(rng, *PARTS), one_of(rng, False, True)
    name, of = KINDS[sign][0], operation(tolerance)
    arguments = ("grad_output", "x", *(["y"] if with_output else []), "kernel_size", "stride", "padding")
    asked = Images(name, of, layout, arguments, "grad_input", sign)
    signature = f"def {name}({', '.join(arguments)}):"
    # Below 0, so that padding of 0 would win.
    tied, low = numbers(tolerance), numbers(tolerance, -3)

    def pool(shape, kernel_size, stride, padding=0, drawn=tied):
        return asked.case(rng, shape, kernel_size, stride, padding, numbers=drawn)

    properties = (
        asked.gives("one window", pool((1, 1, 2, 2), 2, 2), pool((1, 1, 3, 3), 3, 3)),
        asked.gives("windows side by side", pool((1, 1, 4, 6), 2, 2), pool((1, 1, 6, 6), 3, 3)),
        asked.gives("overlap", pool((1, 1, 3, 4), 2, 1), pool((1, 1, 5, 6), 3, 1)),
        asked.gives("gaps and remainders", pool((1, 1, 3, 5), 2, 2), pool((1, 1, 5, 7), 2, 3)),
        asked.gives("borders", pool((1, 1, 4, 4), 2, 2, 1, low), pool((1, 1, 5, 6), 3, 2, 1, low)),
        *([asked.gives("batch and channels", pool((2, 3, 4, 4), 2, 1, 1))] if layout == "NHWC" else []),
        asked.keeps_inputs(pool((1, 2, 4, 5), 3, 1, 1)),
    )
    blank = skeleton(signature, f"The gradient of x, {words(layout)}.")
    said = statement(sign, tolerance, layout, with_output)
    return Variant(said, signature, properties, blank, tuple(mistakes(of, tolerance)))


TASK = Task(
    name="tie-split-backward",
    title="Pooling backward where ties share",
    minutes=14,
    topic="Ties",
    level=2,
    variant=variant,
    why="Count before you pay: the number of those that tie belongs to one window, and so does each part. A mask over "
    "the whole input pays elements of other windows, and a mask that is not divided pays more than was sent. The sum "
    "of a window's parts is its gradient: say that as the check.",
    hints=(
        "A window of four equal elements gets 8. What does each of them get, and what is the sum?",
        "In each window compare with its own extreme, count, and add grad_output / count where it ties.",
        "tied = window == window.max(); grad[window's slice] += tied * grad_output[i, j] / tied.sum()",
    ),
    chapter="05",
)
