"""What goes wrong in average pooling."""

from functools import partial

from course_lib.exercises.misconceptions import paths, steps
from course_lib.exercises.misconceptions.model import Misconception
from course_lib.exercises.misconceptions.pooling import AVG_POOL, first_largest, window_case
from course_lib.exercises.misconceptions.shared_pool import shared_mistakes


def unclipped(windows):
    """K where padding counts, however far the window overhangs; else the number of real elements."""
    return windows.size if windows.geometry.include else steps.real_count(windows)


_mistake = partial(Misconception, operation=AVG_POOL)
WINDOW = window_case([[0, 3], [1, 4]], 8)
PAIR = window_case([[0, 3]], 8)
ONE_FOR_ALL = window_case([[5]], [[8, 7], [8, 5]], kernel_size=2, stride=1, padding=1)
BORDER = window_case([[5]], [[7]], kernel_size=2, stride=2, padding=1)
WITHOUT = window_case([[5]], [[7]], kernel_size=2, stride=2, padding=1, count_include_pad=False)
OVERHANG = window_case([[1, 2, 3]], [[4, 7]], kernel_size=(1, 2), stride=(1, 2), ceil_mode=True)

SHARES = [
    _mistake(
        name="avg_divide_by_k",
        sentence="The gradient is divided by the side k of the window, not by the number of its elements, K = k·k.",
        chapter="02",
        smallest=WINDOW,
        changes={"share": steps.number_over(lambda windows: windows.geometry.kernel[0])},
        styles=(
            {
                "share": steps.number_over(lambda windows: windows.geometry.kernel[0]),
                "pool": steps.sum_over(lambda windows: windows.geometry.kernel[0]),
            },
        ),
    ),
    _mistake(
        name="avg_divide_twice",
        sentence="The gradient is divided by K twice. The mean divides once, and so does its backward.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.number_over(lambda windows: windows.size**2)},
    ),
    _mistake(
        name="avg_not_divided",
        sentence="Every element gets the whole gradient. That is the backward of a sum; a mean gives each element 1/K.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.everyone},
        styles=({"share": steps.everyone, "pool": steps.sum_over(lambda windows: 1)},),
    ),
    _mistake(
        name="avg_as_max",
        sentence="The largest element gets everything. That is max pooling: in a mean every element counts alike.",
        chapter="02",
        smallest=PAIR,
        changes={"share": first_largest},
    ),
    _mistake(
        name="avg_by_value",
        sentence="Each element's share is in proportion to its value. The derivative of a mean depends on no value.",
        chapter="02",
        smallest=PAIR,
        changes={"share": steps.by_value},
    ),
    _mistake(
        name="avg_without_upstream",
        sentence="The local derivative 1/K stands there alone. The chain rule multiplies it by the upstream gradient.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.without_upstream},
    ),
    _mistake(
        name="avg_value_for_gradient",
        sentence="Every element holds the mean itself. The backward spreads the upstream gradient, not the output.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.times_mean},
    ),
    _mistake(
        name="avg_sign",
        sentence="The sign is turned. The minus belongs to the descent step, not to the gradient.",
        chapter="02",
        smallest=PAIR,
        changes={"send": steps.against},
    ),
    _mistake(
        name="avg_k_hardcoded",
        sentence="4 is written where the number of the window's elements belongs. It holds for 2×2 windows alone.",
        chapter="02",
        smallest=window_case([[0, 3, 6]], 8),
        changes={"share": steps.number_over(lambda windows: 4)},
        styles=({"share": steps.number_over(lambda windows: 4), "pool": steps.sum_over(lambda windows: 4)},),
    ),
    _mistake(
        name="avg_fp16",
        sentence="The shares are rounded to half precision. A third has 11 bits there: keep the gradient's own type.",
        chapter="09",
        smallest=window_case([[0, 3, 6]], 8),
        changes={"send": steps.in_half_precision},
    ),
]
OVERLAPS = [
    _mistake(
        name="avg_overwrite",
        sentence="A later window overwrites what an earlier one sent. An element in several windows gets the sum: add.",
        chapter="03",
        smallest=ONE_FOR_ALL,
        changes={"collect": paths.WINDOWS_BY_WINDOW},
        styles=(
            {"collect": paths.assign_windows(paths.BY_COLUMN)},
            {"collect": paths.assign_windows(paths.BY_TAP)},
        ),
    ),
    _mistake(
        name="avg_dedup",
        sentence="The sum is divided by the number of windows that hold the element. Each window's share is whole "
        "already: they only add.",
        chapter="03",
        smallest=ONE_FOR_ALL,
        changes={"finish": paths.over_coverage},
    ),
]
DIVISORS = [
    _mistake(
        name="avg_divisor_mismatch",
        sentence="The forward divides by the number of real elements and the backward by K, padding included. Both "
        "must divide by the same.",
        chapter="04",
        smallest=WITHOUT,
        changes={"share": steps.even_with_padding},
    ),
    _mistake(
        name="avg_divisor_mismatch2",
        sentence="The forward divides by K, padding included, and the backward by the number of real elements. Both "
        "must divide by the same.",
        chapter="04",
        smallest=BORDER,
        changes={"share": steps.even_without_padding},
    ),
    _mistake(
        name="avg_pad_always_counts",
        sentence="Both passes divide by K although count_include_pad is False: then padding must not be counted.",
        chapter="04",
        smallest=WITHOUT,
        changes={
            "share": steps.even_with_padding,
            "pool": steps.sum_over(lambda windows: windows.size),
        },
    ),
    _mistake(
        name="avg_pad_never_counts",
        sentence="Both passes divide by the number of real elements although count_include_pad is True: then padding "
        "counts too, as zeros.",
        chapter="04",
        smallest=BORDER,
        changes={
            "share": steps.even_without_padding,
            "pool": steps.sum_over(steps.real_count),
        },
    ),
    _mistake(
        name="avg_ceil_k2",
        sentence="A window that overhangs is divided by K all the same. What lies beyond the padding is never counted.",
        chapter="04",
        smallest=OVERHANG,
        changes={"share": steps.number_over(unclipped), "pool": steps.sum_over(unclipped)},
        styles=({"share": steps.number_over(unclipped)},),
    ),
    _mistake(
        name="avg_ceil_ignored",
        sentence="The number of windows is rounded down although ceil_mode is set.",
        chapter="04",
        smallest=OVERHANG,
        changes={"count": paths.count_down},
    ),
    _mistake(
        name="avg_ceil_beyond",
        sentence="A last window is counted that starts beyond the input and the padding before it. PyTorch leaves it "
        "out: there is nothing real in it.",
        chapter="04",
        smallest=window_case([[1, 2]], [[4]], kernel_size=(1, 2), stride=(1, 3), padding=(0, 1), ceil_mode=True),
        changes={"count": paths.count_up},
    ),
]

AVG_POOL_MISCONCEPTIONS = [*SHARES, *OVERLAPS, *DIVISORS, *shared_mistakes("avg", AVG_POOL)]
