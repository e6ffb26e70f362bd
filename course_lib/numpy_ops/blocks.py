"""Cuts an operation into blocks that stay in the cache, and shares the blocks among threads."""

from itertools import product
from typing import NamedTuple

from course_lib import threads
from course_lib.geometry import span

# Elements of a block. One thread is fastest in the second-level cache. Two hold each other up where calls are short,
# for only one at a time may enter or leave NumPy.
ELEMENTS, SHARED_ELEMENTS = 2**16, 2**19
# Elements of an input from which threads pay, some milliseconds of work; and fewest elements for each of them.
LONG, FEWEST = 2**21, 2**14


class Block(NamedTuple):
    """Some planes, some windows along each axis, and the elements that these windows read.

    Blocks of the same windows follow each other, and share one tuple of axes.
    """

    planes: slice
    outputs: tuple
    inputs: tuple
    axes: tuple


def budget(size, elements=None):
    """How many threads to use for an input of so many elements, and how many elements a block should have."""
    workers = min(threads.allowed(), max(1, size // FEWEST)) if size >= LONG else 1
    return workers, elements or (ELEMENTS if workers == 1 else min(SHARED_ELEMENTS, size // workers))


def blocks(planes, axes, lanes, elements):
    """Blocks of about so many input elements, which hold every window of every plane; the last ones may overlap."""
    extents, volume = extents_of(axes, lanes, elements)
    parts = product(*(axis_parts(axis, extent) for axis, extent in zip(axes, extents, strict=True)))
    group = even(planes, max(1, elements // volume))
    # The last group reaches back instead of being shorter: all groups have one shape then, and need one preparation.
    firsts = [max(0, min(first, planes - group)) for first in range(0, planes, group)]
    places = [tuple(zip(*part, strict=True)) for part in parts]
    return [Block(slice(first, first + group), *place) for place in places for first in firsts]


def even(total, most):
    """The size of the parts when ``total`` is cut into as few parts as hold ``most`` each."""
    return max(1, -(-total // -(-total // most))) if total else 1


def extents_of(axes, lanes, elements):
    """How many windows of each axis go into a block, and how many elements such a block has in one plane."""
    extents, volume = [], lanes
    for axis in reversed(axes):
        fitting = (elements // volume - span(axis.kernel, axis.dilation)) // axis.stride + 1
        # At least as many windows as one window spans: the elements that neighbouring blocks share are then the fewer.
        fewest = -(-span(axis.kernel, axis.dilation) // axis.stride)
        extents.append(even(axis.output, max(fitting, fewest)))
        volume *= max(1, min(axis.size, (extents[-1] - 1) * axis.stride + span(axis.kernel, axis.dilation)))
    return extents[::-1], volume


def axis_parts(axis, extent):
    """Groups of windows of one axis: slices of the output and of the input, and the axis as the group sees it."""
    return [axis_part(axis, first, min(first + extent, axis.output)) for first in range(0, axis.output, extent)]


def axis_part(axis, first, stop):
    """The windows from ``first`` to ``stop``; what they read outside the elements is padding to them, as before."""
    start = first * axis.stride - axis.before
    end = (stop - 1) * axis.stride - axis.before + span(axis.kernel, axis.dilation)
    low, high = (min(max(position, 0), axis.size) for position in (start, end))
    seen = axis._replace(size=high - low, before=low - start, after=end - high, output=stop - first)
    return slice(first, stop), slice(low, high), seen


def turn(block, planes_last):
    """The block; or, where planes are small, the block with its planes as lanes, so that its shortest run is long."""
    return block[..., 0].transpose(*range(1, block.ndim - 1), 0)[None] if planes_last else block


def share(work, parts, workers):
    """Calls ``work`` on the list of blocks, or in each of several threads on a part of it."""
    workers = min(workers, len(parts))
    if workers <= 1:
        work(parts)
        return
    # Loaded late: most calls run in one thread.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, [parts[number::workers] for number in range(workers)]))
