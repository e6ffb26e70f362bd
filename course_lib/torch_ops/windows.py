"""The arguments of a window in the form that an operator's schema can hold, and back."""

import torch

from course_lib import arguments

SCHEMA = "int[] kernel_size, int[] stride, int[] padding, str same, int[] dilation, bool ceil_mode"


def packed(rank, kernel_size, stride, padding, dilation, ceil_mode):
    """The six arguments of `SCHEMA`; a list of one stands for one integer for all axes, an empty stride for None."""
    pads, same = _packed_padding(rank, padding)
    return (
        _integers("kernel_size", kernel_size, rank, 1),
        [] if stride is None else _integers("stride", stride, rank, 1),
        pads,
        same,
        _integers("dilation", dilation, rank, 1),
        arguments.flag("ceil_mode", ceil_mode),
    )


def _integers(name, value, rank, minimum):
    """One integer or one an axis, as a list."""
    if type(value) is int:
        return [arguments.integer(name, value, minimum)]
    return list(arguments.per_axis(name, value, rank, minimum))


def _packed_padding(rank, padding):
    """Padding as a list of one integer, one an axis or two an axis, and the word where it is one."""
    if isinstance(padding, str):
        return [], arguments.choice("padding", padding, ("valid", "same", "same_lower"))
    if arguments.is_sequence(padding) and any(hasattr(entry, "__len__") for entry in padding):
        pairs = arguments.padding_pairs(padding, (1,) * rank, (1,) * rank, (1,) * rank, (1,) * rank)
        return [entry for pair in pairs for entry in pair], ""
    return _integers("padding", padding, rank, 0), ""


def unpacked(rank, kernel_size, stride, padding, same, dilation, ceil_mode):
    """What the caller gave, for the functions that take it so."""
    pads = same or (_pairs(padding) if len(padding) == 2 * rank else _one_or_all(padding))
    return _one_or_all(kernel_size), _one_or_all(stride) if stride else None, pads, _one_or_all(dilation), ceil_mode


def _one_or_all(values):
    return values[0] if len(values) == 1 else tuple(values)


def _pairs(padding):
    return tuple(zip(padding[::2], padding[1::2], strict=True))


def pool_axes(sizes, window):
    """The window along each spatial axis of an input of these sizes, from the six arguments of the schema."""
    rank = len(sizes)
    kernel_size, *rest = unpacked(rank, *window)
    if any(isinstance(size, torch.SymInt) for size in sizes) and isinstance(kernel_size, int):
        # Symbolic sizes cannot be looked up in the cache that serves single integers.
        kernel_size = (kernel_size,) * rank
    return arguments.pool_axes(tuple(sizes), kernel_size, *rest)
