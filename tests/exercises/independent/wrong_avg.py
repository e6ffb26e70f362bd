"""Wrong average pooling by another hand: written from one line about each mistake, without a look at the catalogue."""

import numpy as np


def pair(value):
    """An int or a pair, as a pair."""
    return value if isinstance(value, tuple) else (value, value)


class Saved:
    """What a learner may put aside."""

    def __init__(self, x, kernel_size, stride, padding, count_include_pad):
        self.shape, self.k, self.s, self.p = x.shape, pair(kernel_size), pair(stride), pair(padding)
        self.include = count_include_pad
        self.out = tuple((x.shape[2 + d] + 2 * self.p[d] - self.k[d]) // self.s[d] + 1 for d in (0, 1))

    def bounds(self, i, j):
        """The real part of a window."""
        top, left = i * self.s[0] - self.p[0], j * self.s[1] - self.p[1]
        bottom, right = min(top + self.k[0], self.shape[2]), min(left + self.k[1], self.shape[3])
        return slice(max(top, 0), bottom), slice(max(left, 0), right)

    def count(self, i, j):
        """The divisor of a window."""
        rows, cols = self.bounds(i, j)
        return self.k[0] * self.k[1] if self.include else (rows.stop - rows.start) * (cols.stop - cols.start)


def _forward(x, kernel_size, stride, padding, count_include_pad=True):
    """A right forward with an object as its cache."""
    saved = Saved(x, kernel_size, stride, padding, count_include_pad)
    y = np.zeros((*x.shape[:2], *saved.out))
    for i, j in np.ndindex(saved.out):
        rows, cols = saved.bounds(i, j)
        y[:, :, i, j] = np.einsum("ncij->nc", x[:, :, rows, cols].astype(float)) / saved.count(i, j)
    return y, saved


def overwrite_the_shares():
    # avg_overwrite: a later window replaces the share of an earlier one.
    def avg_pool2d_backward(grad_output, cache):
        dx = np.zeros(cache.shape)
        for i, j in np.ndindex(cache.out):
            rows, cols = cache.bounds(i, j)
            dx[:, :, rows, cols] = grad_output[:, :, i, j, None, None] / cache.count(i, j)
        return dx

    return _forward, avg_pool2d_backward


def divide_by_the_coverage():
    # avg_dedup: the sum of the shares is divided by the number of windows that hold the element.
    def avg_pool2d_backward(grad_output, cache):
        total, times = np.zeros(cache.shape), np.zeros(cache.shape[2:])
        for i, j in np.ndindex(cache.out):
            window = cache.bounds(i, j)
            total[(..., *window)] += grad_output[:, :, i, j, None, None] / cache.count(i, j)
            times[window] += 1
        return total / np.where(times == 0, 1, times)

    return _forward, avg_pool2d_backward


def backward_counts_the_padding_always():
    # avg_divisor_mismatch: the forward divides by the real elements, the backward by kh·kw.
    def avg_pool2d_backward(grad_output, cache):
        kh, kw = cache.k
        dx = np.zeros(cache.shape)
        for n, c, i, j in np.ndindex(grad_output.shape):
            dx[(n, c, *cache.bounds(i, j))] += grad_output[n, c, i, j] / (kh * kw)
        return dx

    return _forward, avg_pool2d_backward


def windows_of_the_backward_forget_the_padding():
    # avg_pad_offset: window i of the backward begins at i·s, without - p.
    def avg_pool2d_backward(grad_output, cache):
        dx = np.zeros(cache.shape)
        for i in range(cache.out[0]):
            for j in range(cache.out[1]):
                r, q = i * cache.s[0], j * cache.s[1]
                share = grad_output[:, :, i, j] / cache.count(i, j)
                dx[:, :, r : r + cache.k[0], q : q + cache.k[1]] += share[:, :, None, None]
        return dx

    return _forward, avg_pool2d_backward


def gradient_of_the_padded_image():
    # avg_no_crop: the gradient of the padding is handed out with the rest.
    def avg_pool2d(x, kernel_size, stride, padding, count_include_pad=True):
        (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
        grow = ((0, 0), (0, 0), (ph, ph), (pw, pw))
        xp, real = np.pad(x, grow), np.pad(np.ones(x.shape), grow)

        def windows(a):
            return np.lib.stride_tricks.sliding_window_view(a, (kh, kw), (2, 3))[:, :, ::sh, ::sw]

        divisor = kh * kw if count_include_pad else windows(real).sum((-1, -2))
        return windows(xp).sum((-1, -2)) / divisor, dict(divisor=divisor, shape=xp.shape, k=(kh, kw), s=(sh, sw))

    def avg_pool2d_backward(grad_output, cache):
        share = grad_output / cache["divisor"]
        dxp = np.zeros(cache["shape"])
        (kh, kw), (sh, sw) = cache["k"], cache["s"]
        oh, ow = grad_output.shape[2:]
        for a in range(kh):
            for b in range(kw):
                dxp[:, :, a : a + sh * oh : sh, b : b + sw * ow : sw] += share
        return dxp

    return avg_pool2d, avg_pool2d_backward


def always_a_quarter():
    # avg_k_hardcoded: the backward divides by four, whatever the window.
    def avg_pool2d_backward(grad_output, cache):
        dx = np.zeros(cache.shape)
        for i, j in np.ndindex(cache.out):
            rows, cols = cache.bounds(i, j)
            dx[:, :, rows, cols] += 0.25 * grad_output[:, :, i : i + 1, j : j + 1]
        return dx

    return _forward, avg_pool2d_backward


WRONG_AVG = {
    "avg_overwrite": overwrite_the_shares,
    "avg_dedup": divide_by_the_coverage,
    "avg_divisor_mismatch": backward_counts_the_padding_always,
    "avg_pad_offset": windows_of_the_backward_forget_the_padding,
    "avg_no_crop": gradient_of_the_padded_image,
    "avg_k_hardcoded": always_a_quarter,
}
