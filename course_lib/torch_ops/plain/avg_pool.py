"""Average pooling with plain torch operations, for any device: the reference of the kernels."""

import torch

from course_lib import geometry
from course_lib.torch_ops import windows
from course_lib.torch_ops.layout import channels_last, dense
from course_lib.torch_ops.plain.taps import real_taps, sum_dtype


def avg_pool(x, *arguments):
    """Sums tap by tap, then divides."""
    *window, count_include_pad, divisor_override = arguments
    axes = windows.pool_axes(x.shape[2:], window)
    divisors = window_divisors(axes, count_include_pad, divisor_override, x)
    sums = x.new_zeros((*x.shape[:2], *divisors.shape), dtype=sum_dtype(x))
    for taken, elements in real_taps(axes):
        sums[taken] += x[elements]
    return dense((sums / divisors).to(x.dtype), channels_last(x))


def avg_pool_backward(grad_output, input_shape, *arguments):
    """The transpose of `avg_pool`: divides, then adds each share where its tap was read."""
    *window, count_include_pad, divisor_override = arguments
    axes = windows.pool_axes(input_shape[2:], window)
    shares = grad_output.to(sum_dtype(grad_output)) / window_divisors(
        axes, count_include_pad, divisor_override, grad_output
    )
    grad_input = shares.new_zeros(tuple(input_shape))
    for taken, elements in real_taps(axes):
        # One tap reads each element once, so that += loses nothing here: overlap is between taps.
        grad_input[elements] += shares[taken]
    return dense(grad_input.to(grad_output.dtype), channels_last(grad_output))


def window_divisors(axes, count_include_pad, divisor_override, like):
    """What each sum is divided by, of the output's spatial shape."""
    divisors = geometry.divisors(axes, count_include_pad, divisor_override)
    return torch.tensor(divisors, dtype=sum_dtype(like), device=like.device)
