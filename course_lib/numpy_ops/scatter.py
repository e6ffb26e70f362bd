"""Adds gradients at flat positions of their own plane: the backward of everything that picks one element a window."""

from functools import lru_cache, partial
from math import prod

import numpy as np

from course_lib import arguments
from course_lib.numpy_ops.blocks import budget, share

# Windows and elements that are treated at a time: what they need stays in the second-level cache.
WINDOWS, ELEMENTS = 2**14, 2**17
# Windows from which a plane is treated alone: its indices need not be moved to where the plane begins.
MANY_WINDOWS = 2**13
# Bytes from which memory comes straight from the system, which fills it with zeros itself.
FRESH = 2**25


def scatter_add(grad_output, indices, sizes):
    """The gradient (planes, *sizes, lanes) of elements picked at ``indices`` (planes, *windows, lanes).

    Index −1 adds nothing, any other index outside the plane raises ValueError.
    """
    if grad_output.dtype == np.float16:
        return scatter_half(grad_output, indices, sizes)
    planes, *windows, lanes = indices.shape
    shape = planes, *sizes, lanes
    # Planes without windows are never cleared.
    fresh = prod(shape) * grad_output.itemsize >= FRESH or not prod(windows)
    grad_input = (np.zeros if fresh else np.empty)(shape, grad_output.dtype)
    flat = (array.reshape(planes, prod(array.shape[1:])) for array in (grad_output, indices, grad_input))
    step = planes_at_a_time(prod(windows) * lanes, prod(sizes) * lanes)
    groups = [slice(first, first + step) for first in range(0, planes, step)]
    share(partial(scatter, *flat, lanes, not fresh), groups, budget(grad_input.size)[0])
    return grad_input


def scatter_half(grad_output, indices, sizes):
    """`scatter_add` for half precision: a few planes at a time, in float32."""
    grad_input = np.empty((len(indices), *sizes, indices.shape[-1]), grad_output.dtype)
    step = max(1, ELEMENTS // prod(grad_input.shape[1:]))
    for first in range(0, len(indices), step):
        part = slice(first, first + step)
        with np.errstate(over="ignore"):
            grad_input[part] = scatter_add(grad_output[part].astype(np.float32), indices[part], sizes)
    return grad_input


def planes_at_a_time(windows, elements):
    """How many planes with so many windows and elements are treated together."""
    return 1 if windows >= MANY_WINDOWS else max(1, min(WINDOWS // max(1, windows), ELEMENTS // elements))


def scatter(grad_output, indices, grad_input, lanes, clear, groups):
    """Treats some planes after others, and in pieces where one has too many windows. Arrays are (planes, all else)."""
    size = grad_input.shape[1] // lanes
    # Whole rows of lanes, so that every piece begins with the first lane.
    step = max(1, WINDOWS // lanes) * lanes
    for group in groups:
        gradients, places, target = (array[group].reshape(-1) for array in (grad_output, indices, grad_input))
        starts = starts_of(target.size // (size * lanes), min(step, indices.shape[1]), lanes, size)
        for first in range(0, len(places), step):
            piece = slice(first, first + step)
            into, values = within(places[piece], gradients[piece], starts, lanes, size)
            # Cleared only now: what is read from far comes first, and what is written next stays near.
            if clear and first == 0:
                target.fill(0)
            # add.at, not +=: windows overlap, and += would keep only the last of them.
            np.add.at(target, into, values)


@lru_cache(maxsize=8)
def starts_of(planes, windows, lanes, size):
    """Where in a stack of planes the plane and the lane of each window begin; None if all begin at 0."""
    if planes == lanes == 1:
        return None
    return (np.arange(planes)[:, None] * (size * lanes) + np.arange(windows) % lanes).reshape(-1)


def within(places, gradients, starts, lanes, size):
    """Indices in the stack of planes, and their gradients. All indices are checked; those that stand for nothing go."""
    into = places * lanes if lanes > 1 else places
    if starts is not None:
        into = into + starts[: len(into)]
    # Read as unsigned, negative numbers are the largest: one pass finds every index outside the plane.
    if np.maximum.reduce(places.view(np.uint64)) >= size:
        arguments.index_range(places, size)
        return into[places >= 0], gradients[places >= 0]
    return into, gradients
