"""Right solutions that few would write: other loops, other layouts, other types. A check must refuse none of them.

Like the wrong ones they are data, in the styles of those who bring them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view


@dataclass(frozen=True)
class Right:
    """One right solution, and whether it has the stars of its exercise too."""

    exercise: int
    described: str
    stars: bool
    functions: dict


SOLUTIONS = []
ANSWERS = {
    5: ("conv2d", "conv2d_backward"),
    11: ("max_pool2d", "max_pool2d_backward"),
    12: ("avg_pool2d", "avg_pool2d_backward"),
}


def right(exercise, described, stars=False):
    """Takes a function that returns the learner's functions in the order of the exercise's answers."""

    def take(make):
        functions = dict(zip(ANSWERS[exercise], make(), strict=True))
        SOLUTIONS.append(Right(exercise, described, stars, functions))
        return make

    return take


def two(v):
    return v if isinstance(v, tuple) else (v, v)


def args(kernel_size, stride, padding):
    return (*two(kernel_size), *two(stride), *two(padding))


# Max pooling.


@right(11, "np.add.at on flat indices of the whole array")
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        N, C, H, W = x.shape
        xp = np.full((N, C, H + 2 * ph, W + 2 * pw), -np.inf)
        xp[:, :, ph : ph + H, pw : pw + W] = x
        flat = np.arange(xp.size).reshape(xp.shape)
        win = sliding_window_view(xp, (kh, kw), (2, 3))[:, :, ::sh, ::sw].reshape(N, C, -1, kh * kw)
        ids = sliding_window_view(flat, (kh, kw), (2, 3))[:, :, ::sh, ::sw].reshape(N, C, -1, kh * kw)
        best = win.argmax(-1)[..., None]
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        y = np.take_along_axis(win, best, -1).reshape(N, C, oh, ow)
        return y, {"ids": np.take_along_axis(ids, best, -1), "padded": xp.shape, "pads": (ph, pw), "x": x.shape}

    def backward(grad_output, cache):
        total = np.zeros(int(np.prod(cache["padded"])))
        np.add.at(total, cache["ids"].ravel(), grad_output.ravel())
        (ph, pw), (_, _, H, W) = cache["pads"], cache["x"]
        return total.reshape(cache["padded"])[:, :, ph : ph + H, pw : pw + W]

    return forward, backward


@right(11, "np.bincount with weights")
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        N, C, H, W = x.shape
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        y, index = np.empty((N, C, oh, ow)), np.empty((N, C, oh, ow), np.int64)
        for i in range(oh):
            for j in range(ow):
                r0, c0 = max(i * sh - ph, 0), max(j * sw - pw, 0)
                part = x[:, :, r0 : i * sh - ph + kh, c0 : j * sw - pw + kw]
                k = part.reshape(N, C, -1).argmax(-1)
                r, c = k // part.shape[3] + r0, k % part.shape[3] + c0
                index[:, :, i, j] = r * W + c
                y[:, :, i, j] = np.take_along_axis(part.reshape(N, C, -1), k[..., None], -1)[..., 0]
        offset = np.arange(N * C).reshape(N, C, 1, 1) * H * W
        return y, (index + offset, x.shape)

    def backward(grad_output, cache):
        index, shape = cache
        size = int(np.prod(shape))
        return np.bincount(index.ravel(), weights=grad_output.ravel(), minlength=size).reshape(shape)

    return forward, backward


@right(11, "pure Python loops over elements, the cache a dict of lists", stars=True)
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        N, C, H, W = x.shape
        won = {}
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        y = np.zeros((N, C, oh, ow))
        for n in range(N):
            for c in range(C):
                for i in range(oh):
                    for j in range(ow):
                        best = None
                        for r in range(i * sh - ph, i * sh - ph + kh):
                            for s in range(j * sw - pw, j * sw - pw + kw):
                                if 0 <= r < H and 0 <= s < W:
                                    v = float(x[n, c, r, s])
                                    # A NaN differs from itself; once it leads, only another NaN takes over.
                                    if best is None or v != v or (best == best and v > best):
                                        best, place = v, (n, c, r, s)
                        y[n, c, i, j] = best
                        won.setdefault(place, []).append((n, c, i, j))
        return y, (won, x.shape)

    def backward(grad_output, cache):
        won, shape = cache
        dx = np.zeros(shape)
        for place, outputs in won.items():
            dx[place] = sum(grad_output[o] for o in outputs)
        return dx

    return forward, backward


@right(11, "the gather form: each element asks the windows that hold it")
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        xp = np.pad(x.astype(float), ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=-np.inf)
        win = sliding_window_view(xp, (kh, kw), (2, 3))[:, :, ::sh, ::sw]
        arg = win.reshape(*win.shape[:4], -1).argmax(-1)
        return win.max((-1, -2)), (arg, x.shape, (kh, kw, sh, sw, ph, pw))

    def backward(grad_output, cache):
        arg, shape, (kh, kw, sh, sw, ph, pw) = cache
        dx = np.zeros(shape)
        _, _, oh, ow = arg.shape
        for r in range(shape[2]):
            for c in range(shape[3]):
                for i in range(oh):
                    for j in range(ow):
                        u, v = r + ph - i * sh, c + pw - j * sw
                        if 0 <= u < kh and 0 <= v < kw:
                            dx[:, :, r, c] += np.where(arg[:, :, i, j] == u * kw + v, grad_output[:, :, i, j], 0)
        return dx

    return forward, backward


@right(11, "im2col and col2im, the columns in the order (rows, columns, N, C)")
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        N, C, H, W = x.shape
        xs = np.pad(x.astype(float).reshape(N * C, 1, H, W), ((0, 0), (0, 0), (ph, ph), (pw, pw)),
                    constant_values=-np.inf)  # fmt: skip
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        i = (np.repeat(np.arange(kh), kw)[:, None] + sh * np.repeat(np.arange(oh), ow)).astype(int)
        j = (np.tile(np.arange(kw), kh)[:, None] + sw * np.tile(np.arange(ow), oh)).astype(int)
        cols = xs[:, 0, i, j].transpose(1, 2, 0).reshape(kh * kw, -1)
        best = cols.argmax(0)
        y = cols[best, np.arange(cols.shape[1])].reshape(oh, ow, N, C).transpose(2, 3, 0, 1)
        return y, (best, cols.shape, i, j, x.shape, xs.shape, ph, pw)

    def backward(grad_output, cache):
        best, size, i, j, (N, C, H, W), padded, ph, pw = cache
        dcols = np.zeros(size)
        dcols[best, range(size[1])] = grad_output.transpose(2, 3, 0, 1).ravel()
        dxp = np.zeros((N * C, *padded[2:]))
        np.add.at(dxp, (slice(None), i, j), dcols.reshape(size[0], -1, N * C).transpose(2, 0, 1))
        return dxp[:, ph : ph + H, pw : pw + W].reshape(N, C, H, W)

    return forward, backward


@right(11, "tap by tap: one running maximum for the whole output", stars=True)
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        N, C, H, W = x.shape
        xp = np.pad(np.array(x, float), [(0, 0), (0, 0), (ph, ph), (pw, pw)], constant_values=-np.inf)
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        views = [xp[:, :, u : u + sh * oh : sh, v : v + sw * ow : sw] for u in range(kh) for v in range(kw)]
        views = [v[:, :, :oh, :ow] for v in views]
        y, who = views[0].copy(), np.zeros((N, C, oh, ow), int)
        for t, v in enumerate(views):
            better = np.isnan(v) | (v > y)
            y, who = np.where(better, v, y), np.where(better, t, who)
        return y, (who, xp.shape, (H, W), (kh, kw, sh, sw, ph, pw))

    def backward(grad_output, cache):
        who, padded, (H, W), (kh, kw, sh, sw, ph, pw) = cache
        oh, ow = who.shape[2:]
        dxp = np.zeros(padded)
        for t in range(kh * kw):
            u, v = divmod(t, kw)
            dxp[:, :, u : u + sh * (oh - 1) + 1 : sh, v : v + sw * (ow - 1) + 1 : sw] += grad_output * (who == t)
        return dxp[:, :, ph : ph + H, pw : pw + W]

    return forward, backward


@right(11, "recomputed in the backward, only x is saved; single precision all through")
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        xp = np.pad(x.astype(np.float32), ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=-np.inf)
        y = sliding_window_view(xp, (kh, kw), (2, 3))[:, :, ::sh, ::sw].max((-2, -1))
        return y, (x.copy(), (kernel_size, stride, padding))

    def backward(grad_output, cache):
        x, geometry = cache
        kh, kw, sh, sw, ph, pw = args(*geometry)
        xp = np.pad(x.astype(np.float32), ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=-np.inf)
        dxp = np.zeros_like(xp)
        for n, c, i, j in np.ndindex(grad_output.shape):
            window = xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]
            one_hot = np.zeros(window.size, np.float32)
            one_hot[np.argmax(window)] = grad_output[n, c, i, j]
            dxp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw] += one_hot.reshape(kh, kw)
        return dxp[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]]

    return forward, backward


@right(11, "Fortran order, NHWC inside, the windows from last to first")
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        a = np.asfortranarray(np.moveaxis(x.astype(np.float64), 1, -1))
        a = np.pad(a, ((0, 0), (ph, ph), (pw, pw), (0, 0)), constant_values=-np.inf)
        oh, ow = (a.shape[1] - kh) // sh + 1, (a.shape[2] - kw) // sw + 1
        out = np.zeros((a.shape[0], oh, ow, a.shape[3]), order="F")
        pos = np.zeros(out.shape, dtype=int)
        for i in reversed(range(oh)):
            for j in reversed(range(ow)):
                w = a[:, i * sh : i * sh + kh, j * sw : j * sw + kw].reshape(a.shape[0], kh * kw, -1)
                out[:, i, j], pos[:, i, j] = w.max(1), w.argmax(1)
        return np.moveaxis(out, -1, 1), (pos, a.shape, x.shape, (kh, kw, sh, sw, ph, pw))

    def backward(grad_output, cache):
        pos, padded, (N, C, H, W), (kh, kw, sh, sw, ph, pw) = cache
        g = np.zeros(padded, order="F")
        for n, i, j, c in reversed(list(np.ndindex(pos.shape))):
            u, v = divmod(pos[n, i, j, c], kw)
            g[n, i * sh + u, j * sw + v, c] += grad_output[n, c, i, j]
        return np.asfortranarray(np.moveaxis(g[:, ph : ph + H, pw : pw + W], -1, 1))

    return forward, backward


@right(11, "the local Jacobian of every plane, and its transpose times the gradient")
def _():
    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        N, C, H, W = x.shape
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        J = np.zeros((N, C, oh * ow, H * W))
        y = np.zeros((N, C, oh, ow))
        for n, c, i, j in np.ndindex(y.shape):
            cells = [(r, s) for r in range(H) for s in range(W)
                     if 0 <= r + ph - i * sh < kh and 0 <= s + pw - j * sw < kw]  # fmt: skip
            r, s = max(cells, key=lambda cell: x[n, c][cell])
            J[n, c, i * ow + j, r * W + s] = 1
            y[n, c, i, j] = x[n, c, r, s]
        return y, (J, x.shape)

    def backward(grad_output, cache):
        J, shape = cache
        return np.einsum("ncoi,nco->nci", J, grad_output.reshape(*J.shape[:3])).reshape(shape)

    return forward, backward


@right(11, "a cache object whose method is the backward, and a last axis sorted stably", stars=True)
def _():
    class Remembered:
        def __init__(self, place, padded, inner):
            self.place, self.padded, self.inner = place, padded, inner

        def back(self, grad):
            out = np.zeros(self.padded)
            for output, place in self.place:
                out[place] = out[place] + grad[output]
            return out[self.inner]

    def forward(x, kernel_size, stride, padding):
        kh, kw, sh, sw, ph, pw = args(kernel_size, stride, padding)
        xp = np.pad(x * 1.0, ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=-np.inf)
        win = as_strided(xp, (*xp.shape[:2], (xp.shape[2] - kh) // sh + 1, (xp.shape[3] - kw) // sw + 1, kh, kw),
                         (*xp.strides[:2], xp.strides[2] * sh, xp.strides[3] * sw, *xp.strides[2:]))  # fmt: skip
        places, y = [], np.zeros(win.shape[:4])
        for o in np.ndindex(y.shape):
            w = win[o].ravel()
            # Stable: of equal values the first stays first; NaN is sorted to the end, the last NaN last.
            order = np.argsort(-w, kind="stable")
            k = order[-1] if np.isnan(w).any() else order[0]
            y[o] = w[k]
            places.append((o, (o[0], o[1], o[2] * sh + k // kw, o[3] * sw + k % kw)))
        inner = np.s_[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]]
        return y, Remembered(places, xp.shape, inner)

    return forward, lambda grad_output, cache: cache.back(grad_output)


# Average pooling.


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


# Convolution.


@right(5, "im2col with one matrix product in each direction")
def _():
    def cols(x, kh, kw):
        win = sliding_window_view(x, (kh, kw), (2, 3))
        return win.transpose(0, 2, 3, 1, 4, 5).reshape(-1, x.shape[1] * kh * kw)

    def conv2d(x, weight, bias):
        F, C, kh, kw = weight.shape
        N, _, H, W = x.shape
        out = cols(x, kh, kw) @ weight.reshape(F, -1).T + bias
        return out.reshape(N, H - kh + 1, W - kw + 1, F).transpose(0, 3, 1, 2)

    def backward(grad_output, x, weight):
        F, C, kh, kw = weight.shape
        N, _, oh, ow = grad_output.shape
        g = grad_output.transpose(0, 2, 3, 1).reshape(-1, F)
        dw = (g.T @ cols(x, kh, kw)).reshape(weight.shape)
        dc = (g @ weight.reshape(F, -1)).reshape(N, oh, ow, C, kh, kw)
        dx = np.zeros(x.shape)
        for u in range(kh):
            for v in range(kw):
                dx[:, :, u : u + oh, v : v + ow] += dc[..., u, v].transpose(0, 3, 1, 2)
        return dx, dw, g.sum(0)

    return conv2d, backward


@right(5, "einsum throughout, the rotated kernel over a fully padded gradient")
def _():
    def conv2d(x, weight, bias):
        win = sliding_window_view(x, weight.shape[2:], (2, 3))
        return np.einsum("ncijuv,fcuv->nfij", win, weight) + bias[:, None, None]

    def backward(grad_output, x, weight):
        kh, kw = weight.shape[2:]
        win = sliding_window_view(x, (kh, kw), (2, 3))
        full = np.pad(grad_output, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))
        gwin = sliding_window_view(full, (kh, kw), (2, 3))
        dx = np.einsum("nfijuv,fcuv->ncij", gwin, weight[:, :, ::-1, ::-1])
        return dx, np.einsum("ncijuv,nfij->fcuv", win, grad_output), np.einsum("nfij->f", grad_output)

    return conv2d, backward


@right(5, "seven loops and nothing else, the results a list")
def _():
    def conv2d(x, weight, bias):
        F, C, kh, kw = weight.shape
        N, _, H, W = x.shape
        z = np.zeros((N, F, H - kh + 1, W - kw + 1))
        for n, f, i, j in np.ndindex(z.shape):
            z[n, f, i, j] = bias[f]
            for c, u, v in np.ndindex(C, kh, kw):
                z[n, f, i, j] += x[n, c, i + u, j + v] * weight[f, c, u, v]
        return z

    def backward(grad_output, x, weight):
        F, C, kh, kw = weight.shape
        dx, dw, db = np.zeros(x.shape), np.zeros(weight.shape), np.zeros(F)
        for n, f, i, j in np.ndindex(grad_output.shape):
            g = grad_output[n, f, i, j]
            db[f] += g
            for c, u, v in np.ndindex(C, kh, kw):
                dx[n, c, i + u, j + v] += g * weight[f, c, u, v]
                dw[f, c, u, v] += g * x[n, c, i + u, j + v]
        return [dx, dw, db]

    return conv2d, backward


@right(5, "by Fourier transform")
def _():
    def conv2d(x, weight, bias):
        kh, kw = weight.shape[2:]
        size = x.shape[2:]
        X, K = np.fft.rfft2(x, size), np.fft.rfft2(weight, size)
        z = np.fft.irfft2(np.einsum("ncij,fcij->nfij", X, K.conj()), size)
        return z[:, :, : size[0] - kh + 1, : size[1] - kw + 1] + bias.reshape(1, -1, 1, 1)

    def backward(grad_output, x, weight):
        kh, kw = weight.shape[2:]
        size = x.shape[2:]
        G, X, K = (np.fft.rfft2(a, size) for a in (grad_output, x, weight))
        dx = np.fft.irfft2(np.einsum("nfij,fcij->ncij", G, K), size)
        dw = np.fft.irfft2(np.einsum("nfij,ncij->fcij", G.conj(), X), size)[:, :, :kh, :kw]
        return dx, dw, grad_output.sum((0, 2, 3))

    return conv2d, backward


@right(5, "a sparse matrix of the whole layer, written out")
def _():
    def layer(shape, weight):
        F, C, kh, kw = weight.shape
        _, _, H, W = shape
        oh, ow = H - kh + 1, W - kw + 1
        M = np.zeros((F, oh, ow, C, H, W))
        for i in range(oh):
            for j in range(ow):
                M[:, i, j, :, i : i + kh, j : j + kw] = weight
        return M

    def conv2d(x, weight, bias):
        return np.tensordot(x, layer(x.shape, weight), ((1, 2, 3), (3, 4, 5))) + bias[:, None, None]

    def backward(grad_output, x, weight):
        dx = np.tensordot(grad_output, layer(x.shape, weight), ((1, 2, 3), (0, 1, 2)))
        dw = np.zeros(weight.shape)
        oh, ow = grad_output.shape[2:]
        for u in range(weight.shape[2]):
            for v in range(weight.shape[3]):
                dw[:, :, u, v] = np.tensordot(grad_output, x[:, :, u : u + oh, v : v + ow], ((0, 2, 3), (0, 2, 3)))
        return dx, dw, grad_output.reshape(len(x), len(weight), -1).sum(-1).sum(0)

    return conv2d, backward


@right(5, "single precision, Fortran order")
def _():
    def conv2d(x, weight, bias):
        win = sliding_window_view(x.astype(np.float32), weight.shape[2:], (2, 3))
        z = np.tensordot(win, weight.astype(np.float32), ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
        return np.asfortranarray(z + bias.astype(np.float32)[:, None, None])

    def backward(grad_output, x, weight):
        g, w = grad_output.astype(np.float32), weight.astype(np.float32)
        dx, dw = np.zeros(x.shape, np.float32, order="F"), np.zeros(w.shape, np.float32, order="F")
        for i in range(g.shape[2]):
            for j in range(g.shape[3]):
                window = np.s_[:, :, i : i + w.shape[2], j : j + w.shape[3]]
                dx[window] += np.tensordot(g[:, :, i, j], w, (1, 0))
                dw += np.tensordot(g[:, :, i, j], x[window].astype(np.float32), (0, 0))
        return dx, dw, g.sum(axis=(0, 2, 3))

    return conv2d, backward
