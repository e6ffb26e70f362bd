"""All axes at once in arrays; padding behind the input counts."""

import numpy as np

SEEDS = (8,)


def output_sizes(input_size, kernel_size, stride, padding, dilation):
    size, kernel, step, pad, apart = map(np.array, (input_size, kernel_size, stride, padding, dilation))
    whole = size + 2 * pad
    windows = np.ceil((whole - apart * (kernel - 1) - 1) / step).astype(int) + 1
    return np.where((windows - 1) * step >= whole, windows - 1, windows).tolist()
