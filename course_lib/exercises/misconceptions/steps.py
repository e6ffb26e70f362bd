"""Wrong steps of pooling: what stands in the place of a right rule."""

import numpy as np

from course_lib.exercises.misconceptions.pooling import even, is_largest, one_share


def equal_share(window):
    """The largest elements share equally."""
    largest = is_largest(window)
    return largest / largest.sum()


def last_largest(window):
    """The last of the largest elements in row-major order."""
    return one_share(window, np.flatnonzero(is_largest(window))[-1])


def first_largest_by_column(window):
    """The first of the largest elements, read column by column."""
    columns = is_largest(window).T
    return np.reshape(np.eye(columns.size)[np.argmax(columns)], columns.shape).T


def only_without_tie(window):
    """The largest element if it is alone, else nobody."""
    largest = is_largest(window)
    return largest * (largest.sum() == 1)


def smallest(window):
    """The smallest element."""
    return one_share(window, np.argmin(window.values))


def everyone(window):
    """The whole gradient to every element."""
    return np.ones(window.values.shape)


def without_upstream(window, shares):
    """The local derivative alone."""
    return shares


def times_maximum(window, shares):
    """The local derivative times the pooled value."""
    return shares * window.values.max()


def times_both(window, shares):
    """The upstream gradient times the pooled value."""
    return shares * window.values.max() * window.upstream


def against(window, shares):
    """Minus the gradient."""
    return -shares * window.upstream


def transposed(gradient):
    """Rows and columns exchanged."""
    return np.swapaxes(gradient, 2, 3)


def by_kernel_side(window):
    """1/k for a window of k rows."""
    return np.full(window.values.shape, 1 / len(window.values))


def even_twice(window):
    """1/K²."""
    return even(window) / window.values.size


def by_value(window):
    """Each element's part of the window's sum."""
    total = window.values.sum()
    return window.values / total if total else even(window)


def times_mean(window, shares):
    """The pooled value in place of the gradient, at every element."""
    return np.full(window.values.shape, window.values.mean())
