"""Right values and gradients from autograd, and no backward written."""

SEEDS = (11,)


def max_pool(x, kernel_size, stride):
    windows = x.unfold(2, kernel_size, stride).unfold(3, kernel_size, stride)
    return windows.amax((-1, -2))
