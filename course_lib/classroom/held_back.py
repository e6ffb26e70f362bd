"""Wrong implementations that a suite of exercise 7 is graded on, and that no release holds.

Each is a slip that people make. None is like one that the check of the notebook tries.
"""

import numpy as np

from course_lib.exercises.implementations import AVG_CALL, CONV_CALL, MAX_CALL
from course_lib.exercises.misconceptions.windows import pair
from course_lib.exercises.mutants import BORDER, DIRECTION, PLACES, SAMPLES, TIES, Mutant
from course_lib.exercises.suites import Kills

EXERCISE, ANSWERS = 7, ("tests",)
SIGNS = "Are there negative numbers in your upstream gradients, and what becomes of them?"
BELOW_ZERO = "What if the largest element of a window is below 0, or not the one that is farthest from 0?"
FRACTIONS = "Are all of your expected numbers whole?"
MOST = 1e300


def changed(call, arguments=None, results=None):
    """A right implementation with other arguments, or with other results.

    Parameters
    ----------
    call : Call
    arguments : callable, optional
        From the arguments to those that are used.
    results : callable, optional
        From the results, the arguments and the implementation to the results that are given back.
    """

    def right(given):
        return dict(zip(call.results, call.right["vectorised"](**given), strict=True))

    def run(given):
        call.check(**given)
        found = right(arguments(given) if arguments else given)
        return results(found, given, right) if results else found

    return run


def without_negative(name):
    """Takes the negative numbers of an array for 0."""
    return lambda given: {**given, name: np.maximum(given[name], 0)}


def padded_with_the_edge(found, given, right):
    """Finds the weight's gradient in an input that is padded with its edge, and not with 0."""
    rows, columns = pair(given["padding"])
    wide = np.pad(given["x"], ((0, 0), (0, 0), (rows, rows), (columns, columns)), mode="edge")
    return {**found, "grad_weight": right({**given, "x": wide, "padding": 0})["grad_weight"]}


def bias_of_one_sample(found, given, right):
    """Finds the bias' gradient in the first sample."""
    return {**found, "grad_bias": given["grad_output"][0].sum((1, 2))}


def rows_turned(found, given, right):
    """Sends the gradient through a kernel whose rows stand upside down."""
    turned = right({**given, "weight": given["weight"][:, :, ::-1]})
    return {**found, "grad_input": turned["grad_input"]}


def weight_of_gains(found, given, right):
    """Finds the weight's gradient from the positive upstream gradients."""
    return {**found, "grad_weight": right(without_negative("grad_output")(given))["grad_weight"]}


def largest_in_size(given):
    """Compares absolute values."""
    return {**given, "x": np.abs(given["x"])}


def nothing_below_zero(found, given, right):
    """Sends nothing to an element that is not above 0, as if a ReLU stood before."""
    return {"grad_input": np.where(given["x"] > 0, found["grad_input"], 0)}


def columns_first(found, given, right):
    """Reads a window column by column, so that another one of tied elements wins."""
    turned = {name: pair(given[name])[::-1] for name in ("kernel_size", "stride", "padding")}
    arrays = {name: np.ascontiguousarray(given[name].swapaxes(2, 3)) for name in ("grad_output", "x")}
    return {"grad_input": right({**arrays, **turned})["grad_input"].swapaxes(2, 3)}


def whole_shares(found, given, right):
    """Divides whole numbers, and drops what is left over."""
    rows, columns = pair(given["kernel_size"])
    # What the right one divides by K, this one has divided and rounded before.
    whole = np.floor(np.clip(given["grad_output"] / (rows * columns), -MOST, MOST)) * rows * columns
    return right({**given, "grad_output": whole})


def border_keeps(found, given, right):
    """Gives the elements at the border what was sent to the padding beside them: indices are clipped."""
    (rows, columns), (height, width) = pair(given["padding"]), given["x"].shape[2:]
    wide = np.pad(given["x"], ((0, 0), (0, 0), (rows, rows), (columns, columns)))
    sent = right({**given, "x": wide, "padding": 0})["grad_input"]
    down, across = (
        np.clip(np.arange(size + 2 * side) - side, 0, size - 1) for size, side in ((height, rows), (width, columns))
    )
    gradient = np.zeros(given["x"].shape)
    np.add.at(gradient, (slice(None), slice(None), down[:, None], across), sent)
    return {"grad_input": gradient}


def strides_exchanged(found, given, right):
    """Takes the stride of the columns for that of the rows, and the other way round; it stays in the padded input."""
    (kh, kw), (sh, sw), (ph, pw) = (pair(given[name]) for name in ("kernel_size", "stride", "padding"))
    height, width = given["x"].shape[2:]
    gradient = np.zeros((*given["x"].shape[:2], height + 2 * ph, width + 2 * pw))
    for row, column in np.ndindex(given["grad_output"].shape[2:]):
        top, left = min(row * sw, height + 2 * ph - kh), min(column * sh, width + 2 * pw - kw)
        gradient[:, :, top : top + kh, left : left + kw] += given["grad_output"][:, :, row, column, None, None]
    return {"grad_input": gradient[:, :, ph : ph + height, pw : pw + width] / (kh * kw)}


CONV_HELD_BACK = (
    Mutant("conv_edge_padding", BORDER, changed(CONV_CALL, results=padded_with_the_edge)),
    Mutant("conv_bias_first_sample", SAMPLES, changed(CONV_CALL, results=bias_of_one_sample)),
    Mutant("conv_rows_turned", DIRECTION, changed(CONV_CALL, results=rows_turned)),
    Mutant("conv_dW_gains", SIGNS, changed(CONV_CALL, results=weight_of_gains)),
)
MAX_HELD_BACK = (
    Mutant("max_in_size", BELOW_ZERO, changed(MAX_CALL, largest_in_size)),
    Mutant("max_above_zero", BELOW_ZERO, changed(MAX_CALL, results=nothing_below_zero)),
    Mutant("max_columns_first", TIES, changed(MAX_CALL, results=columns_first)),
    Mutant("max_gains", SIGNS, changed(MAX_CALL, without_negative("grad_output"))),
)
AVG_HELD_BACK = (
    Mutant("avg_whole_shares", FRACTIONS, changed(AVG_CALL, results=whole_shares)),
    Mutant("avg_strides_exchanged", PLACES, changed(AVG_CALL, results=strides_exchanged)),
    Mutant("avg_gains", SIGNS, changed(AVG_CALL, without_negative("grad_output"))),
    Mutant("avg_border_keeps", BORDER, changed(AVG_CALL, results=border_keeps)),
)


def properties(exercise):
    """What an exercise is graded on beyond its check; nothing but for exercise 7."""
    if exercise.number != EXERCISE:
        return ()
    return (
        Kills("convolution, held back", ANSWERS, CONV_HELD_BACK, CONV_CALL),
        Kills("max pooling, held back", ANSWERS, MAX_HELD_BACK, MAX_CALL),
        Kills("average pooling, held back", ANSWERS, AVG_HELD_BACK, AVG_CALL),
    )
