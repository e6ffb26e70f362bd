"""Max unpooling: puts pooled values back where they came from. Its backward reads the gradient there."""

from course_lib import arguments, numpy_ops
from course_lib.torch_ops import checks
from course_lib.torch_ops.layout import channels_back, channels_last, channels_second, empty, lend, take_back, widened
from course_lib.torch_ops.plain import unpool as plain
from course_lib.torch_ops.register import linear, operator, vmapped


def max_unpool(x, indices, output_shape, *, duplicates="raise", channel_axis=1):
    """Puts each value where its index says, and 0 elsewhere; differentiable in ``x``.

    Parameters
    ----------
    x : Tensor (N, C, *spatial)
        Values, of any float or integer type, on any device.
    indices : Tensor of the shape of ``x``, int64
        As `max_pool` returns them. −1 writes nothing.
    output_shape, duplicates, channel_axis
        As in `course_lib.numpy_ops.max_unpool`.

    Returns
    -------
    Tensor of shape ``output_shape``, in the dtype of ``x``.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.max_unpool`, and if the tensors lie on two devices.

    See Also
    --------
    max_unpool_backward

    Examples
    --------
    >>> import torch
    >>> max_unpool(torch.tensor([[[5., 4.]]]), torch.tensor([[[1, 3]]]), (1, 1, 4))
    tensor([[[0., 5., 0., 4.]]])
    """
    checks.tensor("x", x, checks.NUMBERS)
    checks.index_tensor(indices, x, "x")
    arguments.choice("duplicates", duplicates, ("raise", "last"))
    shape, axis, first = checks.shape_argument("output_shape", output_shape, channel_axis, x.dim() - 2)
    arguments.same_planes(x.shape, shape, axis)
    x, indices = channels_second(x, axis), channels_second(indices, axis)
    return channels_back(UNPOOL(x, indices, first, duplicates), axis)


def max_unpool_backward(grad_output, indices, *, channel_axis=1):
    """Reads the upstream gradient where each value was put; differentiable in ``grad_output``.

    Parameters
    ----------
    grad_output : Tensor (N, C, *output)
        Upstream gradient, of a floating-point type.
    indices : Tensor (N, C, *spatial), int64
        As given to `max_unpool`.
    channel_axis : int
        Where the channels stand, in both.

    Returns
    -------
    Tensor of the shape of ``indices``, in the gradient's dtype. Index −1 gets 0, and so does an overwritten value.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.max_unpool_backward`, and if the tensors lie on two devices.

    See Also
    --------
    max_unpool

    Examples
    --------
    >>> import torch
    >>> max_unpool_backward(torch.tensor([[[1., 2., 3., 4.]]]), torch.tensor([[[1, 3]]]))
    tensor([[[2., 4.]]])
    """
    grad_output, axis = checks.batch("grad_output", grad_output, checks.FLOATS, channel_axis)
    checks.index_planes(indices, grad_output, axis)
    return channels_back(UNPOOL_READ(grad_output, channels_second(indices, axis)), axis)


def fake_unpool(x, indices, output_shape, duplicates):
    """A result without content."""
    return empty(tuple(output_shape), x, channels_last(indices))


def cpu_unpool(x, indices, output_shape, duplicates):
    """NumPy's kernel on the tensors' memory."""
    last = channels_last(indices)
    shape = (output_shape[0], *output_shape[2:], output_shape[1]) if last else tuple(output_shape)
    arrays = lend(x, last), lend(indices, last)
    return take_back(numpy_ops.max_unpool(*arrays, shape, duplicates=duplicates, channel_axis=-1 if last else 1), last)


def fake_read(grad_output, indices):
    """Gradients without content."""
    return empty(indices.shape, grad_output, channels_last(indices))


def cpu_read(grad_output, indices):
    """NumPy's kernel on the tensors' memory."""
    last = channels_last(indices)
    arrays = lend(grad_output, last), lend(indices, last)
    return take_back(numpy_ops.max_unpool_backward(*arrays, channel_axis=-1 if last else 1), last)


UNPOOL = operator(
    "unpool(Tensor x, Tensor indices, SymInt[] output_shape, str duplicates) -> Tensor",
    rule=linear(
        lambda x, *rest: UNPOOL(x, *rest),
        lambda grad_output, _shape, indices, *_: UNPOOL_READ(grad_output, indices),
    ),
    cpu=widened(cpu_unpool, fake_unpool, shape_at=2),
    plain=plain.max_unpool,
    fake=fake_unpool,
    vmap=vmapped(shape_at=2),
)
UNPOOL_READ = operator(
    "unpool_read(Tensor grad_output, Tensor indices) -> Tensor",
    rule=linear(
        lambda grad_output, indices: UNPOOL_READ(grad_output, indices),
        lambda grad, shape, indices: UNPOOL(grad, indices, shape, "last"),
    ),
    cpu=widened(cpu_read, fake_read),
    plain=plain.max_unpool_backward,
    fake=fake_read,
    vmap=vmapped(),
)
