"""Maxima of windows that stand anywhere: the bins of adaptive pooling and the windows of fractional pooling.

One sample at a time, with the channels last: what is done along a spatial axis then runs over whole rows of channels.
"""

import numpy as np


def channels_last(values, dtype=None):
    """(C, *spatial) as (*spatial, C), contiguous: what is done along a spatial axis then runs over whole rows."""
    return np.ascontiguousarray(np.moveaxis(values, 0, -1), dtype)


def channels_back(values):
    """(*spatial, C) as (C, *spatial), without a copy."""
    return np.moveaxis(values, -1, 0)


def plane_positions(sizes):
    """The flat position of every element of a plane, (*sizes, 1)."""
    return np.arange(int(np.prod(sizes))).reshape(*sizes, 1)


def tap_winners(values, places, axis, taps):
    """Winners of windows along one axis, and their places, for the positions that each tap reads in every window."""
    best = take(values, taps[0], axis)
    winners = np.array(np.broadcast_to(take(places, taps[0], axis), best.shape))
    # A maximum shows whether there is a NaN at all: where there is none, none is looked for.
    nan = values.dtype.kind == "f" and np.isnan(values.max())
    for positions in taps[1:]:
        keep_winners(best, winners, take(values, positions, axis), take(places, positions, axis), nan)
    return best, winners


def take(values, positions, axis):
    """The values at some positions along one axis: the same everywhere, or others for each channel."""
    if positions.ndim == 1:
        return values.take(positions, axis)
    if values.shape[-1] != positions.shape[-1]:
        values = np.broadcast_to(values, (*values.shape[:-1], positions.shape[-1]))
    return np.take_along_axis(values, positions, axis)


def keep_winners(best, places, values, candidates, nan):
    """Puts each value where it beats the best so far: a larger one, or a NaN, which also replaces an earlier NaN."""
    wins = values > best
    if nan:
        wins |= np.isnan(values)
    np.copyto(best, values, where=wins)
    np.copyto(places, candidates, where=wins)
