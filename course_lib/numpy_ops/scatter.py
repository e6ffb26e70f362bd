"""Adds gradients at flat positions of their own plane: the backward of everything that picks one element a window."""

from functools import partial
from math import prod

import numpy as np

from course_lib import arguments
from course_lib.numpy_ops.blocks import budget, share
from course_lib.numpy_ops.layout import sum_dtype

# Windows and elements that are treated at a time: what they need stays in the second-level cache.
WINDOWS, ELEMENTS = 2**14, 2**16


def scatter_add(grad_output, indices, sizes):
    """The gradient (planes, *sizes, lanes) of elements picked at ``indices`` (planes, *windows, lanes).

    Index −1 adds nothing, any other index outside the plane raises ValueError.
    """
    planes, *windows, lanes = grad_output.shape
    windows, size = prod(windows), prod(sizes)
    grad_input = np.zeros((planes, size, lanes), grad_output.dtype)
    step = max(1, min(WINDOWS // max(1, windows * lanes), ELEMENTS // (size * lanes)))
    groups = [slice(first, first + step) for first in range(0, planes, step)]
    flat = (array.reshape(planes, windows, lanes) for array in (grad_output, indices))
    share(partial(scatter_groups, *flat, grad_input), groups, budget(grad_input.size)[0])
    return grad_input.reshape(planes, *sizes, lanes)


def scatter_groups(grad_output, indices, grad_input, groups):
    """Treats some groups of planes, and their windows in pieces where one plane has too many."""
    for group in groups:
        target = grad_input[group].astype(sum_dtype(grad_input.dtype), copy=False)
        step = max(1, WINDOWS // (len(target) * target.shape[2]))
        for first in range(0, indices.shape[1], step):
            piece = slice(first, first + step)
            add_piece(target, grad_output[group, piece], indices[group, piece])
        if target.dtype != grad_input.dtype:
            with np.errstate(over="ignore"):
                grad_input[group] = target


def add_piece(target, gradients, places):
    """Adds the gradients of some windows; all indices are checked before."""
    size, lanes = target.shape[1:]
    starts = np.broadcast_to(np.arange(len(target))[:, None, None] * (size * lanes) + np.arange(lanes), places.shape)
    # Read as unsigned, negative numbers are the largest: one pass finds every index outside the plane.
    if places.size and places.view(np.uint64).max() >= size:
        arguments.index_range(places, size)
        real = places >= 0
        places, gradients, starts = places[real], gradients[real], starts[real]
    flat = places * lanes + starts if lanes > 1 else places + starts
    # add.at, not +=: windows overlap, and += would keep only the last of them.
    np.add.at(target.reshape(-1), flat.reshape(-1), gradients.astype(target.dtype, copy=False).reshape(-1))
