"""One pass a tap on slices, with the input saved; ties share, channels first."""

import torch

SEEDS = (11,)


def taps(array, kernel_size, stride, shape):
    rows, columns = (range(size) for size in (kernel_size, kernel_size))
    high, wide = (stride * (size - 1) + 1 for size in shape[2:])
    return [array[:, :, a : a + high : stride, b : b + wide : stride] for a in rows for b in columns]


class MaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, kernel_size, stride):
        shape = [(size - kernel_size) // stride + 1 for size in x.shape[2:]]
        y = torch.stack(taps(x, kernel_size, stride, (0, 0, *shape))).amax(0)
        ctx.save_for_backward(x, y)
        ctx.sizes = kernel_size, stride
        return y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        equal = [tap == y for tap in taps(x, *ctx.sizes, y.shape)]
        share = grad_output / sum(equal)
        grad = torch.zeros_like(x)
        for tap, won in zip(taps(grad, *ctx.sizes, y.shape), equal, strict=True):
            tap += share * won
        return grad, None, None


def max_pool(x, kernel_size, stride):
    return MaxPool.apply(x, kernel_size, stride)
