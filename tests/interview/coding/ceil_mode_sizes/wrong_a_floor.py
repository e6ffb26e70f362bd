"""Rounded down."""

SEEDS = (2, 3)
KNOWN = "ceil_rounded_down"


def output_sizes(input_size, kernel_size, stride, padding):
    axes = zip(input_size, kernel_size, stride, padding, strict=True)
    return [(size + 2 * pad - kernel) // step + 1 for size, kernel, step, pad in axes]
