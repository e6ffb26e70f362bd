"""What tensors an operation takes; the other arguments are checked where NumPy checks them."""

import torch

from course_lib import arguments
from course_lib.torch_ops import windows
from course_lib.torch_ops.layout import channels_second

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = tuple(getattr(torch, name) for name in arguments.INTEGERS)
NUMBERS = FLOATS + INTEGERS


def tensor(name, value, dtypes):
    """A torch tensor of one of the dtypes."""
    if not isinstance(value, torch.Tensor):
        raise TypeError(
            f"{name} must be a torch tensor, as the other arguments are; got {type(value).__name__}. "
            f"Convert it with torch.as_tensor({name})."
        )
    if value.dtype not in dtypes:
        words = "float32, float64 or an integer type" if torch.int64 in dtypes else "float32 or float64"
        raise TypeError(f"{name} must have dtype float16, bfloat16, {words}; got {name}.dtype={value.dtype}.")
    return dense(name, value)


def dense(name, value):
    """A tensor with one place in memory for each element: not sparse, not nested, not of another library."""
    if value.is_nested:
        raise TypeError(f"{name} must be a dense tensor; got a nested one. Pad it with {name}.to_padded_tensor.")
    if value.layout is not torch.strided:
        raise TypeError(f"{name} must be a dense tensor; got {name}.layout={value.layout}. Use {name}.to_dense().")
    return value


def same_device(name, value, like_name, like):
    """Two tensors that meet in one operation must lie on one device."""
    if value.device != like.device:
        raise ValueError(
            f"{name} must lie on the device of {like_name}; got {name} on {value.device}, {like_name} on {like.device}."
            f" Move it with {name}.to({like_name}.device)."
        )


def int64(name, value):
    """A tensor of flat positions."""
    if not isinstance(value, torch.Tensor) or value.dtype != torch.int64:
        kind = value.dtype if isinstance(value, torch.Tensor) else type(value).__name__
        raise TypeError(f"{name} must be an int64 tensor; got {kind}.")
    dense(name, value)


def index_planes(indices, grad_output, axis):
    """Flat positions in the planes of ``grad_output``, (N, C, *output): int64, with its samples and channels."""
    int64("indices", indices)
    found = arguments.channels_first(indices.shape, axis)[1] if indices.dim() == grad_output.dim() else indices.shape
    if tuple(found[:2]) != tuple(grad_output.shape[:2]) or len(found) != grad_output.dim():
        raise ValueError(
            f"indices must have the samples and channels of grad_output; got shape {tuple(indices.shape)}, "
            f"grad_output with {tuple(grad_output.shape[:2])}."
        )
    same_device("indices", indices, "grad_output", grad_output)


def index_tensor(indices, grad_output, name="grad_output"):
    """Flat positions that belong to ``grad_output``: int64, of its shape, on its device."""
    int64("indices", indices)
    if indices.shape != grad_output.shape:
        raise ValueError(
            f"indices must have the shape of {name}, {tuple(grad_output.shape)}; got shape {tuple(indices.shape)}."
        )
    same_device("indices", indices, name, grad_output)


def batch(name, x, dtypes, channel_axis, *ranked):
    """The checked input as (N, C, *spatial), and where its channel axis stood.

    ``ranked`` are the arguments that may name the number of spatial axes.
    """
    tensor(name, x, dtypes)
    axis, _ = arguments.image_batch(name, x.shape, channel_axis, arguments.rank_of(*ranked))
    return channels_second(x, axis), axis


def shape_argument(name, value, channel_axis, rank):
    """A full shape given as an argument: itself, the channel axis from the front, and the shape as (N, C, *spatial)."""
    if not torch.compiler.is_compiling():
        return arguments.shape_argument(name, value, channel_axis, rank)
    # Sizes may be symbols here, which are no integers yet.
    return tuple(value), *arguments.image_batch(name, tuple(value), channel_axis, rank)


def bin_counts(output_size, sizes):
    """The bins of adaptive pooling along each axis; None keeps the size of its axis."""
    if not torch.compiler.is_compiling() or not isinstance(output_size, (tuple, list)):
        return arguments.bin_counts(output_size, sizes)
    return [n if entry is None else entry for entry, n in zip(output_size, sizes, strict=True)]


def pooled(x, dtypes, channel_axis, kernel_size, stride, padding, dilation, ceil_mode):
    """The checked input of a pooling operation as (N, C, *spatial), its channel axis, and the packed window."""
    x, axis = batch("x", x, dtypes, channel_axis, kernel_size, stride, dilation)
    return x, axis, windows.packed(x.dim() - 2, kernel_size, stride, padding, dilation, ceil_mode)


def index_range(indices, size, limit_name="input_shape"):
    """Indices must lie in the plane of ``size`` elements; −1 stands for a window without a real tap."""
    wrong = indices[(indices < -1) | (indices >= size)]
    if wrong.numel():
        raise ValueError(
            f"indices must lie between -1 and {size - 1}, the last element of a plane of {limit_name}; "
            f"got {wrong.flatten()[0].item()}."
        )
