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
# The same for the gradient of the weights, whose terms are as many as the windows. Blocks are added in float64.
LONG_CHAIN = 512
# Multiply-adds of a product up to which OpenBLAS reads the operands as they lie, and need not pack them first.
SMALL = 10**6
# Elements that are worked on at a time, so that they stay in the second-level cache.
BLOCK = 2**18


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
    for samples, windows, space in blocks(x, matrices, axes, dtype, partner is not None):
        unfold(x[samples], space)
        add_pieces(space, y[samples, :, :, windows])
        if partner is not None:
            moments += block_moments(space, partner[samples, :, :, windows])
    return None if partner is None else moments_like(weight, moments)


def transpose_correlate(y, weight, axes, x, dtype, bias=None, partner=None):
    """Fills ``x`` with the weights times each window of ``y``, added up where windows overlap; the rest as `correlate`.

    The elements are taken residue by residue modulo the stride: those of one residue are themselves a correlation, of
    the windows with some of the taps. Elements that no window reads get the bias, or 0.
    """
    moments = None if partner is None else np.zeros(weight.shape)
    phases = [geometry.input_phases(axis) for axis in axes]
    if not all(phase.taps for along in phases for phase in along):
        x[:] = 0 if bias is None else bias.reshape(*bias.shape, *[1] * (len(axes) - 1))
    for combination in product(*([phase for phase in along if phase.taps] for along in phases)):
        taps = (slice(None), slice(None), slice(None), *np.ix_(*(phase.taps for phase in combination)))
        at = (..., *(phase.elements for phase in combination))
        part, sliding = weight[taps].swapaxes(1, 2), [phase.axis for phase in combination]
        found = correlate(y, part, sliding, x[at], dtype, bias, None if partner is None else partner[at])
        if partner is not None:
            moments[taps] = found.swapaxes(1, 2)
    return moments


def blocks(x, matrices, axes, dtype, with_moments):
    """Blocks of samples and of windows, each with a workspace; blocks of one size share theirs."""
    # Unfolded rows, and the buffers of a sum of three pieces.
    lanes = x.shape[1] * (matrices.shape[3] + 3 * matrices.shape[2]) * np.dtype(dtype).itemsize // 4
    for windows, strip in strips(axes, lanes):
        space = None
        for samples in sample_blocks(len(x), lanes * prod(axis.output for axis in strip)):
            count = samples.stop - samples.start
            if space is None or len(space.parts[0]) != count:
                space = workspace((count, *x.shape[1:3]), matrices, strip, dtype, with_moments)
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
    """Arrays in which one block of samples after another is worked out, and the calls that do it."""

    copies: list  # pairs: a part of the unfolded rows, and the elements that go there
    sums: list  # calls: each an operation, its two operands and its result
    parts: list  # one or two arrays (samples, groups, rows, *output), whose sum is the result
    partner: np.ndarray = None  # (samples, groups, rows, *output), where the partner is put
    moments: list = ()  # calls, as above
    products: np.ndarray = None  # their results, (samples, pieces, leading taps, groups, terms, rows)


def workspace(block, matrices, axes, dtype, with_moments):
    """The workspace for a block of (samples, groups, channels)."""
    lanes, leads, outputs = block[:2], axes[:-1], tuple(axis.output for axis in axes)
    phases = [geometry.tap_phases(axis) for axis in leads]
    lows = [min(shift for _, shift in taps) for taps in phases]
    extents = [axis.output + max(s for _, s in taps) - low for axis, taps, low in zip(leads, phases, lows, strict=True)]
    # Rows of zeros, and one of ones: the bias is one more term, whose input is 1.
    shape = (*lanes, matrices.shape[3], prod(extents) * outputs[-1])
    columns = {key: np.zeros(shape, dtype) for key in product(*({residue for residue, _ in taps} for taps in phases))}
    unfolded = (*lanes, axes[-1].kernel, block[2], *extents, outputs[-1])
    copies = []
    for key, rows in columns.items():
        rows[:, :, -1] = 1
        copies += tap_copies(rows[:, :, :-1].reshape(unfolded), key, lows, axes)
    # The result of all windows lies in a frame: what is beyond the outputs belongs to no window.
    frame = (*outputs[:1], *extents[1:], outputs[-1]) if leads else outputs
    taps = [tap_view(columns, tap, lows, extents, frame, outputs) for tap in product(*phases)]
    sums, parts = sum_calls(matrices, taps, prod(frame), dtype)
    inside = (..., *(slice(output) for output in outputs))
    parts = [part.reshape(*lanes, -1, *frame)[inside] for part in parts]
    if not with_moments:
        return Workspace(copies, sums, parts)
    factors = np.zeros((*lanes, prod(frame), matrices.shape[2]), dtype)
    partner = np.moveaxis(factors.reshape(*lanes, *frame, -1), -1, 2)[inside]
    return Workspace(copies, sums, parts, partner, *moment_calls(taps, factors))


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


