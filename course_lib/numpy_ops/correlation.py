"""Correlation as a few large matrix products: what convolution, its gradients and its transpose all come down to.

Throughout, ``x`` is (N, groups, channels, *spatial) and ``weight`` is (groups, rows, channels, *kernel). Only the last
spatial axis is unfolded: each of its taps becomes a row of its own. A tap along the other axes is then an offset into
these rows, and its share of the sum is a matrix product on a view, without a copy.
"""

from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from course_lib import geometry

# Terms that one product adds in sequence; a longer sum is a balanced tree of such pieces.
CHAIN = 48
# The same for the gradient of the weights, whose terms are as many as the windows. The pieces are added in float64.
LONG_CHAIN = 512
# Multiply-adds of a product up to which OpenBLAS reads the operands as they lie, and need not pack them first.
SMALL = 10**6
# Elements that are unfolded at a time, so that they stay in the second-level cache.
BLOCK = 2**17


def correlate(x, weight, axes, y, dtype, bias=None, partner=None):
    """Fills ``y`` with every window of ``x`` times every row of the weights.

    Parameters
    ----------
    x : ndarray (N, groups, channels, *spatial)
    weight : ndarray (groups, rows, channels, *kernel)
    axes : sequence of geometry.Axis
    y : ndarray (N, groups, rows, *output)
        Is written.
    dtype : type in which products are formed and added
    bias : ndarray (groups, rows, 1), or None
    partner : ndarray like ``y``, or None

    Returns
    -------
    ndarray like ``weight``, in float64: for each weight the sum of what its tap reads times ``partner``, which is the
    gradient of the weights when ``partner`` is the upstream gradient. None without ``partner``.
    """
    matrices = weight_matrices(weight, bias, dtype)
    moments = np.zeros((*matrices.shape[:2], matrices.shape[3] - 1, matrices.shape[2]))
    for samples, windows, space in blocks(x, matrices, axes, dtype):
        unfold(x[samples], space)
        sum_pieces(space, y[samples, :, :, windows])
        if partner is not None:
            add_moments(moments, space, partner[samples, :, :, windows])
    return None if partner is None else moments_like(weight, moments)


def transpose_correlate(y, weight, axes, x, dtype, bias=None, partner=None):
    """Fills ``x`` with the weights times each window of ``y``, added up where windows overlap; the rest as `correlate`.

    The elements are taken residue by residue modulo the stride: those of one residue are themselves a correlation, of
    the windows with some of the taps. Elements that no window reads are left as they are.
    """
    moments = None if partner is None else np.zeros(weight.shape)
    phases = [[phase for phase in geometry.input_phases(axis) if phase.taps] for axis in axes]
    for combination in product(*phases):
        taps = (slice(None), slice(None), slice(None), *np.ix_(*(phase.taps for phase in combination)))
        at = (..., *(phase.elements for phase in combination))
        part, sliding = weight[taps].swapaxes(1, 2), [phase.axis for phase in combination]
        found = correlate(y, part, sliding, x[at], dtype, bias, None if partner is None else partner[at])
        if partner is not None:
            moments[taps] = found.swapaxes(1, 2)
    return moments


def blocks(x, matrices, axes, dtype):
    """Blocks of samples and of windows, each with a workspace; blocks of one size share theirs."""
    lanes = x.shape[1] * max(matrices.shape[-2:])
    for windows, strip in strips(axes, lanes):
        space = None
        for samples in sample_blocks(len(x), lanes * prod(axis.output for axis in strip)):
            count = samples.stop - samples.start
            if space is None or len(space.buffers[0]) != count:
                space = workspace((count, *x.shape[1:3]), matrices, strip, dtype)
            yield samples, windows, space


def weight_matrices(weight, bias, dtype):
    """The weights as (leading taps, groups, rows, terms): one term for each last tap and channel, one for the bias."""
    groups, rows, channels, *kernel = weight.shape
    rank = len(kernel)
    terms = weight.transpose(*range(3, 2 + rank), 0, 1, 2 + rank, 2).reshape(-1, groups, rows, kernel[-1] * channels)
    matrices = np.zeros((*terms.shape[:3], terms.shape[3] + 1), dtype)
    matrices[..., :-1] = terms
    if bias is not None:
        matrices[-1, ..., -1:] = bias
    return matrices


