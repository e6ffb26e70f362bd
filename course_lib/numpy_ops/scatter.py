"""Adds gradients at flat positions of their own plane: the backward of everything that picks one element a window.

Such a gradient is a sparse matrix, planes by elements, with one entry a window: to write it out is to add the
gradients. SciPy does that in one pass, where NumPy first moves the indices to where their plane begins. One thread does
it all: two would have to clear the memory first, block by block, which costs more than the second one saves.
"""

from functools import lru_cache
from math import prod

import numpy as np

from course_lib import arguments
from course_lib.numpy_ops import memory

# Windows and elements that NumPy treats at a time: what they need stays in the second-level cache.
WINDOWS, ELEMENTS = 2**14, 2**17
# Windows up to which the direct path is the faster one.
FEW = 256
# Windows from which a plane is treated alone: its indices need not be moved to where the plane begins.
MANY_WINDOWS = 2**13


def scatter_add(grad_output, indices, sizes):
    """The gradient (planes, *sizes, lanes) of elements picked at ``indices`` (planes, *windows, lanes).

    Index −1 adds nothing, any other index outside the plane raises ValueError.
    """
    if grad_output.dtype == np.float16:
        return scatter_half(grad_output, indices, sizes)
    planes, lanes = indices.shape[0], indices.shape[-1]
    shape = planes, *sizes, lanes
    if not indices.size:
        return np.zeros(shape, grad_output.dtype)
    if indices.size <= FEW and planes == lanes == 1:
        return scatter_few(grad_output, indices, shape)
    windows, elements = prod(indices.shape[1:]), prod(sizes) * lanes
    gradients, places = (np.ascontiguousarray(array).reshape(planes, windows) for array in (grad_output, indices))
    if lanes == 1 and indices.size > FEW and inside(places, elements):
        return written_out(gradients, places, elements).reshape(shape)
    return added(gradients, places, elements, lanes).reshape(shape)


def scatter_few(grad_output, indices, shape):
    """`scatter_add` for a few windows of one plane, without what prepares for many."""
    grad_input, places = np.zeros(prod(shape), grad_output.dtype), indices.reshape(-1)
    arguments.index_range(places, len(grad_input))
    real = places >= 0 if places.size and places.min() < 0 else slice(None)
    with np.errstate(over="ignore", invalid="ignore"):
        np.add.at(grad_input, places[real], grad_output.reshape(-1)[real])
    return grad_input.reshape(shape)


def scatter_half(grad_output, indices, sizes):
    """`scatter_add` for half precision: a few planes at a time, in float32."""
    grad_input = np.empty((len(indices), *sizes, indices.shape[-1]), grad_output.dtype)
    step = max(1, ELEMENTS // prod(grad_input.shape[1:]))
    for first in range(0, len(indices), step):
        part = slice(first, first + step)
        with np.errstate(over="ignore"):
            grad_input[part] = scatter_add(grad_output[part].astype(np.float32), indices[part], sizes)
    return grad_input


def inside(places, size):
    """Whether every index lies in the plane: read as unsigned, negative numbers are the largest."""
    return bool(np.maximum.reduce(places.view(np.uint64), axis=None) < size)


def written_out(gradients, places, elements):
    """The sums of gradients (planes, windows) at places (planes, windows), as (planes, elements).

    The places were checked before. SciPy does not look: it writes wherever they point.
    """
    # Loaded late: small planes need none of it.
    from scipy.sparse import csr_array

    planes, windows = places.shape
    matrix = csr_array((planes, elements), dtype=gradients.dtype)
    # Put in afterwards: SciPy copies what is part of something larger, if it is given at once.
    matrix.data, matrix.indices = gradients.reshape(-1), places.reshape(-1)
    matrix.indptr = np.arange(planes + 1) * windows
    return matrix.toarray()


def added(gradients, places, elements, lanes):
    """As `written_out`, for planes with lanes and for index −1, which adds nothing."""
    planes, windows = places.shape
    grad_input = memory.empty((planes, elements), gradients.dtype)
    step = planes_at_a_time(windows, elements)
    # What overflows or is not finite goes into the sums as it is.
    with np.errstate(over="ignore", invalid="ignore"):
        for first in range(0, planes, step):
            group = (array[first : first + step].reshape(-1) for array in (gradients, places, grad_input))
            scatter(*group, windows, elements, lanes)
    return grad_input


def planes_at_a_time(windows, elements):
    """How many planes with so many windows and elements are treated together."""
    return 1 if windows >= MANY_WINDOWS else max(1, min(WINDOWS // max(1, windows), ELEMENTS // elements))


def scatter(grad_output, indices, grad_input, windows, elements, lanes):
    """Treats some planes of so many windows and elements, lanes included. All arrays are flat."""
    size = elements // lanes
    # In pieces, where one plane has too many windows: whole rows of lanes, so that each begins with the first lane.
    step = max(1, WINDOWS // lanes) * lanes
    starts = starts_of(len(grad_input) // elements, min(step, windows), lanes, size)
    for first in range(0, len(indices), step):
        into, values = within(indices[first : first + step], grad_output[first : first + step], starts, lanes, size)
        # Cleared only now: what is read from far comes first, and what is written next stays near.
        if first == 0:
            memory.clear(grad_input)
        if windows == 1:
            # No two gradients meet. As a sum would be: −0.0 added to 0 is 0.
            grad_input[into] = values + 0
        else:
            # add.at, not +=: windows overlap, and += would keep only the last of them.
            np.add.at(grad_input, into, values)


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
        into = into + (starts if len(into) == len(starts) else starts[: len(into)])
    # Read as unsigned, negative numbers are the largest: one pass finds every index outside the plane.
    if len(places) and np.maximum.reduce(places.view(np.uint64)) >= size:
        arguments.index_range(places, size)
        return into[places >= 0], gradients[places >= 0]
    return into, gradients
