"""Right solutions to max pooling that few would write."""

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from tests.exercises.solutions import args, right


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