def moments_like(weight, moments):
    """Puts what `weight_matrices` has rearranged back, from (leading taps, groups, last taps times channels, rows)."""
    groups, rows, channels, *kernel = weight.shape
    moments = moments.reshape(*kernel[:-1], groups, kernel[-1], channels, rows)
    rank = len(kernel)
    return moments.transpose(rank - 1, rank + 2, rank + 1, *range(rank - 1), rank)


def strips(axes, lanes):
    """Cuts the windows along the first axis so that a strip unfolds to about `BLOCK` elements of one sample."""
    first, *rest = axes
    # At least as many as a window is long: neighbouring strips unfold again what their windows share.
    longest = max(BLOCK // (lanes * prod(axis.output for axis in rest)), first.kernel)
    for part in even_parts(first.output, longest):
        before, output = first.before - part.start * first.stride, part.stop - part.start
        yield part, (first._replace(before=before, output=output), *rest)


def sample_blocks(samples, elements):
    """Slices of the batch, each of about `BLOCK` elements."""
    count = max(1, min(BLOCK // elements, samples))
    return [slice(start, min(start + count, samples)) for start in range(0, samples, count)]


class Workspace(NamedTuple):
    """Arrays in which one block of samples after another is worked out."""

    copies: list  # pairs: a part of the unfolded rows, and the elements that go there
    taps: list  # the unfolded rows as each leading tap reads them, (samples, groups, terms, windows)
    pieces: list  # for each piece of the sum, its products: some weights, the rows they multiply, where the result goes
    buffers: list  # for sums, (samples, groups, rows, windows)
    frame: tuple  # the spatial shape of a buffer; what lies beyond the outputs belongs to no window
    outputs: tuple


def workspace(block, matrices, axes, dtype):
    """The workspace for a block of (samples, groups, channels)."""
    leads, width = axes[:-1], axes[-1].output
    phases = [geometry.tap_phases(axis) for axis in leads]
    lows = [min(shift for _, shift in taps) for taps in phases]
    extents = [axis.output + max(s for _, s in taps) - low for axis, taps, low in zip(leads, phases, lows, strict=True)]
    keys = product(*({residue for residue, _ in taps} for taps in phases))
    columns = {key: one_row(block[:2], matrices.shape[-1], prod(extents) * width, dtype) for key in keys}
    shape = (*block[:2], axes[-1].kernel, block[2], *extents, width)
    copies = [
        pair for key, rows in columns.items() for pair in tap_copies(rows[:, :, :-1].reshape(shape), key, lows, axes)
    ]
    outputs = tuple(axis.output for axis in axes)
    frame = (*outputs[:1], *extents[1:], width) if leads else outputs
    taps = [tap_view(columns, tap, lows, extents, frame, outputs) for tap in product(*phases)]
    pieces = sum_plan(matrices, taps)
    buffers = [
        np.zeros((*block[:2], matrices.shape[2], prod(frame)), dtype) for _ in range((len(pieces) - 1).bit_length() + 1)
    ]
    return Workspace(copies, taps, pieces, buffers, frame, outputs)


def one_row(lanes, terms, length, dtype):
    """Rows of zeros but for the last one, of ones: the bias is one more term, whose input is 1."""
    rows = np.zeros((*lanes, terms, length), dtype)
    rows[:, :, -1] = 1
    return rows


def tap_copies(columns, residues, lows, axes):
    """For each tap of the last axis: its place in the unfolded rows of one residue, and the elements that go there."""
    *leads, last = axes
    rows = [
        # The elements of one residue, from the lowest that a window reads on, are what a window of one element reads.
        geometry.tap_slices(geometry.Axis(axis.size, 1, axis.stride, -low * axis.stride - residue, 0, 1, extent), 0)
        for axis, residue, low, extent in zip(leads, residues, lows, columns.shape[4:], strict=False)
    ]
    for tap in range(last.kernel):
        windows, elements = geometry.tap_slices(last, tap)
        target = columns[:, :, tap, :, *(to for to, _ in rows), windows]
        yield target, (..., *(source for _, source in rows), elements)


def tap_view(columns, tap, lows, extents, frame, outputs):
    """The unfolded rows as one leading tap reads them: from an offset on, up to the last window."""
    start = 0
    for (_, shift), low, extent in zip(tap, lows, extents, strict=True):
        start = start * extent + shift - low
    length = int(np.ravel_multi_index([output - 1 for output in outputs], frame)) + 1
    rows = columns[tuple(residue for residue, _ in tap)]
    return rows[..., start * outputs[-1] : start * outputs[-1] + length]


def sum_plan(matrices, taps):
    """The products of each piece of the sum: pairs of operands, and the windows for which they give the result."""
    pieces = []
    for number, (matrix, rows) in enumerate(zip(matrices, taps, strict=True)):
        last = number == len(matrices) - 1
        for terms in even_parts(rows.shape[2] - (not last), CHAIN + last):
            longest = SMALL // (matrix.shape[1] * (terms.stop - terms.start))
            windows = even_parts(rows.shape[-1], longest if longest >= 128 else rows.shape[-1])
            pieces.append([(matrix[:, :, terms], rows[:, :, terms, part], part) for part in windows])
    return pieces


def even_parts(length, longest):
    """Slices of nearly equal length, none longer than ``longest``."""
    count = -(-length // longest)
    return [slice(number * length // count, (number + 1) * length // count) for number in range(count)]


def unfold(x, space):
    """Copies every tap of the last axis to its row. Padding stays 0."""
    for target, elements in space.copies:
        np.copyto(target, x[elements], casting="same_kind")


def sum_pieces(space, y):
    """Fills ``y`` with the sum of all pieces."""
    half = len(space.pieces) // 2
    halves = [space.pieces[:half], space.pieces[half:]] if half else [space.pieces]
    sums = [subtotal(pieces, space.buffers[number:]) for number, pieces in enumerate(halves)]
    inside = [unframe(part, space) for part in sums]
    # The last addition writes to y itself.
    np.add(*inside, out=y, casting="same_kind") if half else np.copyto(y, inside[0], casting="same_kind")


def unframe(sums, space):
    """A buffer as (samples, groups, rows, *output)."""
    return sums.reshape(*sums.shape[:3], *space.frame)[..., *(slice(output) for output in space.outputs)]


def subtotal(pieces, buffers):
    """Adds pieces as a balanced tree: the error grows with the logarithm of their number, not with the number."""
    if len(pieces) == 1:
        for weights, rows, windows in pieces[0]:
            np.matmul(weights, rows, out=buffers[0][..., windows])
        return buffers[0]
    left = subtotal(pieces[: len(pieces) // 2], buffers)
    return np.add(left, subtotal(pieces[len(pieces) // 2 :], buffers[1:]), out=left)


def add_moments(moments, space, partner):
    """Adds to each weight's moment what its tap reads times ``partner``, summed over a block."""
    factors = framed(partner, space)
    longest = min(LONG_CHAIN, max(SMALL // (moments.shape[-1] * moments.shape[-2]), CHAIN))
    for total, rows in zip(moments, space.taps, strict=True):
        for part in even_parts(rows.shape[-1], longest):
            for moment in np.matmul(rows[:, :, :-1, part], factors[:, :, part]):
                total += moment


def framed(partner, space):
    """The partner as (samples, groups, windows, rows); 0 where the frame holds no window."""
    if space.frame != space.outputs:
        inside = partner
        partner = np.zeros((*inside.shape[:3], *space.frame), inside.dtype)
        partner[..., *(slice(output) for output in space.outputs)] = inside
    return partner.reshape(*partner.shape[:3], -1).swapaxes(-1, -2).astype(space.buffers[0].dtype, order="C")
