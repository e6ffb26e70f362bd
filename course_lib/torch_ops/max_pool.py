"""Max pooling: the forward keeps the position of each winner, the backward adds every gradient there."""

import math

import torch

from course_lib import arguments, numpy_ops
from course_lib.torch_ops import checks, triton_launch, windows
from course_lib.torch_ops.layout import (
    channels_back,
    channels_last,
    channels_second,
    empty,
    lend,
    take_back,
    widened,
    zeros,
)
from course_lib.torch_ops.max_taps import MAX_TAPS
from course_lib.torch_ops.plain import max_pool as plain
from course_lib.torch_ops.plain import segments
from course_lib.torch_ops.plain.max_taps import indices_of
from course_lib.torch_ops.register import Rule, keep, kept, linear, operator, primals, vmapped


def max_pool(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, return_indices=False,
             channel_axis=1):  # fmt: skip
    """The largest element of each window, differentiable.

    Parameters
    ----------
    x : Tensor (N, C, *spatial)
        One to three spatial axes; float16, bfloat16, float32, float64 or an integer type, on any device.
    kernel_size, stride, padding, dilation, ceil_mode, return_indices, channel_axis
        As in `course_lib.numpy_ops.max_pool`.

    Returns
    -------
    y : Tensor (N, C, *output)
        In the dtype of ``x``; channels-last memory stays channels-last.
    indices : Tensor (N, C, *output), int64
        Only with ``return_indices``.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.max_pool`.

    See Also
    --------
    max_pool_backward

    Notes
    -----
    Values and indices are those of `course_lib.numpy_ops.max_pool`, bit for bit, on every device.

    Examples
    --------
    >>> import torch
    >>> x = torch.tensor([[[[1., 4.], [3., 2.]]]], requires_grad=True)
    >>> max_pool(x, 2).sum().backward()
    >>> x.grad
    tensor([[[[0., 1.],
              [0., 0.]]]])
    """
    x, axis, window = checks.pooled(x, checks.NUMBERS, channel_axis, kernel_size, stride, padding, dilation, ceil_mode)
    if not arguments.flag("return_indices", return_indices):
        return channels_back(winners(x, window), axis)
    y, indices = located(x, window)
    return channels_back(y, axis), channels_back(indices, axis)


def max_pool_backward(grad_output, indices, input_shape, *, channel_axis=1):
    """Adds each upstream gradient at the winner of its window, differentiable in ``grad_output``.

    Parameters
    ----------
    grad_output : Tensor (N, C, *output)
        Upstream gradient, of a floating-point type.
    indices : Tensor (N, C, *output), int64
        As `max_pool` returns them. −1 sends its gradient nowhere.
    input_shape, channel_axis
        As in `course_lib.numpy_ops.max_pool_backward`.

    Returns
    -------
    Tensor of shape ``input_shape``, in the gradient's dtype.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.max_pool_backward`, and if the tensors lie on two devices.

    See Also
    --------
    max_pool

    Notes
    -----
    The same bits in every run. On the CPU those of a plane are added one after the other, in row-major order, by
    ``scatter_add_``: that is an addition at given places, not the framework's pooling. It gives the bits of
    `course_lib.numpy_ops`. Off the CPU they are sorted by target and summed as segments.

    Examples
    --------
    The middle element wins both windows of length 2.

    >>> import torch
    >>> x = torch.tensor([[[1., 5., 2.]]])
    >>> y, indices = max_pool(x, 2, stride=1, return_indices=True)
    >>> max_pool_backward(torch.tensor([[[1., 4.]]]), indices, x.shape)
    tensor([[[0., 5., 0.]]])
    """
    checks.tensor("grad_output", grad_output, checks.FLOATS)
    checks.index_tensor(indices, grad_output)
    shape, axis, first = checks.shape_argument("input_shape", input_shape, channel_axis, grad_output.dim() - 2)
    arguments.same_batch(grad_output.shape, shape, axis)
    grad_output, indices = channels_second(grad_output, axis), channels_second(indices, axis)
    return channels_back(MAX_SCATTER(grad_output, indices, first, False), axis)


def winners(x, window):
    """The winners' values, kept together with what their gradient needs if it will be wanted."""
    if not (x.requires_grad and torch.is_grad_enabled()):
        return MAX_POOL_VALUES(x, *window)
    if triton_launch.serves(x, window[0]):
        return MAX_TAPS(x, *window)[0]
    return MAX_POOL(x, *window)[0]


def located(x, window):
    """The winners' values and flat positions."""
    if not triton_launch.serves(x, window[0]):
        return MAX_POOL(x, *window)
    y, taps = MAX_TAPS(x, *window)
    return y, indices_of(taps, windows.pool_axes(x.shape[2:], window))


def results_like(x, sizes, last):
    """An empty result of the windows, one element each."""
    return empty((*x.shape[:2], *sizes), x, last)


def fake_max_pool(x, *window):
    """Values and indices without content."""
    y = fake_max_pool_values(x, *window)
    return y, torch.empty_like(y, dtype=torch.int64)


def fake_max_pool_values(x, *window):
    """Values without content."""
    axes = windows.pool_axes(x.shape[2:], window)
    return results_like(x, [axis.output for axis in axes], channels_last(x))


def cpu_max_pool(x, *window):
    """NumPy's kernel on the tensor's memory."""
    last = channels_last(x)
    array, options = lend(x, last), windows.unpacked(x.dim() - 2, *window)
    y, indices = numpy_ops.max_pool(array, *options, return_indices=True, channel_axis=-1 if last else 1)
    return take_back(y, last), take_back(indices, last)


