"""Gradients sent to flat positions, and read from them: sorted segment sums and gathers, never an atomic addition."""

import torch

from course_lib.torch_ops.layout import dense


def scatter_add(grad_output, indices, input_shape, last):
    """Adds each gradient at its flat position in its plane, (N, C, *input); −1 adds nothing."""
    planes, size = input_shape[0] * input_shape[1], _product(input_shape[2:])
    offsets = size * torch.arange(planes, device=indices.device)[:, None]
    flat = indices.reshape(planes, -1)
    # Index −1 goes to one slot past the end, which is cut off.
    targets = torch.where(flat >= 0, flat + offsets, planes * size).flatten()
    wide = torch.float32 if grad_output.dtype in (torch.float16, torch.bfloat16) else grad_output.dtype
    sums = segment_sums(grad_output.reshape(-1).to(wide), targets, planes * size)
    return dense(sums.to(grad_output.dtype).reshape(input_shape), last)


def segment_sums(values, targets, size):
    """The sum of the values of each target, (size,), in an order that depends on nothing but the targets."""
    order = torch.argsort(targets, stable=True)
    targets, values = targets[order], values[order]
    step = 1
    # After the round with step s the last element of each run holds the sum of its 2s last elements.
    while step < len(values) and bool((joined := targets[step:] == targets[:-step]).any()):
        carried = torch.where(joined, values[:-step], 0)
        values = torch.cat([values[:step], values[step:] + carried])
        step *= 2
    ends = torch.ones_like(targets, dtype=torch.bool)
    ends[:-1] = targets[1:] != targets[:-1]
    # Each target is written once; what is no end goes to the slot past the end.
    return values.new_zeros(size + 1).scatter_(0, torch.where(ends, targets, size), values)[:size]


def gather(x, indices, last):
    """The elements at flat positions of their own plane, (N, C, *output); 0 for −1."""
    planes = x.reshape(*x.shape[:2], _product(x.shape[2:]))
    flat = indices.reshape(*indices.shape[:2], _product(indices.shape[2:]))
    values = torch.where(flat >= 0, planes.gather(2, flat.clamp(min=0)), 0)
    return dense(values.reshape(indices.shape), last)


def _product(sizes):
    """The number of elements, also for symbolic sizes."""
    count = 1
    for size in sizes:
        count *= size
    return count
