"""Moves x itself, in whatever type it has."""

import numpy as np

SEEDS = (9,)


def numeric_gradient(f, x, eps, grad_output):
    gradient = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        step = eps * max(1, abs(x[place]))
        x[place] += step
        above = np.sum(grad_output * f(x))
        x[place] -= 2 * step
        below = np.sum(grad_output * f(x))
        x[place] += step
        gradient[place] = (above - below) / (2 * step)
    return gradient
