"""The sum of the outputs, without the upstream gradient."""

import numpy as np

SEEDS = (11,)
KNOWN = "differences_upstream"


def numeric_gradient(f, x, eps, grad_output):
    x = np.asarray(x, np.float64)
    here, gradient = np.sum(f(x)), np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        moved = x.copy()
        moved[place] += eps
        gradient[place] = (np.sum(f(moved)) - here) / eps
    return gradient
