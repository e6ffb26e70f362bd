"""One element after the other; a gradient by central differences, with a step that grows with the element."""

import numpy as np

SEEDS = (9,)


def numeric_gradient(f, x, eps, grad_output):
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
    return gradient
