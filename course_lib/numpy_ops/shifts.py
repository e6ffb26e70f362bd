"""Lays a block out so that each tap of every window is a shift of one flat array.

NumPy runs one long contiguous call several times faster than the same work over short or strided rows. So an axis
with stride s is dealt into s phases, as cards are: elements s apart become neighbours. Tap j of window q then stands
in phase ``j * dilation % s`` at position ``q + j * dilation // s``. For all windows, rows and planes of a block at
once that is one slice of one flat array. Windows that run over the end of a row are computed too, and never read.
"""

from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from course_lib.geometry import Axis


class Deal(NamedTuple):
    """How one axis lies in the workspace."""

    modulus: int  # the stride, or 1 where the axis is not dealt
    phases: int  # those that hold a tap
    step: int  # from one window to the next, inside a phase
    reach: int  # from a window's first tap to its last, inside a phase
    length: int  # elements of a phase


class Layout(NamedTuple):
    """How a block (planes, *sizes, lanes) lies in the workspace: after the phases, those of the last axis first."""

    axes: tuple
    deals: tuple
    block: tuple  # (planes, *lengths, lanes)

    @property
    def phases(self):
        return tuple(deal.phases for deal in reversed(self.deals))

    @property
    def size(self):
        return prod(self.phases) * prod(self.block)

    @property
    def unit(self):
        """Elements of a flat phase from one position to the next, for each axis."""
        return tuple(prod(self.block[number + 2 :]) for number in range(len(self.axes)))

    @property
    def tails(self):
        """Elements that a pass along each axis reads beyond the end; a workspace has so many more."""
        return tuple(deal.reach * unit for deal, unit in zip(self.deals, self.unit, strict=True))


@lru_cache(maxsize=256)
def layout(axes, planes, lanes, dealt=True):
    """The layout of so many planes. Undealt, small planes are copied as they lie, and every position is treated."""
    deals = tuple(deal(axis, dealt) for axis in axes)
    return Layout(axes, deals, (planes, *(entry.length for entry in deals), lanes))


def deal(axis, dealt=True):
    """The axis in as many phases as its stride, or in one."""
    # In one phase all windows of stride 1 are formed, but by doubling, in log2(k) steps; phases take k − 1 steps.
    modulus = axis.stride if dealt and axis.kernel - 1 <= axis.stride * (axis.kernel - 1).bit_length() else 1
    phases = 1 + max(tap * axis.dilation % modulus for tap in range(min(axis.kernel, modulus)))
    step, reach = axis.stride // modulus, (axis.kernel - 1) * axis.dilation // modulus
    return Deal(modulus, phases, step, reach, (axis.output - 1) * step + 1 + reach)


def tap_starts(axis, deal, size, unit):
    """Where each tap of the first window stands in an array of phases of this size."""
    steps = (divmod(tap * axis.dilation, deal.modulus) for tap in range(axis.kernel))
    return [phase * size + shift * unit for shift, phase in steps]


@lru_cache(maxsize=256)
def parts(layout):
    """Two indices for each combination of phases: where its real elements stand in the workspace, and in the block."""
    combinations = product(*(range(entry.phases) for entry in layout.deals))
    return [part(layout, phases) for phases in combinations]


def part(layout, phases):
    """`parts` for one combination."""
    slices = [phase_slices(*entry) for entry in zip(layout.axes, layout.deals, phases, strict=True)]
    targets, sources = zip(*slices, strict=True)
    return (*phases[::-1], slice(None), *targets), (slice(None), *sources)


def phase_slices(axis, deal, phase):
    """The positions of a phase that are real, and the elements that stand there: two slices of equal length."""
    offset = phase - axis.before
    first = max(0, -(offset // deal.modulus))
    stop = max(first, min(deal.length, (axis.size - 1 - offset) // deal.modulus + 1))
    start = first * deal.modulus + offset
    return slice(first, stop), slice(
        start, start + (stop - first - 1) * deal.modulus + 1 if stop > first else start, deal.modulus
    )


class Copy(NamedTuple):
    """A part of a workspace, and where a block has its elements; ``pairs`` is the same among pairs of elements."""

    target: np.ndarray
    source: tuple
    pairs: tuple | None


def copies(workspace, layout):
    """What fills a workspace; all that is not filled is padding."""
    dealt = workspace[: layout.size].reshape(layout.phases + layout.block)
    return in_order(Copy(dealt[target], source, among_pairs(source)) for target, source in parts(layout))


def copies_along(workspace, axis, deal, number, shape, last):
    """`copies` for an array of this shape of which only the axis with this number is dealt."""
    before = (slice(None),) * number
    for phase, target in enumerate(workspace[: deal.phases * prod(shape)].reshape(deal.phases, *shape)):
        places, elements = phase_slices(axis, deal, phase)
        source = *before, elements
        yield Copy(target[*before, places], source, among_pairs(source) if last else None)


def in_order(copies):
    """The fastest first: they are those that wait for memory."""
    return sorted(copies, key=lambda copy: copy.pairs is None)


def among_pairs(source):
    """The same elements as first ones of pairs of neighbours; None if they are not."""
    last = source[-1]
    return (
        (*source[:-1], slice(last.start // 2, last.stop // 2 + 1)) if last.step == 2 and last.start % 2 == 0 else None
    )


def fill(parts, block):
    """Copies the elements of a block to their places in a workspace."""
    pairs = as_pairs(block) if parts[0].target.dtype == block.dtype else None
    for target, source, first_of_pairs in parts:
        if pairs is None or first_of_pairs is None:
            np.copyto(target, block[source], casting="same_kind")
        else:
            # Of an 8-byte number 4 bytes are cut off: that takes a third of the time of a copy with a stride.
            np.copyto(target[..., 0].view(np.uint32), pairs[first_of_pairs], casting="unsafe")


def as_pairs(block):
    """The block with every two neighbours of a row as one 8-byte number; None where its memory does not allow it."""
    rows = block[..., 0]
    if block.shape[-1] > 1 or block.itemsize != 4 or rows.shape[-1] % 2 or rows.strides[-1] != 4:
        return None
    pairs = rows.view("<u8")
    return pairs if pairs.dtype.isnative and pairs.flags.aligned else None


class Pass(NamedTuple):
    """The windows along one axis: found in a flat array of phases, for so many positions."""

    axis: Axis
    deal: Deal
    number: int  # of the axis
    unit: int
    size: int  # of a phase in the array
    length: int  # of the result: with what later passes read beyond the end


def passes(layout):
    """One pass an axis, from the last to the first: the result of each is the array of phases for the next."""
    size = layout.size
    for number in reversed(range(len(layout.axes))):
        size //= layout.deals[number].phases
        yield Pass(
            layout.axes[number],
            layout.deals[number],
            number,
            layout.unit[number],
            size,
            size + sum(layout.tails[:number]),
        )


def windows(layout, flat):
    """The windows (planes, *outputs, lanes) among all positions."""
    entries = zip(layout.axes, layout.deals, strict=True)
    return flat.reshape(layout.block)[:, *(starts(*entry) for entry in entries)]


def starts(axis, deal):
    """The positions of one axis at which windows start."""
    return slice(0, (axis.output - 1) * deal.step + 1, deal.step)
