"""Pooling, forward and backward, as a recipe in which every step is a rule that a mistake can change."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import course_lib
from course_lib.exercises.misconceptions.model import Case, Lazily, Operation
from course_lib.exercises.misconceptions.windows import Geometry, cut, flat_targets, pair, targets
from course_lib.geometry import output_size


@dataclass(frozen=True)
class Rules:
    """The steps of pooling, in the order in which they are taken.

    Attributes
    ----------
    enter : callable
        From the input and the upstream gradient to the two that are used.
    leave : callable
        From a result and its right shape to the result that is given back.
    sizes : callable
        From kernel, stride and padding, pairs, to the three that are used.
    count : callable
        From the size of an axis, its kernel, stride, padding and ceil_mode to its number of windows.
    lay : callable
        From the geometry to the one that is used.
    pad_value, beyond : float
        What the explicit padding reads, and what lies beyond it.
    pool : callable
        From the windows to their outputs.
    share : callable
        From the windows to the local derivative of each tap.
    send : callable
        From the windows and the shares to what each tap receives.
    place : callable
        From the targets of the taps and the geometry to the targets that are used.
    collect : callable
        Puts what was sent into the flat gradient; takes it, the targets' flat indices, what was sent, and the shares.
    crop : callable
        From the gradient of the padded input and the geometry to that of the input.
    finish : callable
        From the gradient, the input and the geometry to the result.
    again : callable
        From the result of the first call to that of a second one with the same arguments.
    """

    enter: Callable
    leave: Callable
    sizes: Callable
    count: Callable
    lay: Callable
    pad_value: float
    beyond: float
    pool: Callable
    share: Callable
    send: Callable
    place: Callable
    collect: Callable
    crop: Callable
    finish: Callable
    again: Callable


def pool_recipe(rules, x, grad_output, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                calls=1):  # fmt: skip
    """Both passes by the given rules: ``y`` and ``grad_input``."""
    shapes = x.shape, grad_output.shape
    x, grad_output = rules.enter(x, grad_output)
    sizes = rules.sizes(pair(kernel_size), pair(stride or kernel_size), pair(padding))
    outputs = tuple(rules.count(*axis, ceil_mode) for axis in zip(x.shape[2:], *sizes, strict=True))
    geometry = rules.lay(Geometry(x.shape, *sizes, outputs, include=count_include_pad))
    windows = cut(x, grad_output, geometry, rules.pad_value, rules.beyond)

    def grad_input():
        gradient = rules.finish(backward(rules, windows), x, geometry)
        return rules.leave(rules.again(gradient) if calls > 1 else gradient, shapes[0])

    return Lazily(y=lambda: rules.leave(rules.pool(windows), shapes[1]), grad_input=grad_input)


def backward(rules, windows):
    """The gradient of the input, cropped."""
    geometry, shares = windows.geometry, rules.share(windows)
    sent = rules.send(windows, shares)
    index = flat_targets(rules.place(targets(geometry), geometry), geometry)
    # One element more: what is sent outside the padded input goes there.
    gradient = np.zeros(math.prod(geometry.padded) + 1)
    rules.collect(gradient, np.broadcast_to(index, sent.shape), sent, shares)
    return rules.crop(gradient[:-1].reshape(geometry.padded), geometry)


def as_given(*given):
    """Everything as it is."""
    return given


def window_count(size, kernel, stride, padding, ceil_mode):
    """How many windows an axis has."""
    return output_size(size, kernel, stride, padding, padding, ceil_mode=ceil_mode)


def as_laid(geometry):
    """The geometry as it is."""
    return geometry


def largest(windows):
    """The largest tap of each window."""
    return windows.values.max((-2, -1))


def one_share(windows, taps):
    """Everything to one tap of each window, given by its flat index in the window."""
    return (np.arange(windows.size) == taps[..., None]).reshape(windows.values.shape).astype(np.float64)


def last_nan(windows):
    """The flat index of the last NaN of each window, and whether there is one."""
    nans = np.isnan(windows.flat)
    return windows.size - 1 - nans[..., ::-1].argmax(-1), nans.any(-1)


def first_largest(windows):
    """The first of the largest taps in row-major order; the last NaN, if there is one."""
    nan, found = last_nan(windows)
    return one_share(windows, np.where(found, nan, windows.flat.argmax(-1)))


def is_largest(windows):
    """Where the taps equal the maximum, as 0 and 1."""
    return (windows.values == windows.values.max((-2, -1), keepdims=True)).astype(np.float64)


def divisor(windows):
    """What each average is divided by, (rows, columns)."""
    counted = windows.inside if windows.geometry.include else windows.real
    return counted.sum((-2, -1))


def mean(windows):
    """The mean of each window."""
    return windows.values.sum((-2, -1)) / divisor(windows)


def even(windows):
    """One part for each tap that is counted, of as many as the average counts."""
    return np.broadcast_to(1 / divisor(windows)[..., None, None], windows.values.shape)


def times_upstream(windows, shares):
    """Each tap's share of the upstream gradient."""
    return shares * windows.upstream


def in_place(where, geometry):
    """Every tap stands for the element that it read."""
    return where


def add(gradient, index, sent, shares):
    """What is sent is added up."""
    np.add.at(gradient, index.ravel(), sent.ravel())


def without_padding(gradient, geometry):
    """The part of the gradient that belongs to real elements."""
    (ph, pw), (height, width) = geometry.padding, geometry.shape[2:]
    return gradient[:, :, ph : ph + height, pw : pw + width]


def unchanged(result, *given):
    """The result as it is."""
    return result


MAX_RULES = Rules(
    enter=as_given,
    leave=unchanged,
    sizes=as_given,
    count=window_count,
    lay=as_laid,
    pad_value=-np.inf,
    beyond=-np.inf,
    pool=largest,
    share=first_largest,
    send=times_upstream,
    place=in_place,
    collect=add,
    crop=without_padding,
    finish=unchanged,
    again=unchanged,
)
AVG_RULES = replace(MAX_RULES, pad_value=0.0, beyond=0.0, pool=mean, share=even)


def right_max(x, grad_output, kernel_size, stride=None, padding=0, calls=1):
    """Max pooling as course_lib computes it, any number of calls alike."""
    y, indices = course_lib.max_pool(x, kernel_size, stride, padding, return_indices=True)
    return {"y": y, "grad_input": course_lib.max_pool_backward(grad_output, indices, x.shape)}


def right_avg(x, grad_output, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, calls=1):
    """Average pooling as course_lib computes it, any number of calls alike."""
    geometry, include = (kernel_size, stride, padding, 1, ceil_mode), {"count_include_pad": count_include_pad}
    y = course_lib.avg_pool(x.astype(np.float64), *geometry, **include)
    return {"y": y, "grad_input": course_lib.avg_pool_backward(grad_output, x.shape, *geometry, **include)}


MAX_POOL = Operation("max pooling", right_max, pool_recipe, MAX_RULES)
AVG_POOL = Operation("average pooling", right_avg, pool_recipe, AVG_RULES)


def window_case(rows, upstream, **geometry):
    """One plane with its upstream gradient; a number stands for a single window that fills the plane."""
    gradient = [[upstream]] if isinstance(upstream, int | float) else upstream
    geometry.setdefault("kernel_size", (len(rows), len(rows[0])))
    shown = ", ".join(f"{name}={value}" for name, value in geometry.items() if isinstance(upstream, list))
    name = f"x = {rows}, upstream gradient {upstream}" + (f", {shown}" if shown else "")
    return Case(name, {"x": [[rows]], "grad_output": [[gradient]], **geometry})
