"""The rows of an identity matrix as directions; a Jacobian by central differences."""

import numpy as np

SEEDS = (2, 3)


def numeric_gradient(x, f, eps):
    x = np.asarray(x, np.float64)
    columns = []
    for direction in np.eye(x.size).reshape(x.size, *x.shape):
        above = np.array(f(x + eps * direction))
        columns.append((above - f(x - eps * direction)).ravel() / (2 * eps))
    return np.stack(columns, axis=-1)
