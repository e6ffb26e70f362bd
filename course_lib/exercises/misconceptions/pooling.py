"""Pooling, forward and backward, as a recipe in which every step is a rule that a mistake can change.

It takes (N, C, H, W) and walks over the windows. Slow and explicit: only cases that could be done by hand come here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import course_lib
from course_lib.exercises.misconceptions.model import Case, Operation


@dataclass(frozen=True)
class Window:
    """One window: its elements (kernel rows, kernel columns), padding included, and its upstream gradient."""

    values: np.ndarray
    upstream: float


@dataclass(frozen=True)
class Rules:
    """The steps of pooling. Those of max and of average pooling differ in the first three.

    Attributes
    ----------
    pad_value : float
        What padding counts as.
    pool : callable
        From a window to its output.
    share : callable
        From a window to the local derivative of each of its elements.
    send : callable
        From a window and its shares to what each element receives.
    write : callable
        Takes the gradient of a window's elements, a view, and puts there what was sent.
    finish : callable
        From the gradient of the unpadded input to the result.
    """

    pad_value: float
    pool: Callable
    share: Callable
    send: Callable
    write: Callable
    finish: Callable


def pool_recipe(rules, x, grad_output, kernel_size, stride=None, padding=0):
    """Both passes by the given rules, as a dict of ``y`` and ``grad_input``."""
    (kh, kw), (sh, sw), (ph, pw) = (_pair(value) for value in (kernel_size, stride or kernel_size, padding))
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=rules.pad_value)
    y, grad_input = np.zeros(grad_output.shape), np.zeros(padded.shape)
    for n, c, r, s in np.ndindex(grad_output.shape):
        place = n, c, slice(r * sh, r * sh + kh), slice(s * sw, s * sw + kw)
        window = Window(padded[place], grad_output[n, c, r, s])
        y[n, c, r, s] = rules.pool(window)
        shares = rules.share(window)
        rules.write(grad_input[place], shares, rules.send(window, shares))
    inner = grad_input[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]]
    return {"y": y, "grad_input": rules.finish(inner)}


def _pair(value):
    """One int an axis."""
    return value if isinstance(value, tuple) else (value, value)


def one_share(window, index):
    """Everything to the element at a flat index of the window."""
    shares = np.zeros(window.values.shape)
    shares.flat[index] = 1
    return shares


def first_largest(window):
    """The first of the largest elements in row-major order; the last NaN, if there is one."""
    nans = np.flatnonzero(np.isnan(window.values))
    return one_share(window, nans[-1] if nans.size else np.argmax(window.values))


def is_largest(window):
    """Where the elements equal the maximum, as 0 and 1."""
    return (window.values == window.values.max()).astype(np.float64)


def even(window):
    """1/K for each of the K elements."""
    return np.full(window.values.shape, 1 / window.values.size)


def times_upstream(window, shares):
    """Each element's share of the upstream gradient."""
    return shares * window.upstream


def add(gradient, shares, sent):
    """What was sent is added to what earlier windows sent."""
    gradient += sent


def assign(gradient, shares, sent):
    """What was sent replaces what earlier windows sent."""
    gradient[shares != 0] = sent[shares != 0]


def unchanged(gradient):
    """The gradient as it is."""
    return gradient


MAX_RULES = Rules(
    pad_value=-np.inf,
    pool=lambda window: window.values.max(),
    share=first_largest,
    send=times_upstream,
    write=add,
    finish=unchanged,
)
AVG_RULES = replace(MAX_RULES, pad_value=0.0, pool=lambda window: window.values.mean(), share=even)


def right_max(x, grad_output, kernel_size, stride=None, padding=0):
    """Max pooling as course_lib computes it."""
    y, indices = course_lib.max_pool(x, kernel_size, stride, padding, return_indices=True)
    return {"y": y, "grad_input": course_lib.max_pool_backward(grad_output, indices, x.shape)}


def right_avg(x, grad_output, kernel_size, stride=None, padding=0):
    """Average pooling as course_lib computes it."""
    y = course_lib.avg_pool(x, kernel_size, stride, padding)
    return {"y": y, "grad_input": course_lib.avg_pool_backward(grad_output, x.shape, kernel_size, stride, padding)}


MAX_POOL = Operation("max pooling", right_max, pool_recipe, MAX_RULES)
AVG_POOL = Operation("average pooling", right_avg, pool_recipe, AVG_RULES)


def window_case(rows, upstream, **geometry):
    """One plane with its upstream gradient; a number stands for a single window that fills the plane."""
    gradient = [[upstream]] if isinstance(upstream, int | float) else upstream
    geometry.setdefault("kernel_size", (len(rows), len(rows[0])))
    shown = ", ".join(f"{name}={value}" for name, value in geometry.items() if isinstance(upstream, list))
    name = f"x = {rows}, upstream gradient {upstream}" + (f", {shown}" if shown else "")
    return Case(name, {"x": [[rows]], "grad_output": [[gradient]], **geometry})
