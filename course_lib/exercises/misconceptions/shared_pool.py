"""What goes wrong in every pooling: places, axes, sizes. Each mistake stands twice, for the maximum and the average."""

import numpy as np

from course_lib.exercises.misconceptions import paths, steps
from course_lib.exercises.misconceptions.model import Case, Misconception
from course_lib.exercises.misconceptions.pooling import window_case

BORDER = window_case([[3]], [[7]], kernel_size=2, stride=2, padding=1)
SHIFTED = window_case([[1, 2]], [[4, 9]], kernel_size=2, stride=2, padding=1)
STEPS = window_case([[1, 7, 2], [3, 4, 5]], [[4, 9]], kernel_size=2, stride=1)
SQUARE = window_case([[9, 2, 8], [3, 1, 4], [7, 5, 6]], [[1, 2], [4, 8]], kernel_size=2, stride=1)
WIDE = window_case([[1, 2, 3], [4, 9, 5]], [[8]], kernel_size=(2, 3), stride=1)
TWO_CHANNELS = Case(
    "two channels", {"x": [[[[1, 5]], [[4, 2]]]], "grad_output": [[[[3]], [[8]]]], "kernel_size": (1, 2)}
)
TWO_SAMPLES = Case(
    "two samples", {"x": [[[[1, 5]]], [[[4, 2]]]], "grad_output": [[[[3]]], [[[8]]]], "kernel_size": (1, 2)}
)
AGAIN = Case("a second call", {"x": [[[[1, 5]]]], "grad_output": [[[[3]]]], "kernel_size": (1, 2), "calls": 2})
WHOLE = Case("an integer input", {"x": np.array([[[[1, 5]]]]), "grad_output": [[[[0.5]]]], "kernel_size": (1, 2)})


def shared_mistakes(prefix, operation):
    """The mistakes for one operation; their names begin with the prefix."""

    def mistake(name, *given, **named):
        return _mistake(f"{prefix}_{name}", *given, operation=operation, **named)

    return [
        *_places(mistake),
        *_ends(mistake),
        *_axes(mistake, operation.rules.pool),
        *_sizes(mistake),
        *_results(mistake),
    ]


def _mistake(name, chapter, smallest, sentence, *forms, operation, shows=None):
    """An entry whose forms are its changes and its styles."""
    return Misconception(name, sentence, chapter, smallest, operation, forms[0], forms[1:], shows)


def _places(mistake):
    """The gradient goes to another element."""
    yield mistake(
        "local_offset",
        "04",
        STEPS,
        "The gradient is put at the offset within the window, counted from the corner of the input: where the window "
        "starts is left out.",
        {"place": paths.from_the_corner},
        {"place": paths.from_the_padded_corner},
    )
    yield mistake(
        "pad_offset",
        "04",
        SHIFTED,
        "Positions in the padded input are used for the input itself, so that everything arrives one padding too far "
        "down and to the right. Subtract the padding, or cut from [p : p + H].",
        {"crop": paths.cropped_from_the_corner},
        {"place": paths.padded_index},
    )
    yield mistake(
        "no_crop",
        "04",
        BORDER,
        "The gradient has the shape of the padded input. It needs a place for every real element and none for padding.",
        {"crop": paths.not_cropped},
    )
    yield mistake(
        "crop_empty",
        "04",
        window_case([[3]], [[7]], kernel_size=1, stride=1),
        "The padding is cut off with [p:-p]. Without padding that is [0:-0], which is empty: write [p : p + H].",
        {"crop": paths.cropped_to_minus},
    )


def _misordered(axes, pool):
    """The forward alone, and both passes, with the windows of an im2col in another order."""
    outputs = {"pool": paths.misordered_outputs(axes, pool)}
    return outputs, outputs | {"enter": paths.misordered(axes)}


def _ends(mistake):
    """The gradient is too small."""
    yield mistake(
        "remainder_cut",
        "01",
        window_case([[1, 2, 3]], [[4]], kernel_size=(1, 2), stride=(1, 2)),
        "The gradient ends with the last window. What is left over belongs to the input all the same: its gradient is "
        "0, and has a place.",
        {"crop": paths.cropped_to_windows},
    )


