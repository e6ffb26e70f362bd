"""Wrong max pooling by another hand: written from one line about each mistake, without a look at the catalogue."""

from itertools import product

import numpy as np


def pair(value):
    """An int or a pair, as a pair."""
    return value if isinstance(value, tuple) else (value, value)


def overwrite_in_a_list_of_winners():
    # max_overwrite: the cache lists the winners, and the backward assigns instead of adding.
    def max_pool2d(x, kernel_size, stride, padding):
        kh, kw = pair(kernel_size)
        sh, sw = pair(stride)
        ph, pw = pair(padding)
        n_, c_, h, w = x.shape
        ho, wo = (h + 2 * ph - kh) // sh + 1, (w + 2 * pw - kw) // sw + 1
        y = np.empty((n_, c_, ho, wo), dtype=x.dtype)
        winners = []
        for n, c, i, j in product(range(n_), range(c_), range(ho), range(wo)):
            best = None
            for a in range(max(i * sh - ph, 0), min(i * sh - ph + kh, h)):
                for b in range(max(j * sw - pw, 0), min(j * sw - pw + kw, w)):
                    if best is None or x[n, c, a, b] > x[n, c, best[0], best[1]]:
                        best = (a, b)
            y[n, c, i, j] = x[n, c, best[0], best[1]]
            winners.append(((n, c, i, j), (n, c, *best)))
        return y, {"shape": x.shape, "winners": winners}

    def max_pool2d_backward(grad_output, cache):
        grad = np.zeros(cache["shape"])
        for out, source in cache["winners"]:
            grad[source] = grad_output[out]
        return grad

    return max_pool2d, max_pool2d_backward


def fancy_add_on_flat_indices():
    # max_fancy_add: NumPy's += with an index array keeps one of several windows that share a winner.
    def max_pool2d(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
        N, C, H, W = x.shape
        xp = np.full((N, C, H + 2 * ph, W + 2 * pw), -np.inf)
        xp[:, :, ph : ph + H, pw : pw + W] = x
        view = np.lib.stride_tricks.sliding_window_view(xp, (kh, kw), axis=(2, 3))[:, :, ::sh, ::sw]
        flat = view.reshape(*view.shape[:4], kh * kw)
        arg = flat.argmax(-1)
        r = arg // kw + sh * np.arange(view.shape[2])[:, None] - ph
        q = arg % kw + sw * np.arange(view.shape[3])[None, :] - pw
        return flat.max(-1).astype(x.dtype), (r * W + q, x.shape)

    def max_pool2d_backward(grad_output, cache):
        idx, (N, C, H, W) = cache
        grad = np.zeros(N * C * H * W)
        plane = (np.arange(N * C) * H * W)[:, None]
        grad[idx.reshape(N * C, -1) + plane] += grad_output.reshape(N * C, -1)
        return grad.reshape(N, C, H, W)

    return max_pool2d, max_pool2d_backward


def passthrough_with_a_class():
    # max_passthrough: the whole upstream gradient goes to every element of the window.
    class Record:
        def __init__(self, x, k, s, p):
            self.x, self.k, self.s, self.p = x, k, s, p

    def max_pool2d(x, kernel_size, stride, padding):
        r = Record(x, pair(kernel_size), pair(stride), pair(padding))
        xp = np.pad(x.astype(float), ((0, 0), (0, 0), (r.p[0], r.p[0]), (r.p[1], r.p[1])), constant_values=-np.inf)
        H, W = (xp.shape[2] - r.k[0]) // r.s[0] + 1, (xp.shape[3] - r.k[1]) // r.s[1] + 1
        y = np.zeros((*x.shape[:2], H, W))
        for i in range(H):
            for j in range(W):
                tile = xp[:, :, i * r.s[0] : i * r.s[0] + r.k[0], j * r.s[1] : j * r.s[1] + r.k[1]]
                y[:, :, i, j] = tile.max(axis=(2, 3))
        return y, r

    def max_pool2d_backward(grad_output, cache):
        r = cache
        h, w = r.x.shape[2:]
        big = np.zeros((*r.x.shape[:2], h + 2 * r.p[0], w + 2 * r.p[1]))
        for i in range(grad_output.shape[2]):
            for j in range(grad_output.shape[3]):
                g = grad_output[:, :, i, j][:, :, None, None]
                big[:, :, i * r.s[0] : i * r.s[0] + r.k[0], j * r.s[1] : j * r.s[1] + r.k[1]] += g
        return big[:, :, r.p[0] : r.p[0] + h, r.p[1] : r.p[1] + w]

    return max_pool2d, max_pool2d_backward


def _forward_over_taps(x, kernel_size, stride, padding):
    """The running maximum over the taps, vectorised over the windows; the cache is a dict."""
    k, s, p = pair(kernel_size), pair(stride), pair(padding)
    xp = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (p[0],) * 2, (p[1],) * 2], constant_values=-np.inf)
    ho = (xp.shape[2] - k[0]) // s[0] + 1
    wo = (xp.shape[3] - k[1]) // s[1] + 1
    y = np.full((*x.shape[:2], ho, wo), -np.inf)
    for a in range(k[0]):
        for b in range(k[1]):
            y = np.maximum(y, xp[:, :, a : a + s[0] * ho : s[0], b : b + s[1] * wo : s[1]])
    return y, {"xp": xp, "y": y, "k": k, "s": s, "p": p, "x_shape": x.shape}


