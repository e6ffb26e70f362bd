"""Exercise 11: max pooling, forward and backward, by the learner's own hand."""

import numpy as np

from course_lib.exercises.cases import pool_case
from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.misconceptions import MAX_POOL, Case
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.pool_answers import PoolAnswers
from course_lib.exercises.properties import Star

POOL = PoolAnswers("max_pool2d", "max_pool2d_backward", MAX_POOL, ("kernel_size", "stride", "padding"))
SIDE_BY_SIDE = {"kernel_size": 2, "stride": 2, "padding": 0}
OVERLAPPING = {"kernel_size": 2, "stride": 1, "padding": 0}
BORDERED = {"kernel_size": 2, "stride": 2, "padding": 1}

TILES = window_case([[2, 7, 1, 4], [5, 3, 0, 6]], [[3, 8]], **SIDE_BY_SIDE)
FOUR_TILES = pool_case((1, 1, 4, 4), 7, offset=9, **SIDE_BY_SIDE)
SHARED = window_case([[3, 9, 1], [2, 4, 5]], [[4, 7]], **OVERLAPPING)
CROWDED = window_case([[3, 1, 6], [2, 9, 4], [8, 5, 7]], [[1, 2], [4, 8]], **OVERLAPPING)
OVERLAPS = pool_case((1, 1, 5, 5), 7, kernel_size=3, stride=1, padding=0)
# No winner stands in the last row or column: where the padding is forgotten, the gradient is shifted and not lost.
CORNER = window_case([[3, 7, 1], [8, 9, 2], [4, 5, 6]], [[1, 2], [4, 8]], **BORDERED)
NEGATIVE = window_case([[-5, -2], [-7, -4]], [[3, 8], [6, 1]], **BORDERED)
BORDERS = pool_case((1, 1, 5, 4), 7, offset=22, kernel_size=3, stride=3, padding=1)
REMAINDER = pool_case((1, 1, 3, 5), 7, **SIDE_BY_SIDE)
REMAINDERS = pool_case((1, 1, 5, 8), 7, kernel_size=3, stride=3, padding=0)
FLAT = window_case([[1, 8, 2]], [[5]], kernel_size=(1, 3), stride=(1, 3), padding=(0, 0))
TALL = pool_case((1, 1, 5, 7), 11, kernel_size=(3, 2), stride=(3, 2), padding=(1, 0))
WIDE = pool_case((1, 1, 4, 9), 11, kernel_size=(2, 3), stride=(2, 4), padding=(0, 1))
TIE = window_case([[4, 4], [1, 4]], [[6]], **SIDE_BY_SIDE)
SLANTED_TIE = window_case([[1, 4], [4, 2]], [[6]], **SIDE_BY_SIDE)
TIES = window_case([[0, 0, 2, 0], [0, 0, 0, 2], [1, 3, 0, 0], [3, 1, 0, 5]], [[1, 2], [4, 8]], **SIDE_BY_SIDE)
CHANNELS = pool_case((1, 2, 2, 2), 5, **SIDE_BY_SIDE)
SAMPLES = pool_case((2, 1, 2, 2), 3, **SIDE_BY_SIDE)
BATCH = pool_case((2, 3, 4, 4), 41, offset=50, **SIDE_BY_SIDE)
CLOSE = window_case([[1, 1.00002], [1.00001, 1.00003]], [[6]], **SIDE_BY_SIDE)
LARGE = pool_case((1, 1, 2, 130), 77, **SIDE_BY_SIDE)
WHOLE = Case(
    "x = np.array([[[[2, 7], [5, 3]]]]), an array of integers, upstream gradient [[0.5]], kernel_size=2, stride=2, "
    "padding=0",
    {"x": np.array([[[[2, 7], [5, 3]]]]), "grad_output": [[[[0.5]]]], **SIDE_BY_SIDE},
)
TWICE = Case(f"{TILES.name}, the backward called twice with one cache", {**TILES.arguments, "calls": 2})
NAN = window_case([[3, np.nan], [7, 1]], [[6]], **SIDE_BY_SIDE)
NANS = window_case([[np.nan, 2, 7, 1], [3, np.nan, np.nan, np.nan]], [[4, 6]], **SIDE_BY_SIDE)

