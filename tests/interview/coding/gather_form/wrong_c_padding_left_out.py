"""Counts positions without the padding."""

import math

SEEDS = (0,)
KNOWN = "gather_no_padding"


def gradient_of(place, grad_output, input_size, kernel_size, stride, padding):
    total = 0.0
    rows, columns = (
        range(max(math.ceil((at - kernel_size + 1) / stride), 0), min(at // stride, count - 1) + 1)
        for at, count in zip(place, grad_output.shape, strict=True)
    )
    for i in rows:
        for j in columns:
            total += grad_output[i, j] / kernel_size**2
    return total
