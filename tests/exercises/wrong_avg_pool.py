"""Wrong solutions to average pooling, in the styles of courses and repositories."""

import numpy as np

from tests.exercises.solutions import two, wrong


def average_forward(x, kernel_size, stride, padding, count_include_pad):
    (kh, kw), (sh, sw), (ph, pw) = two(kernel_size), two(stride), two(padding)
    N, C, H, W = x.shape
    xp = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    ones = np.pad(np.ones((H, W)), ((ph, ph), (pw, pw)))
    oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
    y = np.zeros((N, C, oh, ow))
    for i in range(oh):
        for j in range(ow):
            window = np.s_[..., i * sh : i * sh + kh, j * sw : j * sw + kw]
            count = kh * kw if count_include_pad else ones[window].sum()
            y[:, :, i, j] = xp[window].sum(axis=(2, 3)) / count
    return y, (x.shape, kh, kw, sh, sw, ph, pw, count_include_pad, ones)


def average_counts(cache, i, j):
    shape, kh, kw, sh, sw, ph, pw, include, ones = cache
    return kh * kw if include else ones[i * sh : i * sh + kh, j * sw : j * sw + kw].sum()


@wrong(12, "divided by k instead of k times k", "avg_divide_by_k")
def _():
    def backward(dout, cache):
        shape, kh, kw, sh, sw, ph, pw, include, ones = cache
        dx = np.zeros((shape[0], shape[1], shape[2] + 2 * ph, shape[3] + 2 * pw))
        for i in range(dout.shape[2]):
            for j in range(dout.shape[3]):
                share = dout[:, :, i, j] / kh
                dx[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += share[:, :, None, None]
        return dx[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return average_forward, backward


@wrong(12, "= instead of +=", "avg_overwrite")
def _():
    def distribute_value(dz, shape):
        return np.ones(shape) * dz

    def backward(dA, cache):
        shape, f1, f2, sh, sw, ph, pw, include, ones = cache
        dA_prev = np.zeros((shape[0], shape[1], shape[2] + 2 * ph, shape[3] + 2 * pw))
        for i in range(dA.shape[0]):
            for c in range(dA.shape[1]):
                for h in range(dA.shape[2]):
                    for w in range(dA.shape[3]):
                        da = dA[i, c, h, w] / average_counts(cache, h, w)
                        dA_prev[i, c, h * sh : h * sh + f1, w * sw : w * sw + f2] = distribute_value(da, (f1, f2))
        return dA_prev[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return average_forward, backward


@wrong(12, "4 is written in the place of the window's size", "avg_k_hardcoded")
def _():
    def backward(dout, cache):
        shape, kh, kw, sh, sw, ph, pw, include, ones = cache
        dx = np.zeros((shape[0], shape[1], shape[2] + 2 * ph, shape[3] + 2 * pw))
        for i in range(dout.shape[2]):
            for j in range(dout.shape[3]):
                dx[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += 0.25 * dout[:, :, i : i + 1, j : j + 1]
        return dx[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return average_forward, backward


@wrong(12, "the backward divides by k times k, whatever the forward did", "avg_divisor_mismatch")
def _():
    def backward(dout, cache):
        shape, kh, kw, sh, sw, ph, pw, include, ones = cache
        dx = np.zeros((shape[0], shape[1], shape[2] + 2 * ph, shape[3] + 2 * pw))
        g = dout / (kh * kw)
        for a in range(kh):
            for b in range(kw):
                dx[:, :, a : a + sh * g.shape[2] : sh, b : b + sw * g.shape[3] : sw] += g
        return dx[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return average_forward, backward


@wrong(12, "the window starts at i * stride, the padding is forgotten", "avg_pad_offset")
def _():
    def backward(dout, cache):
        shape, kh, kw, sh, sw, ph, pw, include, ones = cache
        N, C, H, W = shape
        dx = np.zeros(shape)
        for i in range(dout.shape[2]):
            for j in range(dout.shape[3]):
                r0, c0 = i * sh, j * sw
                part = dout[:, :, i, j, None, None] / average_counts(cache, i, j)
                dx[:, :, r0 : min(r0 + kh, H), c0 : min(c0 + kw, W)] += part
        return dx

    return average_forward, backward


@wrong(12, "divided by the number of windows that cover the element", "avg_dedup")
def _():
    def backward(dout, cache):
        shape, kh, kw, sh, sw, ph, pw, include, ones = cache
        padded = (shape[0], shape[1], shape[2] + 2 * ph, shape[3] + 2 * pw)
        dx, seen = np.zeros(padded), np.zeros(padded)
        for i in range(dout.shape[2]):
            for j in range(dout.shape[3]):
                at = np.s_[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw]
                dx[at] += dout[:, :, i, j, None, None] / average_counts(cache, i, j)
                seen[at] += 1
        dx = dx / np.maximum(seen, 1)
        return dx[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return average_forward, backward
