"""Power-average pooling: the p-norm of each window, from the sum (p = 1) on towards the maximum."""

import torch

from course_lib import arguments, numpy_ops
from course_lib.torch_ops import checks, windows
from course_lib.torch_ops.avg_pool import AVG_POOL, AVG_SPREAD
from course_lib.torch_ops.layout import channels_back, channels_last, channels_second, empty, lend, take_back, widened
from course_lib.torch_ops.plain import lp_pool as plain
from course_lib.torch_ops.plain.taps import sum_dtype
from course_lib.torch_ops.register import Rule, keep, kept, operator, primals, vmapped


def lp_pool(x, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, channel_axis=1):
    """The p-norm of each window, (Σ |x|ᵖ)^(1/p), differentiable.

    Parameters
    ----------
    x : Tensor (N, C, *spatial)
        One to three spatial axes; float16, bfloat16, float32 or float64, on any device.
    norm_type, kernel_size, stride, padding, dilation, ceil_mode, channel_axis
        As in `course_lib.numpy_ops.lp_pool`.

    Returns
    -------
    Tensor (N, C, *output), in the dtype of ``x``.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.lp_pool`.

    See Also
    --------
    lp_pool_backward

    Examples
    --------
    >>> lp_pool(torch.tensor([[[3., -4., 0., 2.]]]), 2, 2)
    tensor([[[5., 2.]]])
    """
    power = arguments.norm_order(norm_type)
    x, axis, window = checks.pooled(x, checks.FLOATS, channel_axis, kernel_size, stride, padding, dilation, ceil_mode)
    return channels_back(LP_POOL(x, power, *window), axis)


def lp_pool_backward(grad_output, x, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *,
                     channel_axis=1):  # fmt: skip
    """Sends sign(x) · (|x| / y)ᵖ⁻¹ of a window's upstream gradient to each tap; differentiable.

    Parameters
    ----------
    grad_output : Tensor (N, C, *output)
        Upstream gradient, of a floating-point type.
    x, norm_type, kernel_size, stride, padding, dilation, ceil_mode, channel_axis
        As given to `lp_pool`.

    Returns
    -------
    Tensor of the shape of ``x``, in the gradient's dtype. An element that is 0 gets 0: the norm has a corner there.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.lp_pool_backward`, and if the tensors lie on two devices.

    See Also
    --------
    lp_pool

    Examples
    --------
    >>> lp_pool_backward(torch.tensor([[[5., 1.]]]), torch.tensor([[[3., -4., 0., 2.]]]), 2, 2)
    tensor([[[ 3., -4.,  0.,  1.]]])
    """
    power = arguments.norm_order(norm_type)
    checks.tensor("grad_output", grad_output, checks.FLOATS)
    shape = x.shape if isinstance(x, torch.Tensor) else None
    x, axis, window = checks.pooled(x, checks.FLOATS, channel_axis, kernel_size, stride, padding, dilation, ceil_mode)
    checks.same_device("x", x, "grad_output", grad_output)
    axes = windows.pool_axes(x.shape[2:], window)
    arguments.gradient_shape(
        grad_output.shape, arguments.output_shape(arguments.channels_first(shape, axis)[1], axes, axis)
    )
    return channels_back(LP_BACKWARD(channels_second(grad_output, axis), x, power, *window), axis)


def fake_lp(x, power, *window):
    """Norms without content."""
    axes = windows.pool_axes(x.shape[2:], window)
    return empty((*x.shape[:2], *(axis.output for axis in axes)), x, channels_last(x))


def cpu_lp(x, power, *window):
    """NumPy's kernel on the tensor's memory."""
    last = channels_last(x)
    options = windows.unpacked(x.dim() - 2, *window)
    return take_back(numpy_ops.lp_pool(lend(x, last), power, *options, channel_axis=-1 if last else 1), last)


def fake_backward(grad_output, x, power, *window):
    """A gradient without content."""
    return empty(x.shape, grad_output, channels_last(x))


def cpu_backward(grad_output, x, power, *window):
    """NumPy's kernel on the tensors' memory."""
    last = channels_last(x)
    arrays, options = (lend(grad_output, last), lend(x, last)), windows.unpacked(x.dim() - 2, *window)
    return take_back(numpy_ops.lp_pool_backward(*arrays, power, *options, channel_axis=-1 if last else 1), last)


def slopes(x, power, window):
    """For each element |x|ᵖ⁻¹ with its sign, and for each window y¹⁻ᵖ; 0 at the corners. Differentiable."""
    sizes, real = torch.where(x == 0, 1, x.abs()), x != 0
    sums = AVG_POOL(torch.where(real, sizes**power, 0), *window, True, 1)
    y = torch.where(sums == 0, 1, sums) ** (1 / power)
    return torch.where(real, sizes ** (power - 1), 0) * x.sign(), torch.where(sums == 0, 0, y ** (1 - power))


def scaled(x):
    """The input in a wide type, divided by its largest element, so that no power overflows: a gradient is the same."""
    wide = x.to(sum_dtype(x))
    if not wide.numel():
        return wide
    largest = wide.detach().abs().amax()
    return wide / torch.where((largest > 0) & largest.isfinite(), largest, 1)


def compose_backward(grad_output, x, power, *window):
    """The gradient of the input by operations that have gradients themselves."""
    elements, outputs = slopes(scaled(x), power, window)
    spread = AVG_SPREAD(grad_output.to(outputs.dtype) * outputs, x.shape, *window, True, 1)
    return (elements * spread).to(grad_output.dtype)


class Norm(Rule):
    """Every tap has a slope, which the input and its window's norm decide."""

    @staticmethod
    def forward(ctx, run, x, *rest):
        keep(ctx, (x, *rest))
        return run(x, *rest)

    @staticmethod
    def backward(ctx, grad_output):
        rest = kept(ctx)
        return None, LP_BACKWARD(grad_output, *rest), *[None] * (len(rest) - 1)

    @staticmethod
    def tangent(ctx, _run, tangent, *_rest):
        x, power, *window = primals(ctx)
        elements, outputs = slopes(scaled(x), power, window)
        return (AVG_POOL(elements * tangent, *window, True, 1) * outputs).to(x.dtype)


LP_POOL = operator(
    f"lp_pool(Tensor x, float power, {windows.SCHEMA}) -> Tensor",
    rule=Norm,
    cpu=widened(cpu_lp, fake_lp),
    plain=plain.lp_pool,
    fake=fake_lp,
    vmap=vmapped(),
)
LP_BACKWARD = operator(
    f"lp_backward(Tensor grad_output, Tensor x, float power, {windows.SCHEMA}) -> Tensor",
    rule=compose_backward,
    cpu=widened(cpu_backward, fake_backward),
    plain=plain.lp_pool_backward,
    fake=fake_backward,
    vmap=vmapped(),
)
