"""Right solutions to average pooling that few would write."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.exercises.solutions import args, right


def counts(shape, kernel_size, stride, padding, include):
    kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
    ones = np.pad(np.ones(shape[2:]), ((ph, ph), (pw, pw)), constant_values=1.0 if include else 0.0)
    return sliding_window_view(ones, (kh, kw))[::sh, ::sw].sum((-2, -1))


@right(12, "tap by tap, with a table of divisors")
def _():
    def forward(x, kernel_size, stride, padding, count_include_pad=True):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        d = counts(x.shape, kernel_size, stride, padding, count_include_pad)
        xp = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
        oh, ow = d.shape
        y = sum(
            xp[:, :, u : u + sh * (oh - 1) + 1 : sh, v : v + sw * (ow - 1) + 1 : sw]
            for u in range(kh)
            for v in range(kw)
        )
        return y / d, (d, x.shape, (kh, kw, sh, sw, ph, pw))

    def backward(grad_output, cache):
        d, shape, (kh, kw, sh, sw, ph, pw) = cache
        g = grad_output / d
        oh, ow = d.shape
        dxp = np.zeros((*shape[:2], shape[2] + 2 * ph, shape[3] + 2 * pw))
        for u in range(kh):
            for v in range(kw):
                dxp[:, :, u : u + sh * (oh - 1) + 1 : sh, v : v + sw * (ow - 1) + 1 : sw] += g
        return dxp[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return forward, backward


@right(12, "two matrices, one for the rows and one for the columns, in einsum")
def _():
    def matrix(size, k, s, p):
        out = (size + 2 * p - k) // s + 1
        m = np.zeros((out, size))
        for o in range(out):
            m[o, max(0, o * s - p) : max(0, o * s - p + k)] = 1
        return m

    def forward(x, kernel_size, stride, padding, count_include_pad=True):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        A, B = matrix(x.shape[2], kh, sh, ph), matrix(x.shape[3], kw, sw, pw)
        d = kh * kw if count_include_pad else np.outer(A.sum(1), B.sum(1))
        return np.einsum("or,ncrs,ps->ncop", A, x, B) / d, (A, B, d)

    def backward(grad_output, cache):
        A, B, d = cache
        return np.einsum("or,ncop,ps->ncrs", A, grad_output / d, B, optimize=True)

    return forward, backward


@right(12, "a summed-area table forward, the gather form backward; single precision")
def _():
    def forward(x, kernel_size, stride, padding, count_include_pad=True):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        d = counts(x.shape, kernel_size, stride, padding, count_include_pad)
        t = np.pad(x, ((0, 0), (0, 0), (ph + 1, ph), (pw + 1, pw))).cumsum(2).cumsum(3)
        r, c = np.arange(d.shape[0])[:, None] * sh, np.arange(d.shape[1]) * sw
        total = t[:, :, r + kh, c + kw] - t[:, :, r, c + kw] - t[:, :, r + kh, c] + t[:, :, r, c]
        return (total / d).astype(np.float32), (d, x.shape, (kh, kw, sh, sw, ph, pw))

    def backward(grad_output, cache):
        d, shape, (kh, kw, sh, sw, ph, pw) = cache
        dx = np.zeros(shape, np.float32)
        for r in range(shape[2]):
            for c in range(shape[3]):
                for i in range(d.shape[0]):
                    for j in range(d.shape[1]):
                        if i * sh - ph <= r < i * sh - ph + kh and j * sw - pw <= c < j * sw - pw + kw:
                            dx[:, :, r, c] += (grad_output[:, :, i, j] / d[i, j]).astype(np.float32)
        return dx

    return forward, backward


@right(12, "the mean of views forward, np.add.at backward, the cache a closure")
def _():
    def forward(x, kernel_size, stride, padding, count_include_pad=True):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        fill = 0.0 if count_include_pad else np.nan
        xp = np.pad(x.astype(float), ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=fill)
        win = sliding_window_view(xp, (kh, kw), (2, 3))[:, :, ::sh, ::sw]
        d = kh * kw if count_include_pad else (~np.isnan(win)).sum((-2, -1))
        rows = np.arange(win.shape[2])[:, None, None, None] * sh + np.arange(kh)[:, None]
        cols = np.arange(win.shape[3])[:, None, None] * sw + np.arange(kw)

        def back(grad_output):
            total = np.zeros(xp.shape)
            np.add.at(total, (slice(None), slice(None), rows, cols), (grad_output / d)[..., None, None])
            return total[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]]

        return np.nanmean(win, axis=(-2, -1)), back

    return forward, lambda grad_output, cache: cache(grad_output)


@right(12, "every number of the geometry in a plain loop, with ceil_mode", stars=True)
def _():
    def spans(size, k, s, p, ceil_mode):
        n = (size + 2 * p - k) // s + 1
        if ceil_mode and (size + 2 * p - k) % s and n * s < size + p:
            n += 1
        return [(i * s - p, min(i * s - p + k, size + p)) for i in range(n)]

    def forward(x, kernel_size, stride, padding, count_include_pad=True, ceil_mode=False):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        H, W = x.shape[2:]
        rows, cols = spans(H, kh, sh, ph, ceil_mode), spans(W, kw, sw, pw, ceil_mode)
        y, plan = np.zeros((*x.shape[:2], len(rows), len(cols))), []
        for i, (r0, r1) in enumerate(rows):
            for j, (c0, c1) in enumerate(cols):
                inside = np.s_[:, :, max(r0, 0) : min(r1, H), max(c0, 0) : min(c1, W)]
                real = (min(r1, H) - max(r0, 0)) * (min(c1, W) - max(c0, 0))
                d = (r1 - r0) * (c1 - c0) if count_include_pad else real
                y[:, :, i, j] = x[inside].sum((2, 3)) / d
                plan.append((i, j, inside, d))
        return y, (plan, x.shape)

    def backward(grad_output, cache):
        plan, shape = cache
        dx = np.zeros(shape)
        for i, j, inside, d in plan:
            dx[inside] += grad_output[:, :, i, j, None, None] / d
        return dx

    return forward, backward
