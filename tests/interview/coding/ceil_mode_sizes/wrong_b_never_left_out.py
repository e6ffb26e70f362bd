"""The last window counts wherever it begins."""

import math

SEEDS = (2, 3)
KNOWN = "ceil_never_left_out"


def output_sizes(input_size, kernel_size, stride, padding):
    axes = zip(input_size, kernel_size, stride, padding, strict=True)
    return [math.ceil((size + 2 * pad - kernel) / step) + 1 for size, kernel, step, pad in axes]
