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

# Combinations of phases of a block: each takes a copy of its own, which should not be too short.
MOST_PHASES = 32


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
    deals = [deal(axis, dealt) for axis in axes]
    for number in reversed(range(len(axes))):
        if prod(entry.phases for entry in deals) > MOST_PHASES:
            deals[number] = deal(axes[number], dealt=False)
    return Layout(axes, tuple(deals), (planes, *(entry.length for entry in deals), lanes))


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
    return slice(first, stop), slice(start, start + max(0, (stop - first - 1) * deal.modulus + 1), deal.modulus)


class Source(NamedTuple):
    """Some elements of a block, by index; ``pairs`` is their index among pairs of neighbours, if each begins one."""

    index: tuple
    pairs: tuple | None


def source(index, block_axes):
    """The elements with this index. Only along the last spatial axis do neighbours lie side by side."""
    last = index[-1]
    if len(index) < block_axes - 1 or last.step != 2 or last.start % 2:
        return Source(index, None)
    return Source(index, (*index[:-1], slice(last.start // 2, last.stop // 2 + 1)))


def copies(workspace, layout):
    """What fills a workspace, (target, source) of each part; all that is not filled is padding."""
    dealt = workspace[: layout.size].reshape(layout.phases + layout.block)
    return in_order((dealt[target], source(index, len(layout.block))) for target, index in parts(layout))


def copies_along(workspace, axis, deal, number, shape):
    """`copies` for an array of this shape of which only the axis with this number is dealt."""
    before = (slice(None),) * number
    phases = workspace[: deal.phases * prod(shape)].reshape(deal.phases, *shape)
    slices = [phase_slices(axis, deal, phase) for phase in range(deal.phases)]
    targets = [phase[*before, places] for phase, (places, _) in zip(phases, slices, strict=True)]
    sources = [source((*before, elements), len(shape)) for _, elements in slices]
    return in_order(zip(targets, sources, strict=True))


def in_order(copies):
    """The fastest first: they are those that wait for memory."""
    return sorted(copies, key=lambda copy: copy[1].pairs is None)


def fill(copies, block):
    """Copies elements of a block to their places."""
    pairs = as_pairs(block)
    for target, (index, first_of_pairs) in copies:
        if pairs is None or first_of_pairs is None or target.dtype != block.dtype:
            np.copyto(target, block[index], casting="same_kind")
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
        axis, deal, unit = layout.axes[number], layout.deals[number], layout.unit[number]
        yield Pass(axis, deal, number, unit, size, size + sum(layout.tails[:number]))


class Windows(NamedTuple):
    """The windows among all positions (planes, *lengths, lanes)."""

    positions: np.ndarray
    starts: Source

    def all(self):
        """A view (planes, *outputs, lanes)."""
        return self.positions[self.starts.index]

    def copy_to(self, out):
        """Fills (planes, *outputs, lanes)."""
        fill([(out, self.starts)], self.positions)


def windows(layout, flat):
    """The windows among all positions, which are flat."""
    entries = zip(layout.axes, layout.deals, strict=True)
    index = slice(None), *(starts(*entry) for entry in entries)
    return Windows(flat.reshape(layout.block), source(index, len(layout.block)))


def starts(axis, deal):
    """The positions of one axis at which windows start."""
    return slice(0, (axis.output - 1) * deal.step + 1, deal.step)