def sum_calls(matrices, taps, length, dtype):
    """The calls that add all pieces, as a balanced tree but for the last addition, and what that has to add.

    So the error grows with the logarithm of the number of pieces, not with the number.
    """
    pieces = term_pieces(matrices, taps)
    shape = (*taps[0].shape[:2], matrices.shape[2], length)
    buffers = [np.zeros(shape, dtype) for _ in range((len(pieces) - 1).bit_length() + 1)]
    half = len(pieces) // 2
    if not half:
        return subtotal_calls(pieces, buffers), buffers[:1]
    return subtotal_calls(pieces[:half], buffers) + subtotal_calls(pieces[half:], buffers[1:]), buffers[:2]


def subtotal_calls(pieces, buffers):
    """The calls that leave the sum of some pieces in the first buffer."""
    if len(pieces) == 1:
        return [(np.matmul, weights, rows, buffers[0][..., windows]) for weights, rows, windows in pieces[0]]
    half = len(pieces) // 2
    left, right = subtotal_calls(pieces[:half], buffers), subtotal_calls(pieces[half:], buffers[1:])
    return [*left, *right, (np.add, buffers[0], buffers[1], buffers[0])]


def term_pieces(matrices, taps):
    """For each piece of the sum its products: some weights, the unfolded rows they multiply, and the windows."""
    pieces = []
    for number, (matrix, rows) in enumerate(zip(matrices, taps, strict=True)):
        # The row of ones belongs to the last piece.
        ones = number == len(matrices) - 1
        for terms in even_parts(rows.shape[2] - (not ones), CHAIN + ones):
            longest = SMALL // (matrix.shape[1] * (terms.stop - terms.start))
            windows = even_parts(rows.shape[-1], longest if longest >= 128 else rows.shape[-1])
            pieces.append([(matrix[:, :, terms], rows[:, :, terms, part], part) for part in windows])
    return pieces


def moment_calls(taps, factors):
    """The calls that multiply what each tap reads with the partner, and the array of their results."""
    terms, rows = taps[0].shape[2] - 1, factors.shape[-1]
    parts = even_parts(taps[0].shape[-1], min(LONG_CHAIN, max(SMALL // (terms * rows), CHAIN)))
    products = np.empty((len(factors), len(parts), len(taps), factors.shape[1], terms, rows), factors.dtype)
    return [
        (np.matmul, tap[:, :, :-1, part], factors[:, :, part], products[:, piece, number])
        for number, tap in enumerate(taps)
        for piece, part in enumerate(parts)
    ], products


def even_parts(length, longest):
    """Slices of nearly equal length, none longer than ``longest``."""
    count = -(-length // longest)
    return [slice(number * length // count, (number + 1) * length // count) for number in range(count)]


def unfold(x, space):
    """Copies every tap of the last axis to its row. Padding stays 0."""
    for target, elements in space.copies:
        np.copyto(target, x[elements], casting="same_kind")


def add_pieces(space, y):
    """Fills ``y`` with the sum of all pieces."""
    for operation, left, right, result in space.sums:
        operation(left, right, out=result)
    # The last addition writes to y itself.
    if len(space.parts) == 2:
        np.add(*space.parts, out=y, casting="same_kind")
    else:
        np.copyto(y, space.parts[0], casting="same_kind")


def block_moments(space, partner):
    """For each weight, the sum over a block of what its tap reads times ``partner``."""
    np.copyto(space.partner, partner, casting="same_kind")
    for operation, left, right, result in space.moments:
        operation(left, right, out=result)
    return space.products.sum(axis=(0, 1))
