"""A gradient in float64 through a view of any type, and a mask that pays every tied element in full."""

import torch

SEEDS = (11,)
KNOWN = "max_eqmask"


class MaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, kernel_size, stride):
        ctx.save_for_backward(x)
        ctx.sizes = kernel_size, stride
        return x.unfold(2, kernel_size, stride).unfold(3, kernel_size, stride).amax((-1, -2)).double()

    @staticmethod
    def backward(ctx, grad_output):
        (x,), (k, s) = ctx.saved_tensors, ctx.sizes
        grad = torch.zeros(x.shape, dtype=torch.float64)
        for i in range(grad_output.shape[2]):
            for j in range(grad_output.shape[3]):
                window = x[:, :, i * s : i * s + k, j * s : j * s + k]
                won = window == window.amax((2, 3), keepdim=True)
                grad[:, :, i * s : i * s + k, j * s : j * s + k] += won * grad_output[:, :, i, j, None, None]
        return grad, None, None


def max_pool(x, kernel_size, stride):
    return MaxPool.apply(x, kernel_size, stride)
