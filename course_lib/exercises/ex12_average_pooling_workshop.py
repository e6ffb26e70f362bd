"""Exercise 12: average pooling, forward and backward, by the learner's own hand."""

import numpy as np

from course_lib.exercises.cases import pool_case
from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.misconceptions import AVG_POOL, Case
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.pool_answers import PoolAnswers
from course_lib.exercises.properties import Star

POOL = PoolAnswers(
    "avg_pool2d",
    "avg_pool2d_backward",
    AVG_POOL,
    ("kernel_size", "stride", "padding", "count_include_pad"),
    ("ceil_mode",),
)
COUNTED, REAL = {"count_include_pad": True}, {"count_include_pad": False}
SIDE_BY_SIDE = {"kernel_size": 2, "stride": 2, "padding": 0, **COUNTED}
OVERLAPPING = {"kernel_size": 2, "stride": 1, "padding": 0, **COUNTED}
BORDERED = {"kernel_size": 2, "stride": 2, "padding": 1}
CEIL = {"ceil_mode": True}

TILES = window_case([[3, 5, 2, 0], [1, 7, 4, 6]], [[8, -4]], **SIDE_BY_SIDE)
THREES = pool_case((1, 1, 3, 6), 5, kernel_size=3, stride=3, padding=0, **COUNTED)
FOUR_TILES = pool_case((1, 1, 4, 4), 5, offset=4, **SIDE_BY_SIDE)
SHARED = window_case([[3, 5, 2], [1, 7, 4]], [[4, 8]], **OVERLAPPING)
CROWDED = window_case([[3, 5, 2], [1, 7, 4], [8, 6, 9]], [[4, 8], [12, 20]], **OVERLAPPING)
OVERLAPS = pool_case((1, 1, 5, 5), 7, kernel_size=3, stride=1, padding=0, **COUNTED)
BORDER = window_case([[3, 5, 2], [1, 7, 4], [8, 6, 9]], [[4, 8], [12, 20]], **BORDERED, **COUNTED)
BORDERS = pool_case((1, 1, 5, 4), 7, kernel_size=3, stride=3, padding=1, **COUNTED)
REAL_BORDER = window_case([[3, 5, 2], [1, 7, 4], [8, 6, 9]], [[4, 8], [12, 20]], **BORDERED, **REAL)
REAL_BORDERS = pool_case((1, 1, 5, 4), 7, kernel_size=3, stride=3, padding=1, **REAL)
REMAINDER = pool_case((1, 1, 3, 5), 7, **SIDE_BY_SIDE)
REMAINDERS = pool_case((1, 1, 5, 8), 7, kernel_size=3, stride=3, padding=0, **COUNTED)
FLAT = window_case([[3, 5, 7]], [[6]], kernel_size=(1, 3), stride=(1, 3), padding=(0, 0), **COUNTED)
TALL = pool_case((1, 1, 5, 7), 11, kernel_size=(3, 2), stride=(3, 2), padding=(1, 0), **REAL)
WIDE = pool_case((1, 1, 4, 9), 11, kernel_size=(2, 3), stride=(2, 4), padding=(0, 1), **COUNTED)
CHANNELS = pool_case((1, 2, 2, 2), 5, **SIDE_BY_SIDE)
SAMPLES = pool_case((2, 1, 2, 2), 3, **SIDE_BY_SIDE)
BATCH = pool_case((2, 3, 4, 4), 41, offset=50, **SIDE_BY_SIDE)
WHOLE = Case(
    "x = np.array([[[[3, 5], [1, 7]]]]), an array of integers, upstream gradient [[2]], kernel_size=2, stride=2, "
    "padding=0, count_include_pad=True",
    {"x": np.array([[[[3, 5], [1, 7]]]]), "grad_output": [[[[2]]]], **SIDE_BY_SIDE},
)
TWICE = Case(f"{TILES.name}, the backward called twice with one cache", {**TILES.arguments, "calls": 2})
OVERHANG = window_case([[3, 5, 7]], [[6, 4]], kernel_size=(1, 2), stride=(1, 2), padding=(0, 0), **COUNTED, **CEIL)
OVERHANGS = pool_case((1, 1, 6, 6), 5, kernel_size=3, stride=3, padding=1, **COUNTED, **CEIL)
REAL_OVERHANGS = pool_case((1, 1, 6, 5), 7, kernel_size=3, stride=3, padding=1, **REAL, **CEIL)
# The last window would start in the padding behind the input.
LEFT_OUT = window_case([[3, 5]], [[6]], kernel_size=(1, 2), stride=(1, 3), padding=(0, 1), **COUNTED, **CEIL)

