"""A last window in the padding behind the input counts, though it should not."""

import math

SEEDS = (11,)
KNOWN = "ceil_last_window"


def output_sizes(input_size, kernel_size, stride, padding):
    sizes = []
    for size, kernel, step, (before, after) in zip(input_size, kernel_size, stride, padding, strict=True):
        windows = math.ceil((size + before + after - kernel) / step) + 1
        sizes.append(windows - ((windows - 1) * step >= size + before + after))
    return sizes
