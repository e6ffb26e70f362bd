"""What `ops.py` measures: for each case PyTorch's call and ours, and the bytes that any such call must move."""

from typing import NamedTuple

import torch
import torch.nn.functional as F

import course_lib

aten = torch.ops.aten

# Input shape, kernel, stride and padding: stems and stages of well-known networks, images, a global pool.
SHAPES = {
    "S1": ((32, 64, 112, 112), 3, 2, 1),
    "S2": ((32, 64, 56, 56), 2, 2, 0),
    "S3": ((16, 192, 28, 28), 3, 1, 1),
    "S4": ((8, 256, 13, 13), 3, 2, 0),
    "S6": ((64, 3, 224, 224), 2, 2, 0),
    "SG": ((32, 512, 7, 7), 7, 7, 0),
}
TINY = {"S5": ((1, 1, 4, 4), 2, 2, 0)}
LARGE_WINDOWS = {
    "(8, 256, 20, 20) k13": ((8, 256, 20, 20), 13, 1, 6),
    "(4, 64, 80, 80) k9": ((4, 64, 80, 80), 9, 1, 4),
    "(1, 16, 256, 256) k31": ((1, 16, 256, 256), 31, 1, 15),
}
OPERATIONS = ("max with indices", "max, values only", "max backward", "average", "average backward")


class Case(NamedTuple):
    """One comparison."""

    theirs: object
    ours: object
    moved: int  # bytes of all arguments and results


def pooling(shape, kernel, stride, padding, operation, last=False):
    """One pooling operation; ``last`` says that channels stand last in memory."""
    arrays, tensors = data(shape, (kernel, stride, padding), last)
    window, axis = (kernel, stride, padding), -1 if last else 1
    return CALLS[operation](*arrays, *tensors, window, axis)


def data(shape, window, last):
    """Normal numbers; (x, indices, gradient) as arrays and as tensors."""
    generator = torch.Generator().manual_seed(0)
    layout = torch.channels_last if last else torch.contiguous_format
    x = torch.randn(shape, generator=generator).contiguous(memory_format=layout)
    y, indices = F.max_pool2d(x, *window, return_indices=True)
    gradient = torch.randn(y.shape, generator=generator).contiguous(memory_format=layout)
    tensors = x, indices.contiguous(memory_format=layout), gradient
    # A view of the same memory, with the channels where they are in memory.
    arrays = tuple((tensor.permute(0, 2, 3, 1) if last else tensor).numpy() for tensor in tensors)
    return arrays, tensors


def max_with_indices(x, indices, gradient, tx, ti, tg, window, axis):
    """Values and positions."""
    return Case(
        lambda: F.max_pool2d(tx, *window, return_indices=True),
        lambda: course_lib.max_pool(x, *window, return_indices=True, channel_axis=axis),
        x.nbytes + gradient.nbytes + indices.nbytes,
    )


def max_values(x, indices, gradient, tx, ti, tg, window, axis):
    """Values alone."""
    return Case(
        lambda: F.max_pool2d(tx, *window),
        lambda: course_lib.max_pool(x, *window, channel_axis=axis),
        x.nbytes + gradient.nbytes,
    )


def max_backward(x, indices, gradient, tx, ti, tg, window, axis):
    """From the indices."""
    pairs = [[size, size] for size in window]
    return Case(
        lambda: aten.max_pool2d_with_indices_backward(tg, tx, *pairs, [1, 1], False, ti),
        lambda: course_lib.max_pool_backward(gradient, indices, x.shape, channel_axis=axis),
        x.nbytes + gradient.nbytes + indices.nbytes,
    )


def average(x, indices, gradient, tx, ti, tg, window, axis):
    """Forward."""
    return Case(
        lambda: F.avg_pool2d(tx, *window),
        lambda: course_lib.avg_pool(x, *window, channel_axis=axis),
        x.nbytes + gradient.nbytes,
    )


def average_backward(x, indices, gradient, tx, ti, tg, window, axis):
    """Backward."""
    pairs = [[size, size] for size in window]
    return Case(
        lambda: aten.avg_pool2d_backward(tg, tx, *pairs, False, True, None),
        lambda: course_lib.avg_pool_backward(gradient, x.shape, *window, channel_axis=axis),
        x.nbytes + gradient.nbytes,
    )


CALLS = dict(zip(OPERATIONS, (max_with_indices, max_values, max_backward, average, average_backward), strict=True))


def convolution(part):
    """(32, 16→32, 28, 28) with a kernel of 3 and padding 1, forward or backward."""
    generator = torch.Generator().manual_seed(0)
    sizes = ((32, 16, 28, 28), (32, 16, 3, 3), (32,), (32, 32, 28, 28))
    tx, tw, tb, tg = tensors = [torch.randn(size, generator=generator) for size in sizes]
    x, weight, bias, gradient = (tensor.numpy() for tensor in tensors)
    if part == "forward":
        return Case(
            lambda: F.conv2d(tx, tw, tb, padding=1),
            lambda: course_lib.conv(x, weight, bias, padding=1),
            x.nbytes + gradient.nbytes,
        )
    rest = [32], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True]
    return Case(
        lambda: aten.convolution_backward(tg, tx, tw, *rest),
        lambda: course_lib.conv_backward(gradient, x, weight, padding=1),
        2 * x.nbytes + gradient.nbytes,
    )
