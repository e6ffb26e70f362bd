"""The two points are two steps apart, and it is divided by one."""

import numpy as np

SEEDS = (9,)
KNOWN = "differences_one_step"


def numeric_jacobian(f, x, eps):
    x = np.asarray(x, np.float64)
    columns = []
    for number, direction in enumerate(np.eye(x.size).reshape(x.size, *x.shape)):
        step = eps * max(1, abs(x.flat[number]))
        above = np.array(f(x + step * direction))
        columns.append((above - f(x - step * direction)).ravel() / step)
    return np.stack(columns, axis=-1)
