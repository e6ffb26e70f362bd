"""Moves x itself, in whatever type it has."""

import numpy as np

SEEDS = (11,)


def numeric_gradient(f, x, eps, grad_output):
    gradient, here = np.zeros(x.shape), np.sum(grad_output * f(x))
    for place in np.ndindex(x.shape):
        x[place] += eps
        gradient[place] = (np.sum(grad_output * f(x)) - here) / eps
        x[place] -= eps
    return gradient
