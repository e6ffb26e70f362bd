"""What goes wrong in max pooling."""

from functools import partial

import numpy as np

from course_lib.exercises.misconceptions import paths, steps
from course_lib.exercises.misconceptions.model import Case, Misconception
from course_lib.exercises.misconceptions.pooling import MAX_POOL, even, first_largest, is_largest, window_case
from course_lib.exercises.misconceptions.shared_pool import TWO_CHANNELS, TWO_SAMPLES, shared_mistakes


def windows_won(operation, case, index):
    """How many windows an element wins, from the gradient of the sum of all outputs."""
    arguments = case.fresh()
    arguments["grad_output"] = np.ones_like(arguments["grad_output"])
    count = operation.recipe(operation.rules, **arguments)["grad_input"][(0,) * (4 - len(index)) + index]
    return f"it wins {count:g} windows, and only one of them is kept" if count > 1 else ""


def elements_tied(operation, case, index):
    """How many elements of a single window share its maximum."""
    x = case.fresh()["x"]
    tied = np.count_nonzero(x == x.max())
    one_window = np.size(case.fresh()["grad_output"]) == 1
    return f"{tied} elements share the maximum {x.max():g}" if one_window and tied > 1 else ""


_mistake = partial(Misconception, operation=MAX_POOL)
WINDOW = window_case([[0, 3], [1, 2]], 8)
PAIR = window_case([[0, 3]], 8)
TIE = window_case([[0, 0]], 8)
ONE_FOR_ALL = window_case([[5]], [[8, 7], [8, 5]], kernel_size=2, stride=1, padding=1)
NAN = Case("a NaN", {"x": [[[[1, np.nan, 3]]]], "grad_output": [[[[8]]]], "kernel_size": (1, 3)})
TWO_NANS = Case("two NaNs", {"x": [[[[np.nan, np.nan]]]], "grad_output": [[[[8]]]], "kernel_size": (1, 2)})
MANY = Case("more than 256 elements", {"x": np.arange(260.0).reshape(1, 1, 1, 260),
                                       "grad_output": np.arange(1.0, 131).reshape(1, 1, 1, 130),
                                       "kernel_size": (1, 2)})  # fmt: skip

