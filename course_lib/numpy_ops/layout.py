"""Where the channel axis stands, and the type in which sums are kept."""

import numpy as np


def to_channels_first(x, axis):
    """The same elements as (N, C, *spatial), without a copy."""
    return x if axis == 1 else np.moveaxis(x, axis, 1)


def from_channels_first(y, axis):
    """Puts the channel axis back, in contiguous memory."""
    return y if axis == 1 else np.ascontiguousarray(np.moveaxis(y, 1, axis))


def sum_dtype(dtype):
    """Half precision is summed in float32: float16 cannot count past 2048."""
    return np.dtype(np.float32) if dtype == np.float16 else np.dtype(dtype)
