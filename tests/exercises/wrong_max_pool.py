"""Wrong solutions to max pooling, in the styles of courses and repositories."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.exercises.solutions import two, wrong

# Max pooling. The right pieces are shared by several solutions, as one copies one's own forward.


def naive_forward(x, kernel_size, stride, padding, fill=-np.inf):
    (HH, WW), (sh, sw), (ph, pw) = two(kernel_size), two(stride), two(padding)
    N, C, H, W = x.shape
    H_out, W_out = 1 + (H + 2 * ph - HH) // sh, 1 + (W + 2 * pw - WW) // sw
    x_pad = np.pad(x.astype(float), ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=fill)
    out = np.zeros((N, C, H_out, W_out))
    for n in range(N):
        for c in range(C):
            for i in range(H_out):
                for j in range(W_out):
                    out[n, c, i, j] = np.max(x_pad[n, c, i * sh : i * sh + HH, j * sw : j * sw + WW])
    return out, (x, x_pad, HH, WW, sh, sw, ph, pw)


def crop(dx_pad, x, ph, pw):
    return dx_pad[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]]


@wrong(11, "= instead of +=, argmax of each window", "max_overwrite")
def _():
    def backward(dout, cache):
        x, x_pad, HH, WW, sh, sw, ph, pw = cache
        dx_pad = np.zeros_like(x_pad)
        N, C, H_out, W_out = dout.shape
        for n in range(N):
            for c in range(C):
                for i in range(H_out):
                    for j in range(W_out):
                        window = x_pad[n, c, i * sh : i * sh + HH, j * sw : j * sw + WW]
                        a, b = np.unravel_index(window.argmax(), window.shape)
                        dx_pad[n, c, i * sh + a, j * sw + b] = dout[n, c, i, j]
        return crop(dx_pad, x, ph, pw)

    return naive_forward, backward


@wrong(11, "= instead of +=, a one-hot mask assigned to the whole window", "max_overwrite")
def _():
    def backward(dout, cache):
        x, x_pad, HH, WW, sh, sw, ph, pw = cache
        dx_pad = np.zeros(x_pad.shape)
        for n, c, i, j in np.ndindex(*dout.shape):
            rows, cols = slice(i * sh, i * sh + HH), slice(j * sw, j * sw + WW)
            mask = np.zeros(HH * WW)
            mask[np.argmax(x_pad[n, c, rows, cols])] = 1
            dx_pad[n, c, rows, cols] = mask.reshape(HH, WW) * dout[n, c, i, j]
        return crop(dx_pad, x, ph, pw)

    return naive_forward, backward


@wrong(11, "dX[idx] += dY with an array of indices", "max_fancy_add")
def _():
    def forward(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = two(kernel_size), two(stride), two(padding)
        xp = np.pad(x.astype(float), [(0, 0), (0, 0), (ph, ph), (pw, pw)], constant_values=-np.inf)
        win = sliding_window_view(xp, (kh, kw), axis=(2, 3))[:, :, ::sh, ::sw]
        flat = win.reshape(*win.shape[:4], -1)
        arg = flat.argmax(-1)
        rows = arg // kw + np.arange(arg.shape[2])[:, None] * sh
        cols = arg % kw + np.arange(arg.shape[3])[None, :] * sw
        return flat.max(-1), (rows, cols, xp.shape, x.shape, ph, pw)

    def backward(dout, cache):
        rows, cols, padded, shape, ph, pw = cache
        dxp = np.zeros(padded)
        N, C = shape[:2]
        n = np.arange(N).reshape(-1, 1, 1, 1)
        c = np.arange(C).reshape(1, -1, 1, 1)
        dxp[n, c, rows, cols] += dout
        return dxp[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return forward, backward


@wrong(11, "max unpooling used as the backward", "max_unpool")
def _():
    def forward(x, kernel_size, stride, padding):
        out, (x, xp, kh, kw, sh, sw, ph, pw) = naive_forward(x, kernel_size, stride, padding)
        idx = np.zeros(out.shape, dtype=int)
        for n, c, i, j in np.ndindex(out.shape):
            a, b = divmod(int(xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw].argmax()), kw)
            idx[n, c, i, j] = (i * sh + a - ph) * x.shape[3] + (j * sw + b - pw)
        return out, (idx, x.shape)

    def unpool(values, cache):
        idx, (N, C, H, W) = cache
        big = np.zeros((N, C, H * W))
        np.put_along_axis(big, idx.reshape(N, C, -1), values.reshape(N, C, -1), axis=2)
        return big.reshape(N, C, H, W)

    return forward, unpool


@wrong(11, "mask x == max: every tied element gets all", "max_eqmask")
def _():
    def create_mask_from_window(a):
        return a == np.max(a)

    def backward(dA, cache):
        x, A_prev_pad, f_h, f_w, sh, sw, ph, pw = cache
        dA_prev = np.zeros(A_prev_pad.shape)
        m, n_C, n_H, n_W = dA.shape
        for i in range(m):
            a_prev = A_prev_pad[i]
            for h in range(n_H):
                for w in range(n_W):
                    for c in range(n_C):
                        vert_start = h * sh
                        horiz_start = w * sw
                        a_slice = a_prev[c, vert_start : vert_start + f_h, horiz_start : horiz_start + f_w]
                        mask = create_mask_from_window(a_slice)
                        dA_prev[i, c, vert_start : vert_start + f_h, horiz_start : horiz_start + f_w] += (
                            mask * dA[i, c, h, w]
                        )
        return crop(dA_prev, x, ph, pw)

    return naive_forward, backward


@wrong(11, "tied elements share", "max_tie_split")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        dxp = np.zeros(xp.shape)
        for i in range(dout.shape[2]):
            for j in range(dout.shape[3]):
                win = xp[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw]
                mask = win == win.max(axis=(2, 3), keepdims=True)
                mask = mask / mask.sum(axis=(2, 3), keepdims=True)
                dxp[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += mask * dout[:, :, i : i + 1, j : j + 1]
        return crop(dxp, x, ph, pw)

    return naive_forward, backward


@wrong(11, "the last of equals wins: a scan with >=", "max_tie_last")
def _():
    def forward(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = two(kernel_size), two(stride), two(padding)
        N, C, H, W = x.shape
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        out, where = np.empty((N, C, oh, ow)), {}
        for n in range(N):
            for c in range(C):
                for i in range(oh):
                    for j in range(ow):
                        best = float("-inf")
                        for r in range(max(0, i * sh - ph), min(H, i * sh - ph + kh)):
                            for s in range(max(0, j * sw - pw), min(W, j * sw - pw + kw)):
                                if x[n, c, r, s] >= best:
                                    best = x[n, c, r, s]
                                    where[n, c, i, j] = (n, c, r, s)
                        out[n, c, i, j] = best
        return out, (where, x.shape)

    def backward(dout, cache):
        where, shape = cache
        dx = np.zeros(shape)
        for key, place in where.items():
            dx[place] += dout[key]
        return dx

    return forward, backward


@wrong(11, "padded with zeros", "max_zero_pad")
def _():
    def forward(x, kernel_size, stride, padding):
        ph, pw = two(padding)
        x_pad = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)), "constant")
        out, cache = naive_forward(x_pad, kernel_size, stride, 0)
        return out, (*cache, x.shape, ph, pw)

    def backward(dout, cache):
        _, x_pad, HH, WW, sh, sw, _, _, shape, ph, pw = cache
        dx = np.zeros(x_pad.shape)
        for n, c, i, j in np.ndindex(dout.shape):
            window = x_pad[n, c, i * sh : i * sh + HH, j * sw : j * sw + WW]
            k = np.unravel_index(np.argmax(window), window.shape)
            dx[n, c, i * sh + k[0], j * sw + k[1]] += dout[n, c, i, j]
        return dx[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return forward, backward


@wrong(11, "the padding is cut off from the wrong end", "max_pad_offset")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros_like(xp)
        for n, c, i, j in np.ndindex(dout.shape):
            w = xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]
            a, b = np.unravel_index(np.argmax(w), w.shape)
            g[n, c, i * sh + a, j * sw + b] += dout[n, c, i, j]
        H, W = x.shape[2:]
        return g[:, :, :H, :W]

    return naive_forward, backward


@wrong(11, "the gradient keeps the padding", "max_no_crop")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros_like(xp)
        for n, c, i, j in np.ndindex(dout.shape):
            w = xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]
            a, b = np.unravel_index(np.argmax(w), w.shape)
            g[n, c, i * sh + a, j * sw + b] += dout[n, c, i, j]
        return g

    return naive_forward, backward


@wrong(11, "cut with [p:-p], which is empty for p = 0", "max_crop_empty")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros_like(xp)
        for n, c, i, j in np.ndindex(dout.shape):
            w = xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]
            a, b = np.unravel_index(np.argmax(w), w.shape)
            g[n, c, i * sh + a, j * sw + b] += dout[n, c, i, j]
        return g[:, :, ph:-ph, pw:-pw]

    return naive_forward, backward


@wrong(11, "one argmax for all channels", "max_channel_shared_argmax")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros(xp.shape)
        for n in range(dout.shape[0]):
            for i in range(dout.shape[2]):
                for j in range(dout.shape[3]):
                    window = xp[n, :, i * sh : i * sh + kh, j * sw : j * sw + kw]
                    a, b = np.unravel_index(np.argmax(window.max(axis=0)), (kh, kw))
                    g[n, :, i * sh + a, j * sw + b] += dout[n, :, i, j]
        return crop(g, x, ph, pw)

    return naive_forward, backward


@wrong(11, "no channel offset in the flat index", "max_channel_mix")
def _():
    def forward(x, kernel_size, stride, padding):
        out, (x, xp, kh, kw, sh, sw, ph, pw) = naive_forward(x, kernel_size, stride, padding)
        idx = np.zeros(out.shape, dtype=np.int64)
        for n, c, i, j in np.ndindex(out.shape):
            k = int(np.argmax(xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]))
            idx[n, c, i, j] = (i * sh + k // kw - ph) * x.shape[3] + j * sw + k % kw - pw
        return out, (idx, x.shape)

    def backward(dout, cache):
        idx, shape = cache
        dx = np.zeros((shape[0], int(np.prod(shape[1:]))))
        for n in range(shape[0]):
            np.add.at(dx[n], idx[n].ravel(), dout[n].ravel())
        return dx.reshape(shape)

    return forward, backward


@wrong(11, "the flat index is decoded with the height", "max_hw_swap")
def _():
    def forward(x, kernel_size, stride, padding):
        out, (x, xp, kh, kw, sh, sw, ph, pw) = naive_forward(x, kernel_size, stride, padding)
        idx = np.zeros(out.shape, dtype=np.int64)
        for n, c, i, j in np.ndindex(out.shape):
            k = int(np.argmax(xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]))
            idx[n, c, i, j] = (i * sh + k // kw - ph) * x.shape[3] + j * sw + k % kw - pw
        return out, (idx, x.shape)

    def backward(dout, cache):
        idx, (N, C, H, W) = cache
        dx = np.zeros((N, C, H, W))
        for n, c, i, j in np.ndindex(dout.shape):
            row, col = idx[n, c, i, j] // H, idx[n, c, i, j] % H
            dx[n, c, row, col] += dout[n, c, i, j]
        return dx

    return forward, backward


@wrong(11, "the axes of the upstream gradient are swapped", "max_dy_transposed")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros(xp.shape)
        N, C, H_out, W_out = dout.shape
        for n in range(N):
            for c in range(C):
                for w in range(W_out):
                    for h in range(H_out):
                        win = xp[n, c, h * sh : h * sh + kh, w * sw : w * sw + kw]
                        a, b = np.unravel_index(np.argmax(win), win.shape)
                        g[n, c, h * sh + a, w * sw + b] += dout[n, c, w, h]
        return crop(g, x, ph, pw)

    return naive_forward, backward


@wrong(11, "the backward steps by the kernel size and ignores the stride", "max_stride_is_k")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros(xp.shape)
        for n, c, i, j in np.ndindex(dout.shape):
            win = xp[n, c, i * kh : (i + 1) * kh, j * kw : (j + 1) * kw]
            if win.size:
                a, b = np.unravel_index(np.argmax(win), win.shape)
                g[n, c, i * kh + a, j * kw + b] += dout[n, c, i, j]
        return crop(g, x, ph, pw)

    return naive_forward, backward


@wrong(11, "a window of 2x2 is assumed", "max_k_hardcoded")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros(xp.shape)
        for n, c, i, j in np.ndindex(dout.shape):
            patch = xp[n, c, i * sh : i * sh + 2, j * sw : j * sw + 2]
            best = patch.max()
            done = False
            for ii in range(patch.shape[0]):
                for jj in range(patch.shape[1]):
                    if patch[ii, jj] == best and not done:
                        g[n, c, i * sh + ii, j * sw + jj] += dout[n, c, i, j]
                        done = True
        return crop(g, x, ph, pw)

    return naive_forward, backward


@wrong(11, "the gradient is shared by all elements of the window", "max_as_average")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros(xp.shape)
        for i in range(dout.shape[2]):
            for j in range(dout.shape[3]):
                g[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += dout[:, :, i, j][..., None, None] / (kh * kw)
        return crop(g, x, ph, pw)

    return naive_forward, backward


@wrong(11, "im2col, and the columns reshaped in the wrong order", "max_layout")
def _():
    def im2col(x, fh, fw, sh, sw):
        N, C, H, W = x.shape
        oh, ow = (H - fh) // sh + 1, (W - fw) // sw + 1
        col = np.zeros((N, C, fh, fw, oh, ow))
        for y in range(fh):
            for z in range(fw):
                col[:, :, y, z] = x[:, :, y : y + sh * oh : sh, z : z + sw * ow : sw]
        return col.transpose(0, 4, 5, 1, 2, 3).reshape(N * oh * ow, -1), oh, ow

    def forward(x, kernel_size, stride, padding):
        (fh, fw), (sh, sw), (ph, pw) = two(kernel_size), two(stride), two(padding)
        N, C, H, W = x.shape
        xp = np.pad(x.astype(float), ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=-1e30)
        col, oh, ow = im2col(xp, fh, fw, sh, sw)
        col = col.reshape(-1, fh * fw)
        arg_max = np.argmax(col, axis=1)
        out = np.max(col, axis=1).reshape(N, C, oh, ow)
        return out, (arg_max, x.shape, xp.shape, fh, fw, sh, sw, ph, pw)

    def backward(dout, cache):
        arg_max, shape, padded, fh, fw, sh, sw, ph, pw = cache
        N, C, oh, ow = dout.shape
        dmax = np.zeros((dout.size, fh * fw))
        dmax[np.arange(arg_max.size), arg_max] = dout.transpose(0, 2, 3, 1).ravel()
        dmax = dmax.reshape(N, oh, ow, C, fh, fw).transpose(0, 3, 4, 5, 1, 2)
        img = np.zeros(padded)
        for y in range(fh):
            for z in range(fw):
                img[:, :, y : y + sh * oh : sh, z : z + sw * ow : sw] += dmax[:, :, y, z]
        return img[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return forward, backward


@wrong(11, "np.argmax takes the first NaN", "max_nan_first")
def _():
    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros(xp.shape)
        for n, c, i, j in np.ndindex(dout.shape):
            k = np.argmax(xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw])
            g[n, c, i * sh + k // kw, j * sw + k % kw] += dout[n, c, i, j]
        return crop(g, x, ph, pw)

    return naive_forward, backward


@wrong(11, "the winner is looked for again in half precision", "max_recompute_fp16")
def _():
    def forward(x, kernel_size, stride, padding):
        out, cache = naive_forward(x, kernel_size, stride, padding)
        x, xp, *rest = cache
        # Half the memory between forward and backward.
        return out, (x.shape, xp.astype(np.float16), *rest)

    def backward(dout, cache):
        shape, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros(xp.shape)
        for n, c, i, j in np.ndindex(dout.shape):
            k = np.argmax(xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw])
            g[n, c, i * sh + k // kw, j * sw + k % kw] += dout[n, c, i, j]
        return g[:, :, ph : ph + shape[2], pw : pw + shape[3]]

    return forward, backward


@wrong(11, "the gradient's buffer is made once and not cleared", "max_stale_buffer")
def _():
    def forward(x, kernel_size, stride, padding):
        out, (x, xp, *rest) = naive_forward(x, kernel_size, stride, padding)
        return out, (x, xp, np.zeros(xp.shape), *rest)

    def backward(dout, cache):
        x, xp, g, kh, kw, sh, sw, ph, pw = cache
        for n, c, i, j in np.ndindex(dout.shape):
            w = xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]
            last = np.isnan(w).ravel()
            k = np.flatnonzero(last)[-1] if last.any() else np.argmax(w)
            g[n, c, i * sh + k // kw, j * sw + k % kw] += dout[n, c, i, j]
        return crop(g, x, ph, pw).copy()

    return forward, backward


@wrong(11, "zeros around, and = instead of +=", "max_zero_pad", "max_overwrite")
def _():
    def forward(X, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = two(kernel_size), two(stride), two(padding)
        Xp = np.zeros((X.shape[0], X.shape[1], X.shape[2] + 2 * ph, X.shape[3] + 2 * pw))
        Xp[:, :, ph : ph + X.shape[2], pw : pw + X.shape[3]] = X
        H, W = (Xp.shape[2] - kh) // sh + 1, (Xp.shape[3] - kw) // sw + 1
        Y = np.zeros(X.shape[:2] + (H, W))
        for h in range(H):
            for w in range(W):
                Y[:, :, h, w] = Xp[:, :, h * sh : h * sh + kh, w * sw : w * sw + kw].max(axis=(2, 3))
        return Y, dict(Xp=Xp, shape=X.shape, k=(kh, kw), s=(sh, sw), p=(ph, pw))

    def backward(dY, cache):
        Xp, (kh, kw), (sh, sw), (ph, pw) = cache["Xp"], cache["k"], cache["s"], cache["p"]
        dXp = np.zeros_like(Xp)
        for n in range(dY.shape[0]):
            for c in range(dY.shape[1]):
                for h in range(dY.shape[2]):
                    for w in range(dY.shape[3]):
                        win = Xp[n, c, h * sh : h * sh + kh, w * sw : w * sw + kw]
                        i, j = np.unravel_index(win.argmax(), win.shape)
                        dXp[n, c, h * sh + i, w * sw + j] = dY[n, c, h, w]
        H, W = cache["shape"][2:]
        return dXp[:, :, ph : ph + H, pw : pw + W]

    return forward, backward


@wrong(11, "mask x == max, assigned with =", "max_eqmask", "max_overwrite")
def _():
    def forward(x, kernel_size, stride, padding):
        return naive_forward(x, kernel_size, stride, padding)

    def backward(dout, cache):
        x, xp, kh, kw, sh, sw, ph, pw = cache
        g = np.zeros(xp.shape)
        for n in range(xp.shape[0]):
            for c in range(xp.shape[1]):
                for k in range(dout.shape[2]):
                    for l in range(dout.shape[3]):
                        window = xp[n, c, k * sh : kh + k * sh, l * sw : kw + l * sw]
                        m = np.max(window)
                        g[n, c, k * sh : kh + k * sh, l * sw : kw + l * sw] = (window == m) * dout[n, c, k, l]
        return crop(g, x, ph, pw)

    return forward, backward
