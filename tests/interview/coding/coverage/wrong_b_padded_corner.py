"""The counts are read from the corner of the padded plane on."""

import numpy as np

SEEDS = (2, 8)
KNOWN = "coverage_shifted"


def coverage(input_size, kernel_size, stride, padding):
    (height, width), (kh, kw), (sh, sw), (ph, pw) = input_size, kernel_size, stride, padding
    counts = np.zeros((height + 2 * ph, width + 2 * pw))
    for i in range(0, height + 2 * ph - kh + 1, sh):
        for j in range(0, width + 2 * pw - kw + 1, sw):
            counts[i : i + kh, j : j + kw] += 1
    return counts[:height, :width]
