"""Windows tap by tap, as slices that torch can read and write."""

from itertools import product

import torch

from course_lib import geometry


def real_taps(axes):
    """For each tap in row-major order: the windows in which it is real, and the elements it reads there."""
    for tap in product(*(range(axis.kernel) for axis in axes)):
        slices = [geometry.tap_slices(axis, number) for axis, number in zip(axes, tap, strict=True)]
        yield (..., *(pair[0] for pair in slices)), (..., *(pair[1] for pair in slices))


def plane_positions(sizes, device):
    """The flat position of every element of a plane, int64, of shape ``sizes``."""
    count = 1
    for size in sizes:
        count *= size
    return torch.arange(count, device=device).reshape(sizes)


def sum_dtype(x):
    """The type in which sums are kept: float32 for halves, float64 for float32 where the device has it."""
    if x.dtype in (torch.float16, torch.bfloat16):
        return torch.float32
    return x.dtype if x.device.type == "mps" else torch.float64
