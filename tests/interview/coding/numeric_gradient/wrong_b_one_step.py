"""The two points are two steps apart, and it is divided by one."""

import numpy as np

SEEDS = (2, 3)
KNOWN = "differences_one_step"


def numeric_gradient(x, f, eps):
    x = np.asarray(x, np.float64)
    columns = []
    for direction in np.eye(x.size).reshape(x.size, *x.shape):
        above = np.array(f(x + eps * direction))
        columns.append((above - f(x - eps * direction)).ravel() / eps)
    return np.stack(columns, axis=-1)