EXERCISE = Exercise(
    number=11,
    name="11_max_pooling_workshop",
    title="Workshop: max pooling, forward and backward",
    stars=3,
    chapter="03",
    task="Write max pooling and its backward in NumPy, with a cache of your own between them.",
    lines=30,
    allowed="NumPy, loops as many as you like; no other library, and not course_lib's own pooling.",
    answers=(Function("max_pool2d"), Function("max_pool2d_backward")),
    properties=(
        POOL.outputs("forward", 2, TILES, CROWDED, REMAINDER, BATCH),
        POOL.outputs("forward at borders", 1, NEGATIVE, CORNER, BORDERS),
        POOL.gradients("backward without overlap", 2, TILES, FOUR_TILES),
        POOL.gradients("overlap", 3, SHARED, CROWDED, OVERLAPS),
        POOL.gradients("borders", 2, CORNER, NEGATIVE, BORDERS),
        POOL.gradients("remainders", 1, REMAINDER, REMAINDERS),
        POOL.passes("rectangular windows", 2, FLAT, TALL, WIDE),
        POOL.gradients("batch and channels", 2, CHANNELS, SAMPLES, BATCH),
        POOL.gradients("ties", 2, TIE, SLANTED_TIE, TIES),
        POOL.gradients("values close together", 1, CLOSE),
        POOL.gradients("large planes", 1, LARGE),
        POOL.gradients("integers", 1, WHOLE),
        POOL.gradients("a second backward", 1, TWICE),
        POOL.keeps_inputs("inputs stay as they are", 1, CROWDED, CORNER),
        Star(POOL.passes("NaN", 2, NAN, NANS)),
    ),
    hints=(
        "Follow one window. Which element of x did its output come from, and how will the backward know? And if that "
        "element is the largest of a second window too, what should it receive?",
        "Let the forward save the winner of every window, with its position in the padded input. The backward begins "
        "with zeros in the shape of the padded input. For every window it adds the upstream gradient at the saved "
        "position. At the end it cuts the padding off. What must padding hold, so that it never wins?",
        "Forward: pad with -np.inf; for each n, c, i, j take window = padded[n, c, i*sh : i*sh+kh, j*sw : j*sw+kw], "
        "y[n, c, i, j] = window.max(), and save divmod(int(window.argmax()), kw), to which i*sh and j*sw are added. "
        "Backward: gradient[n, c, row, column] += grad_output[n, c, i, j], and then gradient[:, :, ph : ph + H, pw : "
        "pw + W]. For the star, find the last NaN before you ask argmax.",
    ),
    misconceptions=(
        "max_overwrite",
        "max_fancy_add",
        "max_unpool",
        "max_mask_shared",
        "max_eqmask",
        "max_tie_split",
        "max_tie_last",
        "max_tie_column_first",
        "max_zero_at_tie",
        "max_as_average",
        "max_passthrough",
        "max_as_minimum",
        "max_without_upstream",
        "max_value_for_gradient",
        "max_times_value",
        "max_sign",
        "max_transposed",
        "max_zero_pad",
        "max_pad_offset",
        "max_no_crop",
        "max_remainder_cut",
        "max_crop_empty",
        "max_local_offset",
        "max_channel_mix",
        "max_channel_shared_argmax",
        "max_batch_mix",
        "max_batch_shared_argmax",
        "max_hw_swap",
        "max_layout",
        "max_dy_transposed",
        "max_stride_is_k",
        "max_k_hardcoded",
        "max_square_only",
        "max_size_without_padding",
        "max_size_off_by_one",
        "max_size_by_division",
        "max_size_rounded_up",
        "max_recompute_fp16",
        "max_index_uint8",
        "max_int_dx",
        "max_stale_buffer",
        "max_nan_lost",
        "max_nan_first",
        "max_nan_skipped",
    ),
)
