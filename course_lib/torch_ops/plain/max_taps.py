"""Max pooling that remembers which tap won, one byte a window, with plain torch operations."""

import torch

from course_lib.torch_ops import windows
from course_lib.torch_ops.layout import channels_last, dense
from course_lib.torch_ops.plain.max_pool import beats
from course_lib.torch_ops.plain.segments import gather
from course_lib.torch_ops.plain.taps import real_taps

NO_TAP = 255


def max_pool_taps(x, *window):
    """Values of the winners, and which tap each was, counted in row-major order; 255 for none."""
    axes = windows.pool_axes(x.shape[2:], window)
    outputs = (*x.shape[:2], *(axis.output for axis in axes))
    best, winner = x.new_full(outputs, -torch.inf), x.new_full(outputs, NO_TAP, dtype=torch.uint8)
    for number, (taken, elements) in enumerate(real_taps(axes)):
        values = x[elements]
        wins = beats(values, best[taken]) | (winner[taken] == NO_TAP)
        best[taken] = torch.where(wins, values, best[taken])
        winner[taken] = torch.where(wins, number, winner[taken])
    last = channels_last(x)
    return dense(best, last), dense(winner, last)


def max_taps_backward(grad_output, taps, input_shape, *window):
    """Adds the gradients tap by tap: a tap reads each element once, so that each addition is a gather."""
    axes = windows.pool_axes(input_shape[2:], window)
    half = grad_output.dtype in (torch.float16, torch.bfloat16)
    grad_input = grad_output.new_zeros(tuple(input_shape), dtype=torch.float32 if half else grad_output.dtype)
    # From the last tap to the first, so that each element adds its windows in their order.
    for number, (taken, elements) in reversed(list(enumerate(real_taps(axes)))):
        grad_input[elements] += torch.where(taps[taken] == number, grad_output[taken], 0)
    return dense(grad_input.to(grad_output.dtype), channels_last(taps))


def max_taps_take(x, taps, *window):
    """The elements that won."""
    return gather(x, indices_of(taps, windows.pool_axes(x.shape[2:], window)), channels_last(taps))


def indices_of(taps, axes):
    """The flat position of each winner in its plane, int64; −1 for none."""
    rest, positions, scale = taps.long(), 0, 1
    for number, axis in reversed(list(enumerate(axes, start=2))):
        starts = torch.arange(axis.output, device=taps.device) * axis.stride - axis.before
        starts = starts.view(-1, *[1] * (taps.dim() - number - 1))
        positions = positions + scale * (starts + (rest % axis.kernel) * axis.dilation)
        rest, scale = rest // axis.kernel, scale * axis.size
    return torch.where(taps == NO_TAP, -1, positions)
