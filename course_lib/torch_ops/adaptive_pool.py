"""Adaptive and global pooling: as many bins as are asked for, whatever the size of the input."""

import torch

from course_lib import arguments, numpy_ops
from course_lib.torch_ops import checks
from course_lib.torch_ops.layout import channels_back, channels_last, channels_second, empty, lend, take_back, widened
from course_lib.torch_ops.max_pool import Choosing, max_pool_backward
from course_lib.torch_ops.plain import adaptive_pool as plain
from course_lib.torch_ops.register import linear, operator, vmapped


def adaptive_max_pool(x, output_size, *, return_indices=False, channel_axis=1):
    """The largest element of each bin, differentiable.

    Parameters
    ----------
    x : Tensor (N, C, *spatial)
        One to three spatial axes; float16, bfloat16, float32, float64 or an integer type, on any device.
    output_size, return_indices, channel_axis
        As in `course_lib.numpy_ops.adaptive_max_pool`.

    Returns
    -------
    y : Tensor (N, C, *output_size)
        In the dtype of ``x``.
    indices : Tensor (N, C, *output_size), int64
        Only with ``return_indices``.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.adaptive_max_pool`.

    See Also
    --------
    adaptive_max_pool_backward

    Examples
    --------
    >>> import torch
    >>> adaptive_max_pool(torch.tensor([[[1., 5., 2., 4.]]]), 3)
    tensor([[[5., 5., 4.]]])
    """
    x, axis = checks.batch("x", x, checks.NUMBERS, channel_axis, output_size)
    outputs = checks.bin_counts(output_size, x.shape[2:])
    y, indices = ADAPTIVE_MAX(x, outputs)
    if arguments.flag("return_indices", return_indices):
        return channels_back(y, axis), channels_back(indices, axis)
    return channels_back(y, axis)


def adaptive_max_pool_backward(grad_output, indices, input_shape, *, channel_axis=1):
    """Adds each upstream gradient at the winner of its bin, differentiable in ``grad_output``.

    Parameters
    ----------
    grad_output, indices, input_shape, channel_axis
        As in `course_lib.torch_ops.max_pool_backward`, which does the same.

    Returns
    -------
    Tensor of shape ``input_shape``, in the gradient's dtype.

    See Also
    --------
    adaptive_max_pool
    """
    return max_pool_backward(grad_output, indices, input_shape, channel_axis=channel_axis)


def adaptive_avg_pool(x, output_size, *, channel_axis=1):
    """The mean of each bin, differentiable.

    Parameters
    ----------
    x : Tensor (N, C, *spatial)
        One to three spatial axes; float16, bfloat16, float32 or float64, on any device.
    output_size, channel_axis
        As in `course_lib.numpy_ops.adaptive_avg_pool`.

    Returns
    -------
    Tensor (N, C, *output_size), in the dtype of ``x``.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.adaptive_avg_pool`.

    See Also
    --------
    adaptive_avg_pool_backward

    Examples
    --------
    >>> import torch
    >>> adaptive_avg_pool(torch.tensor([[[1., 5., 2., 4.]]]), 3)
    tensor([[[3.0000, 3.5000, 3.0000]]])
    """
    x, axis = checks.batch("x", x, checks.FLOATS, channel_axis, output_size)
    return channels_back(ADAPTIVE_AVG(x, checks.bin_counts(output_size, x.shape[2:])), axis)


