"""Windows given by the positions that their taps read, as in adaptive and fractional pooling."""

import numpy as np
import torch

from course_lib import geometry
from course_lib.torch_ops.plain.max_pool import beats
from course_lib.torch_ops.plain.taps import plane_positions


def separable_max(x, taps):
    """Winners' values and flat positions, one axis after another, the last one first.

    ``taps`` holds for each axis the positions that each tap reads: a list of tensors (output,) or (N, C, output).
    """
    best, indices = x, plane_positions(x.shape[2:], x.device).expand(x.shape)
    for axis in range(x.dim() - 1, 1, -1):
        places = [spread_out(positions, axis, best) for positions in taps[axis - 2]]
        candidates = [(best.gather(axis, place), indices.gather(axis, place)) for place in places]
        best, indices = candidates[0]
        for values, found in candidates[1:]:
            # Not >=: of equal elements the first keeps the window. A NaN takes it, also from an earlier NaN.
            wins = beats(values, best)
            best, indices = torch.where(wins, values, best), torch.where(wins, found, indices)
    return best, indices


def spread_out(positions, axis, like):
    """Positions (output,) or (N, C, output) as an index for gathering along one axis of ``like``."""
    lead = positions.shape[:-1] if positions.dim() > 1 else (1, 1)
    shape = (*lead, *(positions.shape[-1] if other == axis else 1 for other in range(2, like.dim())))
    sizes = [positions.shape[-1] if other == axis else size for other, size in enumerate(like.shape)]
    return positions.reshape(shape).expand(sizes)


def bin_taps(size, output, device):
    """For each tap of the longest bin, what it reads in every bin; a shorter bin reads its last element again."""
    starts, stops = geometry.adaptive_windows(size, output)
    # Reading an element twice changes neither a maximum nor its index.
    taps = [np.minimum(starts + tap, stops - 1) for tap in range((stops - starts).max())]
    return [torch.from_numpy(positions).to(device) for positions in taps]


def bin_sums(values, axis, output):
    """The sum of each bin along one axis."""
    starts, stops = geometry.adaptive_windows(values.shape[axis], output)
    return masked_sums(values, axis, starts, stops)


def spread_bins(shares, axis, size):
    """Adds each bin's share to its elements along one axis: every element gathers from the bins that hold it."""
    starts, stops = geometry.adaptive_windows(size, shares.shape[axis])
    elements = np.arange(size)
    first, end = np.searchsorted(stops, elements, side="right"), np.searchsorted(starts, elements, side="right")
    return masked_sums(shares, axis, first, end)


def masked_sums(values, axis, starts, stops):
    """The sums of values[start:stop] along one axis, for many starts and stops."""
    shape = [-1 if other == axis else 1 for other in range(values.dim())]
    sums = 0
    for tap in range((stops - starts).max()):
        places = torch.from_numpy(np.minimum(starts + tap, stops - 1)).to(values.device)
        real = torch.from_numpy(starts + tap < stops).to(values.device).reshape(shape)
        sums = sums + torch.where(real, values.index_select(axis, places), 0)
    return sums