def equal_mask_over_taps():
    # max_eqmask: mask x == max, so that each of several equal elements gets the whole gradient.
    def max_pool2d_backward(grad_output, cache):
        xp, y, (kh, kw), (sh, sw), (ph, pw) = (cache[name] for name in ("xp", "y", "k", "s", "p"))
        ho, wo = y.shape[2:]
        dxp = np.zeros_like(xp)
        for a in range(kh):
            for b in range(kw):
                where = (..., slice(a, a + sh * ho, sh), slice(b, b + sw * wo, sw))
                dxp[where] += (xp[where] == y) * grad_output
        h, w = cache["x_shape"][2:]
        return dxp[..., ph : ph + h, pw : pw + w]

    return _forward_over_taps, max_pool2d_backward


def split_ties_in_each_window():
    # max_tie_split: mask / mask.sum(), so that equal elements share the gradient.
    def max_pool2d_backward(grad_output, cache):
        xp, (kh, kw), (sh, sw), (ph, pw) = cache["xp"], cache["k"], cache["s"], cache["p"]
        N, C, H, W = cache["x_shape"]
        dxp = np.zeros(xp.shape)
        for n, c, i, j in np.ndindex(*grad_output.shape):
            rows, cols = slice(i * sh, i * sh + kh), slice(j * sw, j * sw + kw)
            window = xp[n, c, rows, cols]
            mask = window == np.max(window)
            dxp[n, c, rows, cols] += grad_output[n, c, i, j] * mask / mask.sum()
        return dxp[:, :, ph : H + ph, pw : W + pw]

    return _forward_over_taps, max_pool2d_backward


