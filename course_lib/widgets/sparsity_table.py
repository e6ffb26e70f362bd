"""The table of the sparsity explorable: where on a photograph a gradient arrives, for every reduction and window."""

from itertools import product

import numpy as np

from course_lib import arguments, routing
from course_lib.dispatch import avg_pool_backward, conv, conv_backward, max_pool, max_pool_backward
from course_lib.widgets import table as tables

SEED = 0
# Enough for every bit: a chapter may compare.
DIGITS = 17
ORDERED = ("kernel_size", "stride")
LABELS = {"kernel_size": "kernel size k", "stride": "stride s", "front": "in front of it"}
# Letters for the size of a gradient, from the strongest below zero to the strongest above; the middle one is zero.
CODES = "onmlkjihgfedcba.ABCDEFGHIJKLMNO"
STRENGTHS = len(CODES) // 2


def build(x, choices):
    """The table of one photograph.

    Parameters
    ----------
    x : ndarray (H, W), float64
        From 0 (black) to 1 (white).
    choices : dict of list
        The options of operation, kernel_size, stride and front.

    Returns
    -------
    dict, ready for JSON
    """
    maps = tables.Pool()
    settings = {}
    for operation, kernel_size, stride, front in product(*choices.values()):
        found = measured(x, operation, kernel_size, stride, front == "convolution")
        entry = {"share": tables.number(1 / kernel_size**2, DIGITS), **_entry(found, maps)}
        settings[tables.key((operation, kernel_size, stride, front))] = entry
    table = {
        "kind": "sparsity",
        "controls": [_control(name, options) for name, options in choices.items()],
        "settings": settings,
        "input": {"shape": list(x.shape), "greys": "".join(_grey(value) for value in x.ravel())},
        "maps": maps.entries,
    }
    return tables.small(table, "x", x.shape)


def _control(name, options):
    """One control: numbers in ascending order, words in the order given."""
    return {"name": name, "label": LABELS.get(name, name), "options": sorted(options) if name in ORDERED else options}


def measured(x, operation, kernel_size, stride, convolved=False):
    """The gradient before a reduction, and before a convolution in front of it.

    The upstream gradient is drawn from a normal distribution, so that no two paths cancel by accident; kernels are
    drawn in the same way. The convolution has one 3 × 3 kernel and keeps the size.

    Parameters
    ----------
    x : ndarray (H, W), float64
    operation : "max", "average" or "strided convolution"
    kernel_size, stride : int
    convolved : bool
        Whether a convolution stands in front.

    Returns
    -------
    dict of pool (the gradient of the reduction's input), photo (that of the photograph, or None without a convolution
    in front), outputs (how many the reduction has)
    """
    image = x[None, None]
    front = _normal("front", (1, 1, 3, 3))
    values = conv(image, front, padding=1) if convolved else image
    axes = arguments.pool_axes(x.shape, kernel_size, stride)
    upstream = _normal("upstream", (1, 1, *(axis.output for axis in axes)))
    before = _backward(upstream, values, operation, kernel_size, stride)
    photo = conv_backward(before, image, front, padding=1)[0][0, 0] if convolved else None
    return {"pool": before[0, 0], "photo": photo, "outputs": upstream.size}


def _backward(upstream, values, operation, kernel_size, stride):
    """The gradient of a reduction's input."""
    if operation == "max":
        indices = max_pool(values, kernel_size, stride, return_indices=True)[1]
        return max_pool_backward(upstream, indices, values.shape)
    if operation == "average":
        return avg_pool_backward(upstream, values.shape, kernel_size, stride)
    weight = _normal("strided", (1, 1, kernel_size, kernel_size))
    return conv_backward(upstream, values, weight, stride)[0]


def _normal(name, shape):
    """Numbers that depend on the name and the shape alone."""
    return np.random.default_rng([SEED, *name.encode(), *shape]).standard_normal(shape)


def _entry(found, maps):
    """One setting for JSON: densities, and which maps they are of."""
    pool, photo = found["pool"], found["photo"]
    entry = {
        "pool": maps.add(codes(pool)),
        "density": tables.number(routing.density(pool), DIGITS),
        "reached": int(np.count_nonzero(pool)),
        "outputs": found["outputs"],
        "bound": tables.number(found["outputs"] / pool.size, DIGITS),
    }
    if photo is None:
        return entry
    return {**entry, "photo": maps.add(codes(photo)), "photo_density": tables.number(routing.density(photo), DIGITS)}


def codes(gradient):
    """One letter for each element: capitals above zero, small letters below, later in the alphabet is stronger.

    Examples
    --------
    >>> codes(np.array([[0.0, 1.0], [-1.0, 1e-9]]))
    '.OoA'
    """
    top = np.abs(gradient).max() or 1.0
    # What is not zero keeps a colour of its own, however small it is.
    levels = np.sign(gradient) * np.ceil(np.abs(gradient) / top * STRENGTHS)
    return "".join(CODES[int(level) + STRENGTHS] for level in levels.ravel())


def _grey(value):
    """A grey as one of 36 signs, dark to bright."""
    return np.base_repr(int(round(float(np.clip(value, 0, 1)) * 35)), 36)