def adaptive_avg_pool_backward(grad_output, input_shape, *, channel_axis=1):
    """Gives each element of a bin its share of the bin's upstream gradient, and adds the shares; differentiable.

    Parameters
    ----------
    grad_output : Tensor (N, C, *output_size)
        Upstream gradient, of a floating-point type.
    input_shape, channel_axis
        As in `course_lib.numpy_ops.adaptive_avg_pool_backward`.

    Returns
    -------
    Tensor of shape ``input_shape``, in the gradient's dtype.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.adaptive_avg_pool_backward`.

    See Also
    --------
    adaptive_avg_pool

    Examples
    --------
    >>> import torch
    >>> adaptive_avg_pool_backward(torch.tensor([[[2., 4., 6.]]]), (1, 1, 4))
    tensor([[[1., 3., 5., 3.]]])
    """
    checks.tensor("grad_output", grad_output, checks.FLOATS)
    shape, axis, first = checks.shape_argument("input_shape", input_shape, channel_axis, grad_output.dim() - 2)
    arguments.not_empty("grad_output", grad_output.shape, arguments.channels_first(grad_output.shape, axis)[1])
    arguments.same_batch(grad_output.shape, shape, axis)
    return channels_back(ADAPTIVE_SPREAD(channels_second(grad_output, axis), first), axis)


def global_max_pool(x, *, return_indices=False, channel_axis=1):
    """The largest element of each plane: `adaptive_max_pool` with one bin."""
    return adaptive_max_pool(x, 1, return_indices=return_indices, channel_axis=channel_axis)


def global_avg_pool(x, *, channel_axis=1):
    """The mean of each plane: `adaptive_avg_pool` with one bin."""
    return adaptive_avg_pool(x, 1, channel_axis=channel_axis)


def fake_max(x, outputs):
    """Values and indices without content."""
    shape, last = (*x.shape[:2], *outputs), channels_last(x)
    return empty(shape, x, last), empty(shape, x, last, torch.int64)


def cpu_max(x, outputs):
    """NumPy's kernel on the tensor's memory."""
    last = channels_last(x)
    array, axis = lend(x, last), -1 if last else 1
    results = numpy_ops.adaptive_max_pool(array, tuple(outputs), return_indices=True, channel_axis=axis)
    return tuple(take_back(result, last) for result in results)


def fake_avg(x, outputs):
    """Means without content."""
    return empty((*x.shape[:2], *outputs), x, channels_last(x))


def cpu_avg(x, outputs):
    """NumPy's kernel on the tensor's memory."""
    last = channels_last(x)
    return take_back(numpy_ops.adaptive_avg_pool(lend(x, last), tuple(outputs), channel_axis=-1 if last else 1), last)


def fake_spread(grad_output, input_shape):
    """A gradient without content."""
    return empty(tuple(input_shape), grad_output, channels_last(grad_output))


def cpu_spread(grad_output, input_shape):
    """NumPy's kernel on the tensor's memory."""
    last = channels_last(grad_output)
    shape = (input_shape[0], *input_shape[2:], input_shape[1]) if last else tuple(input_shape)
    array = numpy_ops.adaptive_avg_pool_backward(lend(grad_output, last), shape, channel_axis=-1 if last else 1)
    return take_back(array, last)


ADAPTIVE_MAX = operator(
    "adaptive_max(Tensor x, SymInt[] outputs) -> (Tensor, Tensor)",
    rule=Choosing,
    cpu=widened(cpu_max, fake_max),
    plain=plain.adaptive_max_pool,
    fake=fake_max,
    vmap=vmapped(),
)
ADAPTIVE_AVG = operator(
    "adaptive_avg(Tensor x, SymInt[] outputs) -> Tensor",
    rule=linear(
        lambda x, outputs: ADAPTIVE_AVG(x, outputs),
        lambda grad_output, shape, _outputs: ADAPTIVE_SPREAD(grad_output, shape),
    ),
    cpu=widened(cpu_avg, fake_avg),
    plain=plain.adaptive_avg_pool,
    fake=fake_avg,
    vmap=vmapped(),
)
ADAPTIVE_SPREAD = operator(
    "adaptive_spread(Tensor grad_output, SymInt[] input_shape) -> Tensor",
    rule=linear(
        lambda grad_output, input_shape: ADAPTIVE_SPREAD(grad_output, input_shape),
        lambda grad, shape, _input_shape: ADAPTIVE_AVG(grad, shape[2:]),
    ),
    cpu=widened(cpu_spread, fake_spread, shape_at=1),
    plain=plain.adaptive_avg_pool_backward,
    fake=fake_spread,
    vmap=vmapped(shape_at=1),
)
