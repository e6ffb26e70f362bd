"""Keeps what f returned, and f writes into it again."""

import numpy as np

SEEDS = (2, 3)


def numeric_gradient(x, f, eps):
    x = np.asarray(x, np.float64)
    columns = []
    for direction in np.eye(x.size).reshape(x.size, *x.shape):
        above, below = f(x + eps * direction), f(x - eps * direction)
        columns.append((above - below).ravel() / (2 * eps))
    return np.stack(columns, axis=-1)
