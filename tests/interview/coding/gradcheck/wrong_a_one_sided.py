"""Forward differences, where both sides were asked for."""

import numpy as np

SEEDS = (0,)
KNOWN = "differences_forward"


def gradient_error(f, x, eps, grad_output, analytic):
    x = np.array(x, np.float64)
    gradient = np.zeros(x.shape)
    here = np.sum(grad_output * f(x))
    for place in np.ndindex(x.shape):
        before = x[place]
        step = eps * max(1, abs(before))
        x[place] = before + step
        gradient[place] = (np.sum(grad_output * f(x)) - here) / step
        x[place] = before
    return np.abs(analytic - gradient).max() / np.abs(gradient).max()