def cpu_max_pool_values(x, *window):
    """NumPy's kernel on the tensor's memory, without indices."""
    last = channels_last(x)
    array, options = lend(x, last), windows.unpacked(x.dim() - 2, *window)
    return take_back(numpy_ops.max_pool(array, *options, channel_axis=-1 if last else 1), last)


def fake_scatter(grad_output, indices, input_shape, trusted):
    """A gradient without content, laid out as the indices are, since these follow the input."""
    return empty(tuple(input_shape), grad_output, channels_last(indices))


def cpu_scatter(grad_output, indices, input_shape, trusted):
    """The framework's scatter_add_: in the order of NumPy's kernel, to the same bits, and in several threads."""
    last = channels_last(indices)
    try:
        return scattered(grad_output, indices, input_shape, last)
    except RuntimeError:
        # An index outside the plane: −1, or one that NumPy refuses. What has been written is thrown away.
        shape = (input_shape[0], *input_shape[2:], input_shape[1]) if last else tuple(input_shape)
        arrays = lend(grad_output, last), lend(indices, last)
        return take_back(numpy_ops.max_pool_backward(*arrays, shape, channel_axis=-1 if last else 1), last)


def scattered(grad_output, indices, input_shape, last):
    """Adds each gradient at its flat position; RuntimeError if a position lies outside the plane."""
    order = (0, *range(2, indices.dim()), 1) if last else range(indices.dim())
    lanes, size = (input_shape[1],) if last else (), math.prod(input_shape[2:])
    planes = input_shape[0] * (1 if last else input_shape[1])
    wide = torch.float64 if grad_output.dtype == torch.float64 else torch.float32
    places, values = (value.permute(*order).reshape(planes, -1, *lanes) for value in (indices, grad_output))
    total = zeros((planes, size, *lanes), wide).scatter_add_(1, places, values.to(wide))
    total = total.to(grad_output.dtype).reshape([input_shape[axis] for axis in order])
    return total.movedim(-1, 1) if last else total


def cuda_max_pool_values(x, *window):
    """The Triton kernel where it can serve, else plain operations."""
    if triton_launch.serves(x, window[0]):
        return triton_launch.max_pool_taps(x, *window, keep=False)
    return plain.max_pool_values(x, *window)


def plain_scatter(grad_output, indices, input_shape, trusted):
    """Sorted segment sums, for any device."""
    if not trusted:
        checks.index_range(indices, math.prod(input_shape[2:]))
    return segments.scatter_add(grad_output, indices, input_shape, channels_last(indices))


def take(x, indices):
    """The elements at flat positions, laid out as the indices are."""
    return segments.gather(x, indices, channels_last(indices))


def fake_take(x, indices):
    """Elements without content."""
    return empty(indices.shape, x, channels_last(indices))


class Choosing(Rule):
    """The rule of every maximum that gives values and indices: the indices say where gradients go."""

    @staticmethod
    def forward(ctx, run, x, *rest):
        y, indices = run(x, *rest)
        keep(ctx, (indices,))
        # The indices have no gradient; zeros in its place would cost as much as a third of the backward.
        ctx.set_materialize_grads(False)
        ctx.shape, ctx.count = x.shape, len(rest)
        return y, indices

    @staticmethod
    def backward(ctx, grad_output, _):
        grad_input = None if grad_output is None else MAX_SCATTER(grad_output, *kept(ctx), ctx.shape, True)
        return None, grad_input, *[None] * ctx.count

    @staticmethod
    def tangent(ctx, _run, tangent, *_rest):
        return MAX_TAKE(tangent, *primals(ctx)), None


class Recomputing(Rule):
    """The rule of a maximum without indices, for a gradient that nobody foresaw: it finds the winners again."""

    @staticmethod
    def forward(ctx, run, x, *rest):
        keep(ctx, (x, *rest))
        return run(x, *rest)

    @staticmethod
    def backward(ctx, grad_output):
        x, *window = kept(ctx)
        return None, MAX_SCATTER(grad_output, MAX_POOL(x, *window)[1], x.shape, True), *[None] * len(window)

    @staticmethod
    def tangent(ctx, _run, tangent, *_rest):
        return MAX_TAKE(tangent, MAX_POOL(*primals(ctx))[1])


MAX_POOL = operator(
    f"max_pool(Tensor x, {windows.SCHEMA}) -> (Tensor, Tensor)",
    rule=Choosing,
    cpu=widened(cpu_max_pool, fake_max_pool),
    plain=plain.max_pool,
    fake=fake_max_pool,
    vmap=vmapped(),
)
MAX_POOL_VALUES = operator(
    f"max_pool_values(Tensor x, {windows.SCHEMA}) -> Tensor",
    rule=Recomputing,
    cpu=widened(cpu_max_pool_values, fake_max_pool_values),
    cuda=cuda_max_pool_values,
    plain=plain.max_pool_values,
    fake=fake_max_pool_values,
    vmap=vmapped(),
)
MAX_SCATTER = operator(
    "max_scatter(Tensor grad_output, Tensor indices, SymInt[] input_shape, bool trusted) -> Tensor",
    rule=linear(
        lambda grad_output, *rest: MAX_SCATTER(grad_output, *rest),
        lambda grad, _shape, indices, *_: MAX_TAKE(grad, indices),
    ),
    cpu=widened(cpu_scatter, fake_scatter, shape_at=2),
    plain=plain_scatter,
    fake=fake_scatter,
    vmap=vmapped(shape_at=2),
)
MAX_TAKE = operator(
    "max_take(Tensor x, Tensor indices) -> Tensor",
    rule=linear(
        lambda x, indices: MAX_TAKE(x, indices),
        lambda grad, shape, indices: MAX_SCATTER(grad, indices, shape, True),
    ),
    cpu=take,
    plain=take,
    fake=fake_take,
    vmap=vmapped(),
)
