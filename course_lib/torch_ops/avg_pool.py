"""Average pooling: the forward divides each window's sum, the backward spreads the gradient with the same divisor."""

from course_lib import arguments, numpy_ops
from course_lib.torch_ops import checks, triton_launch, windows
from course_lib.torch_ops.layout import channels_back, channels_last, channels_second, empty, lend, take_back, widened
from course_lib.torch_ops.plain import avg_pool as plain
from course_lib.torch_ops.register import linear, operator, vmapped


def avg_pool(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, count_include_pad=True,
             divisor_override=None, channel_axis=1):  # fmt: skip
    """The mean of each window, differentiable.

    Parameters
    ----------
    x : Tensor (N, C, *spatial)
        One to three spatial axes; float16, bfloat16, float32 or float64, on any device.
    kernel_size, stride, padding, dilation, ceil_mode, count_include_pad, divisor_override, channel_axis
        As in `course_lib.numpy_ops.avg_pool`.

    Returns
    -------
    Tensor (N, C, *output), in the dtype of ``x``; channels-last memory stays channels-last.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.avg_pool`.

    See Also
    --------
    avg_pool_backward

    Notes
    -----
    float16 and bfloat16 are summed in float32.

    Examples
    --------
    >>> import torch
    >>> x = torch.tensor([[[[1., 4.], [3., 2.]]]], requires_grad=True)
    >>> avg_pool(x, 2).sum().backward()
    >>> x.grad
    tensor([[[[0.2500, 0.2500],
              [0.2500, 0.2500]]]])
    """
    x, axis, window = checks.pooled(x, checks.FLOATS, channel_axis, kernel_size, stride, padding, dilation, ceil_mode)
    include = arguments.flag("count_include_pad", count_include_pad)
    return channels_back(AVG_POOL(x, *window, include, arguments.divisor(divisor_override)), axis)


def avg_pool_backward(grad_output, input_shape, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *,
                      count_include_pad=True, divisor_override=None, channel_axis=1):  # fmt: skip
    """Gives each tap of a window its share of the window's upstream gradient, and adds the shares; differentiable.

    Parameters
    ----------
    grad_output : Tensor (N, C, *output)
        Upstream gradient, of a floating-point type.
    input_shape, kernel_size, stride, padding, dilation, ceil_mode, count_include_pad, divisor_override, channel_axis
        As in `course_lib.numpy_ops.avg_pool_backward`.

    Returns
    -------
    Tensor of shape ``input_shape``, in the gradient's dtype.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.avg_pool_backward`.

    See Also
    --------
    avg_pool

    Examples
    --------
    The middle element lies in both windows of length 3.

    >>> import torch
    >>> avg_pool_backward(torch.tensor([[[3., 6.]]]), (1, 1, 5), 3, stride=2)
    tensor([[[1., 1., 3., 2., 2.]]])
    """
    checks.tensor("grad_output", grad_output, checks.FLOATS)
    shape, axis, first = checks.shape_argument("input_shape", input_shape, channel_axis, grad_output.dim() - 2)
    window = windows.packed(len(first) - 2, kernel_size, stride, padding, dilation, ceil_mode)
    axes = windows.pool_axes(first[2:], window)
    arguments.gradient_shape(grad_output.shape, arguments.output_shape(first, axes, axis))
    include = arguments.flag("count_include_pad", count_include_pad)
    rest = (*window, include, arguments.divisor(divisor_override))
    return channels_back(AVG_SPREAD(channels_second(grad_output, axis), first, *rest), axis)


def fake_avg_pool(x, *rest):
    """An output without content."""
    axes = windows.pool_axes(x.shape[2:], rest[:6])
    return empty((*x.shape[:2], *(axis.output for axis in axes)), x, channels_last(x))


def cpu_avg_pool(x, *rest):
    """NumPy's kernel on the tensor's memory."""
    last = channels_last(x)
    options, keywords = _options(x.dim() - 2, rest, last)
    return take_back(numpy_ops.avg_pool(lend(x, last), *options, **keywords), last)


def fake_spread(grad_output, input_shape, *rest):
    """A gradient without content."""
    return empty(tuple(input_shape), grad_output, channels_last(grad_output))


def cpu_spread(grad_output, input_shape, *rest):
    """NumPy's kernel on the tensor's memory."""
    last = channels_last(grad_output)
    shape = (input_shape[0], *input_shape[2:], input_shape[1]) if last else tuple(input_shape)
    options, keywords = _options(len(shape) - 2, rest, last)
    return take_back(numpy_ops.avg_pool_backward(lend(grad_output, last), shape, *options, **keywords), last)


def cuda_avg_pool(x, *rest):
    """The Triton kernel where it can serve, else plain operations."""
    return (triton_launch if triton_launch.serves(x, rest[0]) else plain).avg_pool(x, *rest)


def cuda_spread(grad_output, input_shape, *rest):
    """The Triton kernel where it can serve, else plain operations."""
    backend = triton_launch if triton_launch.serves(grad_output, rest[0]) else plain
    return backend.avg_pool_backward(grad_output, input_shape, *rest)


def _options(rank, rest, last):
    """The operator's last eight arguments as NumPy's function takes them."""
    *window, count_include_pad, divisor_override = rest
    keywords = {"count_include_pad": count_include_pad, "divisor_override": divisor_override}
    return windows.unpacked(rank, *window), {**keywords, "channel_axis": -1 if last else 1}


AVG_POOL = operator(
    f"avg_pool(Tensor x, {windows.SCHEMA}, bool count_include_pad, int? divisor_override) -> Tensor",
    rule=linear(
        lambda x, *rest: AVG_POOL(x, *rest),
        lambda grad_output, shape, *rest: AVG_SPREAD(grad_output, shape, *rest),
    ),
    cpu=widened(cpu_avg_pool, fake_avg_pool),
    cuda=cuda_avg_pool,
    plain=plain.avg_pool,
    fake=fake_avg_pool,
    vmap=vmapped(),
)
AVG_SPREAD = operator(
    f"avg_spread(Tensor grad_output, SymInt[] input_shape, {windows.SCHEMA}, bool count_include_pad, "
    "int? divisor_override) -> Tensor",
    rule=linear(
        lambda grad_output, *rest: AVG_SPREAD(grad_output, *rest),
        lambda grad, _shape, _input_shape, *rest: AVG_POOL(grad, *rest),
    ),
    cpu=widened(cpu_spread, fake_spread, shape_at=1),
    cuda=cuda_spread,
    plain=plain.avg_pool_backward,
    fake=fake_spread,
    vmap=vmapped(shape_at=1),
)
