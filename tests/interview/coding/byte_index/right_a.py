"""Loops; a byte counts the window row by row, the first of equals."""

import numpy as np

SEEDS = (2, 3, 8)


def byte_indices(x, kernel_size, stride):
    (kh, kw), (sh, sw) = kernel_size, stride
    shape = (x.shape[0] - kh) // sh + 1, (x.shape[1] - kw) // sw + 1
    codes, indices = np.zeros(shape, np.uint8), np.zeros(shape, int)
    for i, j in np.ndindex(shape):
        codes[i, j] = x[i * sh : i * sh + kh, j * sw : j * sw + kw].argmax()
        a, b = divmod(int(codes[i, j]), kw)
        indices[i, j] = (i * sh + a) * x.shape[1] + j * sw + b
    return codes, indices
