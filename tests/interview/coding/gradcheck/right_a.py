"""One element after the other; the error of a gradient, by central differences whose step grows with the element."""

import numpy as np

SEEDS = (0,)


def gradient_error(f, x, eps, grad_output, analytic):
    x = np.array(x, np.float64)
    gradient = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        before = x[place]
        step = eps * max(1, abs(before))
        x[place] = before + step
        above = np.sum(grad_output * f(x))
        x[place] = before - step
        below = np.sum(grad_output * f(x))
        x[place] = before
        gradient[place] = (above - below) / (2 * step)
    return np.abs(analytic - gradient).max() / np.abs(gradient).max()
