"""Keeps what f returned, and f writes into it again."""

import numpy as np

SEEDS = (9,)


def numeric_jacobian(f, x, eps):
    x = np.asarray(x, np.float64)
    columns = []
    for number, direction in enumerate(np.eye(x.size).reshape(x.size, *x.shape)):
        step = eps * max(1, abs(x.flat[number]))
        above, below = f(x + step * direction), f(x - step * direction)
        columns.append((above - below).ravel() / (2 * step))
    return np.stack(columns, axis=-1)
