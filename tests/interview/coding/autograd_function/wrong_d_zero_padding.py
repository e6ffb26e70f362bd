"""Padding of zeros wins against negative numbers."""

import torch
from torch.nn import functional

SEEDS = (0,)
KNOWN = "max_zero_pad"


class MaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, kernel_size, stride, padding):
        wide = functional.pad(x, (0, 0, padding, padding, padding, padding))
        ctx.save_for_backward(wide)
        ctx.sizes = kernel_size, stride, padding
        return wide.unfold(1, kernel_size, stride).unfold(2, kernel_size, stride).amax((-1, -2))

    @staticmethod
    def backward(ctx, grad_output):
        (wide,), (k, s, p) = ctx.saved_tensors, ctx.sizes
        grad = torch.zeros_like(wide)
        n, c = torch.arange(wide.shape[0])[:, None], torch.arange(wide.shape[3])
        for i in range(grad_output.shape[1]):
            for j in range(grad_output.shape[2]):
                window = wide[:, i * s : i * s + k, j * s : j * s + k].flatten(1, 2)
                equal = window == window.amax(1, keepdim=True)
                last = k * k - 1 - equal.flip(1).to(torch.int8).argmax(1)
                where = n, i * s + last // k, j * s + last % k, c
                grad.index_put_(where, grad_output[:, i, j], accumulate=True)
        return grad[:, p : wide.shape[1] - p, p : wide.shape[2] - p], None, None, None


def max_pool(x, kernel_size, stride, padding):
    return MaxPool.apply(x, kernel_size, stride, padding)