def last_of_equal_elements_wins():
    # max_tie_last: the scan asks >=, so a later equal element takes the window.
    def max_pool2d(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
        N, C, H, W = x.shape
        OH, OW = 1 + (H + 2 * ph - kh) // sh, 1 + (W + 2 * pw - kw) // sw
        y = np.zeros((N, C, OH, OW))
        cache = {}
        for n in range(N):
            for c in range(C):
                for i in range(OH):
                    for j in range(OW):
                        m, at = -np.inf, None
                        for u in range(kh):
                            for v in range(kw):
                                row, col = i * sh + u - ph, j * sw + v - pw
                                if 0 <= row < H and 0 <= col < W and x[n, c, row, col] >= m:
                                    m, at = x[n, c, row, col], (row, col)
                        y[n, c, i, j] = m
                        cache[n, c, i, j] = at
        cache["shape"] = x.shape
        return y, cache

    def max_pool2d_backward(grad_output, cache):
        dx = np.zeros(cache["shape"])
        for key, at in cache.items():
            if key != "shape":
                dx[key[0], key[1], at[0], at[1]] += grad_output[key]
        return dx

    return max_pool2d, max_pool2d_backward


def zeros_around_the_image():
    # max_zero_pad: np.pad without a value pads zeros, and they win over negative numbers.
    def max_pool2d(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
        padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
        N, C, H, W = padded.shape
        oh, ow = (H - kh) // sh + 1, (W - kw) // sw + 1
        cols = np.lib.stride_tricks.as_strided(
            padded,
            (N, C, oh, ow, kh, kw),
            (*padded.strides[:2], padded.strides[2] * sh, padded.strides[3] * sw, *padded.strides[2:]),
        ).reshape(N, C, oh, ow, -1)
        winner = cols.argmax(axis=-1)
        y = np.take_along_axis(cols, winner[..., None], axis=-1)[..., 0]
        return y, (winner, padded.shape, (kh, kw), (sh, sw), (ph, pw))

    def max_pool2d_backward(grad_output, cache):
        winner, shape, (kh, kw), (sh, sw), (ph, pw) = cache
        dpad = np.zeros(shape)
        n, c, i, j = np.indices(winner.shape)
        u, v = np.unravel_index(winner, (kh, kw))
        np.add.at(dpad, (n, c, i * sh + u, j * sw + v), grad_output)
        return dpad[:, :, ph : shape[2] - ph, pw : shape[3] - pw]

    return max_pool2d, max_pool2d_backward


def padded_coordinates_in_the_plain_gradient():
    # max_pad_offset: the index counts in the padded plane, and is used in the plain one.
    def max_pool2d(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
        N, C, H, W = x.shape
        xp = np.full((N, C, H + 2 * ph, W + 2 * pw), -np.inf)
        xp[:, :, ph : ph + H, pw : pw + W] = x
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        y, rows, cols = (np.zeros((N, C, oh, ow), t) for t in (float, int, int))
        for n, c, i, j in np.ndindex(N, C, oh, ow):
            tile = xp[n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]
            u, v = np.unravel_index(np.argmax(tile), tile.shape)
            y[n, c, i, j], rows[n, c, i, j], cols[n, c, i, j] = tile[u, v], i * sh + u, j * sw + v
        return y, (x.shape, rows, cols)

    def max_pool2d_backward(grad_output, cache):
        shape, rows, cols = cache
        dx = np.zeros(shape)
        for n, c, i, j in np.ndindex(grad_output.shape):
            r, q = rows[n, c, i, j], cols[n, c, i, j]
            if r < shape[2] and q < shape[3]:
                dx[n, c, r, q] += grad_output[n, c, i, j]
        return dx

    return max_pool2d, max_pool2d_backward


def gradient_of_the_padded_image():
    # max_no_crop: the gradient keeps the slots of the padding.
    def max_pool2d(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
        xp = np.pad(x * 1.0, ((0, 0), (0, 0), (ph, ph), (pw, pw)), "constant", constant_values=-1e30)
        oh, ow = (xp.shape[2] - kh) // sh + 1, (xp.shape[3] - kw) // sw + 1
        col = np.stack(
            [xp[:, :, u : u + sh * oh : sh, v : v + sw * ow : sw] for u in range(kh) for v in range(kw)], axis=2
        )
        return col.max(2), (col.argmax(2), xp.shape, kw, sh, sw)

    def max_pool2d_backward(grad_output, cache):
        tap, shape, kw, sh, sw = cache
        dxp = np.zeros(shape)
        for n, c, i, j in np.ndindex(tap.shape):
            u, v = divmod(tap[n, c, i, j], kw)
            dxp[n, c, sh * i + u, sw * j + v] += grad_output[n, c, i, j]
        return dxp

    return max_pool2d, max_pool2d_backward


def flat_index_read_with_the_height():
    # max_hw_swap: the flat index r·W + q is decoded with H.
    def max_pool2d(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
        N, C, H, W = x.shape
        number = np.arange(H * W).reshape(H, W)
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        y = np.zeros((N, C, oh, ow), x.dtype)
        index = np.zeros((N, C, oh, ow), int)
        for i, j in product(range(oh), range(ow)):
            t, b = max(0, i * sh - ph), min(H, i * sh - ph + kh)
            le, ri = max(0, j * sw - pw), min(W, j * sw - pw + kw)
            values = x[:, :, t:b, le:ri].reshape(N, C, -1)
            y[:, :, i, j] = values.max(-1)
            index[:, :, i, j] = number[t:b, le:ri].ravel()[values.argmax(-1)]
        return y, [x.shape, index]

    def max_pool2d_backward(grad_output, cache):
        (N, C, H, W), index = cache
        dx = np.zeros((N, C, H, W))
        for n, c, i, j in np.ndindex(index.shape):
            row, column = index[n, c, i, j] // H, index[n, c, i, j] % H
            dx[n, c, row % H, column % W] += grad_output[n, c, i, j]
        return dx

    return max_pool2d, max_pool2d_backward


def backward_thinks_of_tiles():
    # max_stride_is_k: the backward lets window i begin at i·k.
    def max_pool2d_backward(grad_output, cache):
        xp, (kh, kw), (ph, pw) = cache["xp"], cache["k"], cache["p"]
        dxp = np.zeros_like(xp)
        for n, c, i, j in np.ndindex(grad_output.shape):
            tile = xp[n, c, i * kh : (i + 1) * kh, j * kw : (j + 1) * kw]
            if tile.size:
                u, v = np.unravel_index(tile.argmax(), tile.shape)
                dxp[n, c, i * kh + u, j * kw + v] += grad_output[n, c, i, j]
        H, W = cache["x_shape"][2:]
        return dxp[:, :, ph : ph + H, pw : pw + W]

    return _forward_over_taps, max_pool2d_backward


def one_winner_for_all_channels():
    # max_channel_shared_argmax: the argmax of the first channel serves them all.
    def max_pool2d(x, kernel_size, stride, padding):
        y, cache = _forward_over_taps(x, kernel_size, stride, padding)
        (kh, kw), (sh, sw), xp = cache["k"], cache["s"], cache["xp"]
        cache["arg"] = {}
        for n, i, j in np.ndindex(x.shape[0], *y.shape[2:]):
            window = xp[n, 0, i * sh : i * sh + kh, j * sw : j * sw + kw]
            cache["arg"][n, i, j] = np.unravel_index(np.argmax(window), (kh, kw))
        return y, cache

    def max_pool2d_backward(grad_output, cache):
        (sh, sw), (ph, pw), (H, W) = cache["s"], cache["p"], cache["x_shape"][2:]
        dxp = np.zeros(cache["xp"].shape)
        for (n, i, j), (u, v) in cache["arg"].items():
            dxp[n, :, i * sh + u, j * sw + v] += grad_output[n, :, i, j]
        return dxp[:, :, ph : ph + H, pw : pw + W]

    return max_pool2d, max_pool2d_backward


def gradient_in_the_type_of_the_input():
    # max_int_dx: zeros_like(x) with integers cuts the fractions of the gradient.
    def max_pool2d(x, kernel_size, stride, padding):
        return _forward_over_taps(x, kernel_size, stride, padding)[0], (x, kernel_size, stride, padding)

    def max_pool2d_backward(grad_output, cache):
        x, kernel_size, stride, padding = cache
        (kh, kw), (sh, sw), (ph, pw) = map(pair, (kernel_size, stride, padding))
        dx = np.zeros_like(x)
        for n, c, i, j in np.ndindex(grad_output.shape):
            top, left = max(i * sh - ph, 0), max(j * sw - pw, 0)
            window = x[n, c, top : i * sh - ph + kh, left : j * sw - pw + kw]
            u, v = divmod(int(window.argmax()), window.shape[1])
            dx[n, c, top + u, left + v] = dx[n, c, top + u, left + v] + grad_output[n, c, i, j]
        return dx

    return max_pool2d, max_pool2d_backward


def gradient_buffer_made_in_the_forward():
    # max_stale_buffer: the gradient array lives in the cache and is never cleared.
    def max_pool2d(x, kernel_size, stride, padding):
        y, cache = _forward_over_taps(x, kernel_size, stride, padding)
        cache["grad"] = np.zeros(cache["xp"].shape)
        return y, cache

    def max_pool2d_backward(grad_output, cache):
        (kh, kw), (sh, sw), (ph, pw), dxp = cache["k"], cache["s"], cache["p"], cache["grad"]
        for n, c, i, j in np.ndindex(grad_output.shape):
            window = cache["xp"][n, c, i * sh : i * sh + kh, j * sw : j * sw + kw]
            u, v = np.argwhere(window == window.max())[0]
            dxp[n, c, i * sh + u, j * sw + v] += grad_output[n, c, i, j]
        H, W = cache["x_shape"][2:]
        return dxp[:, :, ph : ph + H, pw : pw + W].copy()

    return max_pool2d, max_pool2d_backward


WRONG_MAX = {
    "max_overwrite": overwrite_in_a_list_of_winners,
    "max_fancy_add": fancy_add_on_flat_indices,
    "max_passthrough": passthrough_with_a_class,
    "max_eqmask": equal_mask_over_taps,
    "max_tie_split": split_ties_in_each_window,
    "max_tie_last": last_of_equal_elements_wins,
    "max_zero_pad": zeros_around_the_image,
    "max_pad_offset": padded_coordinates_in_the_plain_gradient,
    "max_no_crop": gradient_of_the_padded_image,
    "max_hw_swap": flat_index_read_with_the_height,
    "max_stride_is_k": backward_thinks_of_tiles,
    "max_channel_shared_argmax": one_winner_for_all_channels,
    "max_int_dx": gradient_in_the_type_of_the_input,
    "max_stale_buffer": gradient_buffer_made_in_the_forward,
}
