"""Launches the Triton kernels on tensors: grids, strides and the constants a kernel is compiled for."""

import importlib
import importlib.util
import math
from contextlib import nullcontext
from functools import lru_cache

import torch

from course_lib import geometry
from course_lib.torch_ops import windows
from course_lib.torch_ops.layout import channels_last, empty

HAS_TRITON = importlib.util.find_spec("triton") is not None
WARPS = 8
THREADS = 32 * WARPS
MOST_TAPS = 255
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def serves(x, kernel_size):
    """Whether the kernels can take this tensor: on CUDA, floating point, with the winning tap in one byte."""
    rank = x.dim() - 2
    taps = math.prod(kernel_size) if len(kernel_size) == rank else kernel_size[0] ** rank
    return HAS_TRITON and x.is_cuda and x.dtype in FLOATS and taps <= MOST_TAPS


def kernels():
    """The module of kernels, loaded when a tensor needs it: Triton is large, and not there on every machine."""
    return importlib.import_module("course_lib.torch_ops.triton_kernels")


def max_pool_taps(x, *window, keep=True):
    """Values of the winners, and which tap each was, one byte a window (255: none)."""
    axes = windows.pool_axes(x.shape[2:], window)
    y = empty((*x.shape[:2], *(axis.output for axis in axes)), x, channels_last(x))
    taps = torch.empty_like(y, dtype=torch.uint8) if keep else y
    launch(kernels().max_forward, y.numel(), x, axes, channels_last(x), (x, y, taps), KEEP=keep)
    return (y, taps) if keep else y


def max_taps_backward(grad_output, taps, input_shape, *window):
    """The gradient of the input: each element gathers from the windows that it won."""
    axes = windows.pool_axes(input_shape[2:], window)
    last = channels_last(taps)
    grad_input = empty(tuple(input_shape), grad_output, last)
    launch(kernels().max_backward, grad_input.numel(), grad_output, axes, last, (grad_output, taps, grad_input))
    return grad_input


def avg_pool(x, *rest):
    """The mean of each window."""
    axes = windows.pool_axes(x.shape[2:], rest[:6])
    y = empty((*x.shape[:2], *(axis.output for axis in axes)), x, channels_last(x))
    table, divisor = divisor_table(axes, *rest[6:], x.device)
    launch(kernels().avg_forward, y.numel(), x, axes, channels_last(x), (x, y, table), DIVISOR=divisor)
    return y


def avg_pool_backward(grad_output, input_shape, *rest):
    """The gradient of the input: each element gathers its share from the windows that hold it."""
    axes = windows.pool_axes(input_shape[2:], rest[:6])
    last = channels_last(grad_output)
    grad_input = empty(tuple(input_shape), grad_output, last)
    table, divisor = divisor_table(axes, *rest[6:], grad_output.device)
    tensors = (grad_output, table, grad_input)
    launch(kernels().avg_backward, grad_input.numel(), grad_output, axes, last, tensors, DIVISOR=divisor)
    return grad_input


@lru_cache(maxsize=64)
def divisor_table(axes, count_include_pad, divisor_override, device):
    """The divisors as a table and 0; where all are one number, any tensor and that number."""
    divisors = geometry.divisors(axes, count_include_pad, divisor_override)
    first = int(divisors.flat[0])
    uniform = bool((divisors == first).all())
    table = torch.tensor(divisors.flat[:1] if uniform else divisors, dtype=torch.int32, device=device)
    return table, first if uniform else 0


def launch(kernel, total, strided, axes, last, tensors, **constants):
    """Runs one program for each block of elements of the dense result."""
    if not total:
        return
    # Neighbouring channels are read as vectors. The windows of neighbouring outputs lie a stride apart: a thread with
    # several of them would spread each load of its warp over more of the cache.
    block = THREADS * (4 if last else 1)
    missing = 3 - len(axes)
    strides = strided.stride()
    with torch.cuda.device(strided.device) if strided.is_cuda else nullcontext():
        kernel[(-(-total // block),)](
            *tensors, total, *strides[:2], *(0,) * missing, *strides[2:], **constants,
            CHANNELS=strided.shape[1], AXES=three_axes(axes), LAST=last, ACC=accumulator(strided.dtype),
            WIDE=max(total, span(strided)) + block >= 2**31, BLOCK=block, num_warps=WARPS,
        )  # fmt: skip


def three_axes(axes):
    """(size, kernel, stride, before, dilation, output) for three axes; what is missing is one element wide."""
    rows = tuple((a.size, a.kernel, a.stride, a.before, a.dilation, a.output) for a in axes)
    return ((1, 1, 1, 0, 1, 1),) * (3 - len(rows)) + rows


def accumulator(dtype):
    """The type in which a kernel compares and sums."""
    language = importlib.import_module("triton.language")
    return language.float64 if dtype == torch.float64 else language.float32


def span(x):
    """How far apart the first and the last element of a tensor lie in memory, in elements."""
    return sum((size - 1) * stride for size, stride in zip(x.shape, x.stride(), strict=True) if size)
