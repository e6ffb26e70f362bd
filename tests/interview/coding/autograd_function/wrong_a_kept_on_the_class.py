"""What the backward needs is kept on the class, and belongs to the last call."""

import torch

SEEDS = (11,)


class MaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, kernel_size, stride):
        windows = x.unfold(2, kernel_size, stride).unfold(3, kernel_size, stride)
        MaxPool.x, MaxPool.sizes = x, (kernel_size, stride)
        return windows.amax((-1, -2))

    @staticmethod
    def backward(ctx, grad_output):
        (k, s), grad = MaxPool.sizes, torch.zeros_like(MaxPool.x)
        for i in range(grad_output.shape[2]):
            for j in range(grad_output.shape[3]):
                window = MaxPool.x[:, :, i * s : i * s + k, j * s : j * s + k]
                won = window == window.amax((2, 3), keepdim=True)
                share = won / won.sum((2, 3), keepdim=True)
                grad[:, :, i * s : i * s + k, j * s : j * s + k] += share * grad_output[:, :, i, j, None, None]
        return grad, None, None


def max_pool(x, kernel_size, stride):
    return MaxPool.apply(x, kernel_size, stride)