EXERCISE = Exercise(
    number=12,
    name="12_average_pooling_workshop",
    title="Workshop: average pooling, forward and backward",
    stars=2,
    chapter="04",
    task="Write average pooling and its backward in NumPy, with and without counting the padding.",
    lines=25,
    allowed="NumPy, loops as many as you like; no other library, and not course_lib's own pooling.",
    answers=(Function("avg_pool2d"), Function("avg_pool2d_backward")),
    properties=(
        POOL.outputs("forward", 2, TILES, CROWDED, THREES, REMAINDER, BATCH),
        POOL.outputs("forward, padding counted", 1, BORDER, BORDERS),
        POOL.outputs("forward, padding not counted", 1, REAL_BORDER, REAL_BORDERS),
        POOL.gradients("backward without overlap", 2, TILES, FOUR_TILES, THREES),
        POOL.gradients("overlap", 3, SHARED, CROWDED, OVERLAPS),
        POOL.gradients("borders, padding counted", 2, BORDER, BORDERS),
        POOL.gradients("borders, padding not counted", 2, REAL_BORDER, REAL_BORDERS),
        POOL.gradients("remainders", 1, REMAINDER, REMAINDERS),
        POOL.passes("rectangular windows", 2, FLAT, TALL, WIDE),
        POOL.gradients("batch and channels", 2, CHANNELS, SAMPLES, BATCH),
        POOL.gradients("integers", 1, WHOLE),
        POOL.gradients("a second backward", 1, TWICE),
        POOL.keeps_inputs("inputs stay as they are", 1, CROWDED, BORDER),
        Star(
            POOL.passes("ceil_mode", 3, OVERHANG, OVERHANGS, REAL_OVERHANGS, LEFT_OUT),
            parameter="ceil_mode",
            takers=("avg_pool2d",),
        ),
    ),
    hints=(
        "Raise one element by a little. By how much does the mean of its window rise? Does that depend on the "
        "elements? And what if a second window holds the element too?",
        "Forward and backward need one number for each window: what its sum is divided by. Compute it in the forward, "
        "put it into the cache, and no two rules can disagree. With count_include_pad it is kh * kw; without, it is "
        "the number of the window's elements that are real. The backward adds grad_output / divisor to every element "
        "of the window.",
        "Pad x with zeros, and an array of ones with ones if padding counts, else with zeros: the sum of the second "
        "over a window is its divisor. Backward: gradient[:, :, i*sh : i*sh+kh, j*sw : j*sw+kw] += grad_output[:, :, "
        "i, j, None, None] / divisor[i, j], and then gradient[:, :, ph : ph + H, pw : pw + W]. For the star, pad both "
        "further behind, with zeros that never count.",
    ),
    misconceptions=(
        "avg_overwrite",
        "avg_dedup",
        "avg_divide_by_k",
        "avg_k_hardcoded",
        "avg_divide_twice",
        "avg_not_divided",
        "avg_as_max",
        "avg_by_value",
        "avg_without_upstream",
        "avg_value_for_gradient",
        "avg_sign",
        "avg_fp16",
        "avg_divisor_mismatch",
        "avg_divisor_mismatch2",
        "avg_pad_always_counts",
        "avg_pad_never_counts",
        "avg_ceil_k2",
        "avg_ceil_ignored",
        "avg_ceil_beyond",
        "avg_pad_offset",
        "avg_no_crop",
        "avg_remainder_cut",
        "avg_crop_empty",
        "avg_local_offset",
        "avg_channel_mix",
        "avg_batch_mix",
        "avg_layout",
        "avg_dy_transposed",
        "avg_stride_is_k",
        "avg_square_only",
        "avg_size_without_padding",
        "avg_size_off_by_one",
        "avg_size_by_division",
        "avg_size_rounded_up",
        "avg_int_dx",
        "avg_stale_buffer",
    ),
)
