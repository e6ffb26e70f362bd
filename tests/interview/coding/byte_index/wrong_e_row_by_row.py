"""The window is counted row by row, and column by column is asked for."""

import numpy as np

SEEDS = (12,)
KNOWN = "byte_as_rows"


def byte_indices(x, kernel_size, stride, padding):
    (kh, kw), (ph, pw), (sh, sw) = kernel_size, padding, stride
    padded = np.pad(x, ((ph, ph), (pw, pw)), constant_values=-np.inf)
    shape = (padded.shape[0] - kh) // sh + 1, (padded.shape[1] - kw) // sw + 1
    codes, indices = np.zeros(shape, np.uint8), np.zeros(shape, int)
    for i, j in np.ndindex(shape):
        codes[i, j] = padded[i * sh : i * sh + kh, j * sw : j * sw + kw].argmax()
        a, b = divmod(int(codes[i, j]), kw)
        indices[i, j] = (i * sh - ph + a) * x.shape[1] + j * sw - pw + b
    return codes, indices
