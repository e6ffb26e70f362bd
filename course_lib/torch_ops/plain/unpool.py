"""Max unpooling with plain torch operations, for any device."""

import math

import torch

from course_lib import arguments
from course_lib.torch_ops import checks
from course_lib.torch_ops.layout import channels_last, dense


def max_unpool(x, indices, output_shape, duplicates):
    """Puts each value where its index says, and 0 elsewhere."""
    size = math.prod(output_shape[2:])
    checks.index_range(indices, size, "output_shape")
    targets, stays = last_of_each(indices, size)
    if duplicates == "raise":
        twice = indices.reshape(-1)[(targets < indices.shape[0] * indices.shape[1] * size) & ~stays]
        arguments.no_duplicates(twice[0].item() if twice.numel() else None)
    y = x.new_zeros(math.prod(output_shape) + 1)
    # What is overwritten goes to one slot past the end, which is cut off: each other slot is written once.
    y.scatter_(0, torch.where(stays, targets, y.numel() - 1), x.reshape(-1))
    return dense(y[:-1].reshape(tuple(output_shape)), channels_last(indices))


def max_unpool_backward(grad_output, indices):
    """Reads the upstream gradient where each value was put and has stayed."""
    size = math.prod(grad_output.shape[2:])
    checks.index_range(indices, size, "grad_output")
    targets, stays = last_of_each(indices, size)
    padded = torch.cat([grad_output.reshape(-1), grad_output.new_zeros(1)])
    values = torch.where(stays, padded[targets], 0)
    return dense(values.reshape(indices.shape), channels_last(indices))


def last_of_each(indices, size):
    """Flat targets, one past the end for −1, and whether each is the last of its value."""
    planes = indices.shape[0] * indices.shape[1]
    flat = indices.reshape(planes, math.prod(indices.shape[2:]))
    offsets = size * torch.arange(planes, device=indices.device)[:, None]
    targets = torch.where(flat >= 0, flat + offsets, planes * size).reshape(-1)
    order = torch.argsort(targets, stable=True)
    ends = torch.ones_like(targets, dtype=torch.bool)
    ends[:-1] = targets[order][1:] != targets[order][:-1]
    stays = torch.empty_like(ends)
    stays[order] = ends
    return targets, stays
