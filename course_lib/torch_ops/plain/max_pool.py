"""Max pooling with plain torch operations, for any device: the reference of the kernels."""

import torch

from course_lib.torch_ops import windows
from course_lib.torch_ops.layout import channels_last, dense
from course_lib.torch_ops.plain.taps import plane_positions, real_taps


def max_pool(x, *window):
    """Values and flat positions of the winners."""
    axes = windows.pool_axes(x.shape[2:], window)
    best, indices = scan_taps(x, axes)
    last = channels_last(x)
    return dense(best, last), dense(indices, last)


def max_pool_values(x, *window):
    """The winners' values alone."""
    return max_pool(x, *window)[0]


def scan_taps(x, axes):
    """Lets each tap in row-major order take the windows in which it beats what came before it."""
    lowest = -torch.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
    outputs = (*x.shape[:2], *(axis.output for axis in axes))
    best = torch.full(outputs, lowest, dtype=x.dtype, device=x.device)
    indices = torch.full(outputs, -1, dtype=torch.int64, device=x.device)
    plane = plane_positions(x.shape[2:], x.device)
    for taken, elements in real_taps(axes):
        values = x[elements]
        # Not values >= best: of equal elements the first keeps the window. A NaN takes it, also from an earlier NaN.
        wins = beats(values, best[taken]) | (indices[taken] < 0)
        best[taken] = torch.where(wins, values, best[taken])
        indices[taken] = torch.where(wins, plane[elements], indices[taken])
    return best, indices


def beats(values, best):
    """Whether a later tap takes the window; a NaN always does."""
    if not values.is_floating_point():
        # Some unsigned types have no comparison of their own; int64 holds the order of all but uint64.
        return _ordered(values) > _ordered(best)
    return (values > best) | values.isnan()


def _ordered(values):
    """Integers in a type that every device can compare, in the same order."""
    if values.dtype in (torch.uint16, torch.uint32):
        return values.to(torch.int64)
    # Adding the smallest int64 maps 0 … 2**64 − 1 onto it in order.
    return values.view(torch.int64) ^ torch.iinfo(torch.int64).min if values.dtype == torch.uint64 else values