SHARES = [
    _mistake(
        name="max_as_average",
        sentence="Every element gets an equal share. That is average pooling: the maximum depends on its winner alone.",
        chapter="02",
        smallest=PAIR,
        changes={"share": even},
        styles=({"share": steps.even_with_padding}, {"share": steps.even_without_padding}),
    ),
    _mistake(
        name="max_passthrough",
        sentence="Every element gets the whole upstream gradient, as if pooling let it pass. Only the winner does.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.everyone},
    ),
    _mistake(
        name="max_as_minimum",
        sentence="The smallest element gets the gradient. The output is the largest one: the gradient belongs there.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.smallest},
    ),
    _mistake(
        name="max_without_upstream",
        sentence="The local derivative stands there alone. The chain rule multiplies it by the upstream gradient.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.without_upstream},
    ),
    _mistake(
        name="max_value_for_gradient",
        sentence="The winner holds the maximum, as in unpooling. The backward puts the upstream gradient there.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.times_output},
    ),
    _mistake(
        name="max_times_value",
        sentence="The upstream gradient is multiplied by the maximum. The derivative at the winner is 1.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.times_both},
    ),
    _mistake(
        name="max_sign",
        sentence="The sign is turned. The minus belongs to the descent step, not to the gradient.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.against},
    ),
    _mistake(
        name="max_transposed",
        sentence="Rows and columns are exchanged. The gradient lies as the input lies.",
        chapter="02",
        smallest=WINDOW,
        changes={"finish": paths.transposed},
    ),
]
TIES = [
    _mistake(
        name="max_eqmask",
        sentence="Every tied element gets the whole gradient, as with the mask x == max: more arrives than was sent.",
        chapter="05",
        smallest=TIE,
        changes={"share": is_largest},
        shows=elements_tied,
    ),
    _mistake(
        name="max_tie_split",
        sentence="The tied elements share the gradient. Some functions do that; here the first one wins.",
        chapter="05",
        smallest=TIE,
        changes={"share": steps.equal_share},
        styles=({"share": steps.mask_over_its_sum},),
        shows=elements_tied,
    ),
    _mistake(
        name="max_tie_last",
        sentence="The last of the tied elements gets the gradient, as a scan with >= finds it; here the first wins.",
        chapter="05",
        smallest=TIE,
        changes={"share": steps.last_largest},
        shows=elements_tied,
    ),
    _mistake(
        name="max_tie_column_first",
        sentence="The first of the tied elements was looked for column by column. Row-major order goes row by row.",
        chapter="05",
        smallest=window_case([[0, 1], [1, 0]], 8),
        changes={"share": steps.first_largest_by_column},
        shows=elements_tied,
    ),
    _mistake(
        name="max_zero_at_tie",
        sentence="No tied element gets anything, as if no derivative meant a derivative of 0. The gradient is lost.",
        chapter="05",
        smallest=TIE,
        changes={"share": steps.only_without_tie},
        shows=elements_tied,
    ),
    _mistake(
        name="max_recompute_fp16",
        sentence="The winner is looked for again in half precision, where neighbours are equal that were not. Look in "
        "the array that the forward saw, or save the winner.",
        chapter="05",
        smallest=window_case([[1, 1.00001]], 8),
        changes={"share": steps.half_precision},
    ),
    _mistake(
        name="max_nan_first",
        sentence="The first NaN of the window gets the gradient, as np.argmax finds it. PyTorch's rule takes the last.",
        chapter="05",
        smallest=TWO_NANS,
        changes={"share": steps.first_nan},
    ),
    _mistake(
        name="max_nan_lost",
        sentence="No element of a window with a NaN gets the gradient, since NaN equals nothing, itself included. The "
        "last NaN gets it.",
        chapter="05",
        smallest=NAN,
        changes={"share": steps.nobody_at_nan},
    ),
    _mistake(
        name="max_nan_skipped",
        sentence="The NaN is passed over, since no comparison with it is true. It must win: hidden, it would hide a "
        "fault elsewhere.",
        chapter="05",
        smallest=NAN,
        changes={"share": steps.past_nan, "pool": steps.largest_number},
        styles=(
            {"share": steps.past_nan},
            {"share": steps.past_nan_but_the_first, "pool": steps.largest_number_but_the_first},
        ),
    ),
]
OVERLAPS = [
    _mistake(
        name="max_overwrite",
        sentence="A later window overwrites what an earlier one sent. An element that wins several gets the sum: add.",
        chapter="03",
        smallest=ONE_FOR_ALL,
        changes={"collect": paths.WINNERS_BY_WINDOW},
        styles=(
            {"collect": paths.WINDOWS_BY_WINDOW},
            {"collect": paths.assign_winners(paths.BY_COLUMN)},
            {"collect": paths.assign_windows(paths.BY_COLUMN)},
            {"collect": paths.assign_winners(paths.BY_TAP)},
            {"collect": paths.assign_windows(paths.BY_TAP)},
        ),
        shows=windows_won,
    ),
    _mistake(
        name="max_fancy_add",
        sentence="dX[indices] += dY adds once for each different index, however often it stands there. np.add.at and "
        "np.bincount add every time.",
        chapter="03",
        smallest=ONE_FOR_ALL,
        changes={"collect": paths.WINNERS_BY_WINDOW},
        shows=windows_won,
    ),
    _mistake(
        name="max_unpool",
        sentence="Unpooling writes each value at its index; where two windows share a winner, one of the two is lost. "
        "The backward adds them.",
        chapter="02",
        smallest=ONE_FOR_ALL,
        changes={"collect": paths.WINNERS_BY_WINDOW},
        shows=windows_won,
    ),
    _mistake(
        name="max_mask_shared",
        sentence="One mask marks the winners of all windows, so that a window also sends to elements which won another "
        "one. Keep the winner of each window by itself.",
        chapter="03",
        smallest=window_case([[1, 2, 3]], [[4, 9]], kernel_size=(1, 2), stride=1),
        changes={"share": steps.marked(first_largest)},
    ),
    _mistake(
        name="max_race",
        sentence="Two workers add to one element at once, and one of the two sums is lost. Let each element gather, or "
        "add atomically.",
        chapter="09",
        smallest=ONE_FOR_ALL,
        changes={"collect": paths.race},
    ),
]
WINDOWS = [
    _mistake(
        name="max_zero_pad",
        sentence="Padding counts as 0 and wins against negative elements. In max pooling it counts as minus infinity.",
        chapter="04",
        smallest=window_case([[-1]], [[7]], kernel_size=2, stride=2, padding=1),
        changes={"pad_value": 0.0},
    ),
    _mistake(
        name="max_k_hardcoded",
        sentence="The window has two rows and two columns, whatever kernel_size says.",
        chapter="01",
        smallest=window_case([[1, 2, 3]], 8),
        changes={"lay": paths.lay_two_by_two},
    ),
    _mistake(
        name="max_channel_shared_argmax",
        sentence="One winner is found for all channels together. Each channel has its own maximum, at its own place.",
        chapter="04",
        smallest=TWO_CHANNELS,
        changes={"share": steps.winner_in(lambda values: values.max(1, keepdims=True))},
        styles=(
            {"share": steps.winner_in(lambda values: values[:, :1])},
            {"share": steps.winner_in(lambda values: values[:, -1:])},
            {"share": steps.winner_in(lambda values: values.sum(1, keepdims=True))},
            {"share": steps.only_the_best(1), "pool": steps.largest_of_all(1)},
        ),
    ),
    _mistake(
        name="max_batch_shared_argmax",
        sentence="One winner is found for all samples together. Each sample has its own maximum, at its own place.",
        chapter="04",
        smallest=TWO_SAMPLES,
        changes={"share": steps.winner_in(lambda values: values.max(0, keepdims=True))},
        styles=(
            {"share": steps.winner_in(lambda values: values[:1])},
            {"share": steps.winner_in(lambda values: values[-1:])},
            {"share": steps.only_the_best(0), "pool": steps.largest_of_all(0)},
        ),
    ),
    _mistake(
        name="max_hw_swap",
        sentence="A flat index is made with one row length and read with another. Row and column come from the width: "
        "divmod(index, W).",
        chapter="04",
        smallest=window_case([[1, 2, 3], [4, 5, 0]], [[8]], kernel_size=2, stride=2),
        changes={"place": paths.recoded(lambda height, width: width, lambda height, width: height)},
        styles=(
            {"place": paths.recoded(lambda height, width: height, lambda height, width: width)},
            {"place": paths.recoded_in_window},
        ),
    ),
    _mistake(
        name="max_index_uint8",
        sentence="The index is kept in 8 bits, which end at 255. A plane with more elements needs more.",
        chapter="09",
        smallest=MANY,
        changes={"place": paths.index_in_8_bits},
    ),
]

MAX_POOL_MISCONCEPTIONS = [*SHARES, *TIES, *OVERLAPS, *WINDOWS, *shared_mistakes("max", MAX_POOL)]