def _axes(mistake, pool):
    """Samples, channels, rows and columns are mixed up."""
    yield mistake(
        "channel_mix",
        "04",
        TWO_CHANNELS,
        "The gradients of all channels go to the first one: the flat index lacks the channel's offset.",
        {"place": paths.to_channel_0},
    )
    yield mistake(
        "batch_mix",
        "04",
        TWO_SAMPLES,
        "The gradients of all samples go to the first one: the flat index lacks the sample's offset.",
        {"place": paths.to_sample_0},
    )
    yield mistake(
        "layout",
        "04",
        TWO_CHANNELS,
        "Axes are in another order than they are read in: a reshape where a transpose belongs, or (N, H, W, C) for "
        "(N, C, H, W).",
        {"enter": paths.reshaped_last, "leave": paths.reshaped_back},
        {"enter": paths.moved_last, "leave": paths.moved_back},
        *_misordered((0, 2, 3, 1), pool),
        *_misordered((2, 3, 0, 1), pool),
    )
    yield mistake(
        "dy_transposed",
        "04",
        SQUARE,
        "Rows and columns of the upstream gradient are exchanged. An upstream gradient of ones would hide it.",
        {"send": steps.with_upstream_transposed},
    )


def _sizes(mistake):
    """The windows are others, or there are more or fewer of them."""
    yield mistake(
        "stride_is_k",
        "03",
        STEPS,
        "The windows lie side by side, at multiples of the kernel size. They start at multiples of the stride.",
        {"lay": paths.lay_side_by_side},
        {"place": paths.side_by_side},
        {"sizes": paths.stride_is_kernel},
    )
    yield mistake(
        "square_only",
        "01",
        WIDE,
        "The first number of a pair is used for both axes. Kernel, stride and padding have one for rows and one for "
        "columns.",
        {"sizes": paths.square(True, True, True)},
        {"sizes": paths.square(True, False, False)},
        {"sizes": paths.square(False, True, False)},
        {"sizes": paths.square(False, False, True)},
        {"lay": paths.lay_square(True, False)},
        {"lay": paths.lay_square(False, True)},
        {"lay": paths.lay_square(True, True)},
    )
    yield mistake(
        "size_without_padding",
        "01",
        SHIFTED,
        "The number of windows leaves the padding out. It is (H + 2·p − k) // s + 1.",
        {"count": paths.count_without_padding},
    )
    yield mistake(
        "size_padding_once",
        "01",
        SHIFTED,
        "The number of windows counts the padding of one side. An axis is padded before and after: H + 2·p.",
        {"count": paths.count_with_padding_once},
    )
    yield mistake(
        "size_off_by_one",
        "01",
        STEPS,
        "There is one window too few. (H + 2·p − k) // s counts the steps; the first window stands before them.",
        {"count": paths.count_one_too_few},
    )
    yield mistake(
        "size_by_division",
        "01",
        STEPS,
        "The number of windows is the input size over the stride. That holds only where the windows tile the input.",
        {"count": paths.count_by_division},
    )
    yield mistake(
        "size_rounded_up",
        "01",
        window_case([[1, 2, 3]], [[4]], kernel_size=(1, 2), stride=(1, 2)),
        "A last window that overhangs the input is counted. Without ceil_mode the number of windows is rounded down.",
        {"count": paths.count_up},
    )


def _results(mistake):
    """What becomes of the gradient at the end."""
    yield mistake(
        "stale_buffer",
        "07",
        AGAIN,
        "The second call adds to what the first one left: start every backward from zeros of its own.",
        {"again": paths.twice},
    )
    yield mistake(
        "int_dx",
        "07",
        WHOLE,
        "The gradient has the integer type of the input, as np.zeros_like(x) makes it, and its fractions are cut off.",
        {"finish": paths.in_the_type_of_x},
    )
