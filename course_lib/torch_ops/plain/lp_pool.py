"""Power-average pooling with plain torch operations, for any device."""

import torch

from course_lib.torch_ops import windows
from course_lib.torch_ops.layout import channels_last, dense
from course_lib.torch_ops.plain.taps import real_taps, sum_dtype


def lp_pool(x, power, *window):
    """The p-norm of each window."""
    axes = windows.pool_axes(x.shape[2:], window)
    return dense(norms(x.to(sum_dtype(x)).abs(), axes, power).to(x.dtype), channels_last(x))


def lp_pool_backward(grad_output, x, power, *window):
    """Sends sign(x) · (|x| / y)ᵖ⁻¹ of a window's upstream gradient to each tap, and adds what arrives."""
    axes = windows.pool_axes(x.shape[2:], window)
    wide = x.to(sum_dtype(x))
    sizes, signs, grad = wide.abs(), wide.sign(), grad_output.to(wide.dtype)
    y, grad_input = norms(sizes, axes, power), torch.zeros_like(wide)
    for taken, elements in real_taps(axes):
        slopes = (sizes[elements] / y[taken]) ** (power - 1)
        # Not slopes * 0: for p < 1 the slope at 0 is infinite, and for y = 0 it is not a number.
        shares = torch.where(signs[elements] == 0, 0, slopes * signs[elements] * grad[taken])
        grad_input[elements] += shares
    return dense(grad_input.to(grad_output.dtype), channels_last(x))


def norms(sizes, axes, power):
    """The norms of the windows over the sizes |x| of their elements."""
    largest = sizes.new_zeros((*sizes.shape[:2], *(axis.output for axis in axes)))
    for taken, elements in real_taps(axes):
        largest[taken] = torch.maximum(largest[taken], sizes[elements])
    # A window of zeros, or with an infinity, is its own norm: dividing by it would give NaN.
    scale = torch.where((largest == 0) | largest.isinf(), 1, largest)
    sums = torch.zeros_like(largest)
    for taken, elements in real_taps(axes):
        sums[taken] += (sizes[elements] / scale[taken]) ** power
    return scale * sums ** (1 / power)
