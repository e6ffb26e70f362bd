"""Right but unusual solutions by another hand: nothing here may ever be refused."""

from collections import namedtuple
from functools import reduce
from math import ceil

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view


def pair(value):
    """An int or a pair, as a pair."""
    return value if isinstance(value, tuple) else (value, value)


# ---- Exercise 5 ----


def conv_through_fourier():
    def product(a, b, shape):
        return np.fft.irfft2(np.fft.rfft2(a, shape) * np.fft.rfft2(b, shape), shape)

    def conv2d(x, weight, bias):
        shape, (kh, kw) = (x.shape[2] + weight.shape[2], x.shape[3] + weight.shape[3]), weight.shape[2:]
        both = product(x[:, None], weight[None, :, :, ::-1, ::-1], shape).sum(2)
        return both[:, :, kh - 1 : x.shape[2], kw - 1 : x.shape[3]] + bias.reshape(1, -1, 1, 1)

    def conv2d_backward(grad_output, x, weight):
        (h, w), (kh, kw) = x.shape[2:], weight.shape[2:]
        (ho, wo), shape = grad_output.shape[2:], (2 * h + 1, 2 * w + 1)
        grad_input = product(grad_output[:, :, None], weight[None], shape).sum(1)[:, :, :h, :w]
        turned = grad_output[:, :, None, ::-1, ::-1]
        grad_weight = product(turned, x[:, None], shape).sum(0)[:, :, ho - 1 : ho - 1 + kh, wo - 1 : wo - 1 + kw]
        return grad_input, grad_weight, grad_output.sum((0, 2, 3))

    return conv2d, conv2d_backward


def conv_of_columns_with_add_at():
    def columns(x, weight):
        c, kh, kw = weight.shape[1:]
        ho, wo = x.shape[2] - kh + 1, x.shape[3] - kw + 1
        channel, u, v = (a.reshape(-1, 1) for a in np.indices((c, kh, kw)))
        i, j = (a.reshape(1, -1) for a in np.indices((ho, wo)))
        return (slice(None), channel, u + i, v + j), (ho, wo)

    def conv2d(x, weight, bias):
        where, (ho, wo) = columns(x, weight)
        return (weight.reshape(len(weight), -1) @ x[where] + bias[:, None]).reshape(len(x), -1, ho, wo)

    def conv2d_backward(grad_output, x, weight):
        where, _ = columns(x, weight)
        g = grad_output.reshape(*grad_output.shape[:2], -1)
        grad_input = np.zeros(x.shape)
        np.add.at(grad_input, where, weight.reshape(len(weight), -1).T @ g)
        grad_weight = (g @ x[where].swapaxes(1, 2)).sum(0).reshape(weight.shape)
        return grad_input, grad_weight, g.sum(2).sum(0)

    return conv2d, conv2d_backward


def conv_counted_by_bincount():
    def conv2d(x, weight, bias):
        return np.tensordot(sliding_window_view(x, weight.shape[2:], (2, 3)), weight, ((1, 4, 5), (1, 2, 3))).transpose(
            0, 3, 1, 2
        ) + np.reshape(bias, (-1, 1, 1))

    def conv2d_backward(grad_output, x, weight):
        number = np.arange(x.size).reshape(x.shape)
        target = sliding_window_view(number, weight.shape[2:], (2, 3))
        shares = np.einsum("nohw,ocij->nchwij", grad_output, weight)
        grad_input = np.bincount(target.ravel(), shares.ravel(), x.size).reshape(x.shape)
        place = np.arange(weight.size).reshape(weight.shape)
        products = np.einsum("nohw,nchwij->ocij", grad_output, sliding_window_view(x, weight.shape[2:], (2, 3)))
        grad_weight = np.bincount(place.ravel(), products.ravel(), weight.size).reshape(weight.shape)
        channel = np.broadcast_to(np.arange(len(weight))[:, None, None], grad_output.shape)
        return grad_input, grad_weight, np.bincount(channel.ravel(), grad_output.ravel(), len(weight))

    return conv2d, conv2d_backward


def conv_gathered_with_lists():
    def conv2d(x, weight, bias):
        a, k = x.tolist(), weight.tolist()
        N, C, H, W = x.shape
        Q, _, kh, kw = weight.shape
        return np.array(
            [
                [
                    [
                        [
                            bias[q]
                            + sum(
                                a[n][c][i + u][j + v] * k[q][c][u][v]
                                for c in range(C)
                                for u in range(kh)
                                for v in range(kw)
                            )
                            for j in range(W - kw + 1)
                        ]
                        for i in range(H - kh + 1)
                    ]
                    for q in range(Q)
                ]
                for n in range(N)
            ]
        )

    def conv2d_backward(grad_output, x, weight):
        ho, wo = grad_output.shape[2:]
        kh, kw = weight.shape[2:]
        dx, dw = np.zeros(x.shape), np.zeros(weight.shape)
        for n, c, r, s in np.ndindex(x.shape):
            for i in range(max(0, r - kh + 1), min(ho, r + 1)):
                for j in range(max(0, s - kw + 1), min(wo, s + 1)):
                    dx[n, c, r, s] += grad_output[n, :, i, j] @ weight[:, c, r - i, s - j]
        for q, c, u, v in np.ndindex(weight.shape):
            dw[q, c, u, v] = np.vdot(grad_output[:, q], x[:, c, u : u + ho, v : v + wo])
        return [dx, dw, np.array([g.sum() for g in np.moveaxis(grad_output, 1, 0)])]

    return conv2d, conv2d_backward


def conv_as_one_dense_matrix():
    def matrix(weight, h, w):
        Q, C, kh, kw = weight.shape
        ho, wo = h - kh + 1, w - kw + 1
        M = np.zeros((Q, ho, wo, C, h, w))
        for i in range(ho):
            for j in range(wo):
                M[:, i, j, :, i : i + kh, j : j + kw] = weight
        return M.reshape(Q * ho * wo, C * h * w)

    def conv2d(x, weight, bias):
        ho, wo = x.shape[2] - weight.shape[2] + 1, x.shape[3] - weight.shape[3] + 1
        y = x.reshape(len(x), -1) @ matrix(weight, *x.shape[2:]).T
        return y.reshape(len(x), len(weight), ho, wo) + bias[None, :, None, None]

    def conv2d_backward(grad_output, x, weight):
        (h, w), (ho, wo) = x.shape[2:], grad_output.shape[2:]
        g = grad_output.reshape(len(x), -1)
        dx = (g @ matrix(weight, h, w)).reshape(x.shape)
        dM = (g.T @ x.reshape(len(x), -1)).reshape(len(weight), ho, wo, x.shape[1], h, w)
        dw = np.zeros(weight.shape)
        for i in range(ho):
            for j in range(wo):
                dw += dM[:, i, j, :, i : i + weight.shape[2], j : j + weight.shape[3]]
        return dx, dw, grad_output.swapaxes(0, 1).reshape(len(weight), -1).sum(-1)

    return conv2d, conv2d_backward


def conv_by_probing_itself():
    # Convolution is linear: the gradient of a weight is what a kernel with that weight alone gives.
    def conv2d(x, weight, bias):
        ho, wo = x.shape[2] - weight.shape[2] + 1, x.shape[3] - weight.shape[3] + 1
        taps = (
            np.einsum("nchw,oc->nohw", x[:, :, u : u + ho, v : v + wo], weight[:, :, u, v])
            for u, v in np.ndindex(weight.shape[2:])
        )
        return reduce(np.add, taps, np.zeros((len(x), len(weight), ho, wo))) + bias[:, np.newaxis, np.newaxis]

    def probe(shape, function, g):
        gradient = np.zeros(shape)
        for at in np.ndindex(shape):
            unit = np.zeros(shape)
            unit[at] = 1.0
            gradient[at] = np.sum(function(unit) * g)
        return gradient

    def conv2d_backward(grad_output, x, weight):
        none = np.zeros(len(weight))
        dw = probe(weight.shape, lambda unit: conv2d(x, unit, none), grad_output)
        db = probe(none.shape, lambda unit: conv2d(0 * x, weight, unit), grad_output)
        dx = np.stack(
            [probe(x.shape[1:], lambda u: conv2d(u[None], weight, none), g[None]) for g in grad_output], axis=0
        )
        return dx, dw, db

    return conv2d, conv2d_backward


def conv_by_recursion_in_fortran_order():
    def conv2d(x, weight, bias):
        if weight.shape[2] > 1:
            h = x.shape[2] - weight.shape[2] + 1
            rest = conv2d(x[:, :, 1:], weight[:, :, 1:], bias)
            return np.asfortranarray(conv2d(x[:, :, :h], weight[:, :, :1], bias * 0) + rest)
        if weight.shape[3] > 1:
            w = x.shape[3] - weight.shape[3] + 1
            return conv2d(x[..., :w], weight[..., :1], bias * 0) + conv2d(x[..., 1:], weight[..., 1:], bias)
        return np.einsum("nchw,oc->nohw", x, weight[:, :, 0, 0]) + bias.reshape(-1, 1, 1)

    def conv2d_backward(grad_output, x, weight):
        (kh, kw), frame = weight.shape[2:], np.zeros(x.shape, order="F")
        turned = np.flip(weight, (2, 3)).swapaxes(0, 1)
        padded = np.pad(grad_output, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))
        frame[:] = conv2d(padded, turned, np.zeros(x.shape[1]))
        dw = conv2d(x.swapaxes(0, 1), grad_output.swapaxes(0, 1), np.zeros(grad_output.shape[1])).swapaxes(0, 1)
        return frame, np.asfortranarray(dw), grad_output.mean((0, 2, 3)) * (grad_output.size / len(weight))

    return conv2d, conv2d_backward


def conv_with_every_option():
    # All the stars: one index formula with fancy indexing, and as_strided where no loop is allowed.
    def places(x, weight, stride, padding, dilation):
        s, p, d = pair(stride), pair(padding), pair(dilation)
        xp = np.pad(x, ((0, 0), (0, 0), (p[0], p[0]), (p[1], p[1])))
        out = [(xp.shape[2 + a] - d[a] * (weight.shape[2 + a] - 1) - 1) // s[a] + 1 for a in (0, 1)]
        return xp, s, p, d, out

    def conv2d(x, weight, bias, stride=1, padding=0, dilation=1, groups=1):
        xp, s, _, d, out = places(x, weight, stride, padding, dilation)
        y = np.zeros((len(x), len(weight), *out))
        step = len(weight) // groups
        for o, i, j in np.ndindex(len(weight), *out):
            first = (o // step) * weight.shape[1]
            rows = i * s[0] + d[0] * np.arange(weight.shape[2])
            cols = j * s[1] + d[1] * np.arange(weight.shape[3])
            piece = xp[:, first : first + weight.shape[1]][:, :, rows[:, None], cols]
            y[:, o, i, j] = (piece * weight[o]).sum((1, 2, 3)) + bias[o]
        return y

    def conv2d_backward(grad_output, x, weight, stride=1, padding=0, dilation=1, groups=1):
        xp, s, p, d, _ = places(x, weight, stride, padding, dilation)
        dxp, dw = np.zeros(xp.shape), np.zeros(weight.shape)
        step, depth = len(weight) // groups, weight.shape[1]
        for n, o, i, j in np.ndindex(grad_output.shape):
            for c, u, v in np.ndindex(weight.shape[1:]):
                at = n, (o // step) * depth + c, i * s[0] + u * d[0], j * s[1] + v * d[1]
                dxp[at] += grad_output[n, o, i, j] * weight[o, c, u, v]
                dw[o, c, u, v] += grad_output[n, o, i, j] * xp[at]
        h, w = x.shape[2:]
        return dxp[:, :, p[0] : p[0] + h, p[1] : p[1] + w], dw, grad_output.sum(axis=(0, 2, 3))

    def conv2d_vectorised(x, weight, bias):
        kh, kw = weight.shape[2:]
        shape = (*x.shape[:2], x.shape[2] - kh + 1, x.shape[3] - kw + 1, kh, kw)
        windows = as_strided(x, shape, (*x.strides, *x.strides[2:]))
        return np.einsum("nchwij,ocij->nohw", windows, weight, optimize=True) + bias[:, None, None]

    def conv2d_vectorised_backward(grad_output, x, weight):
        (kh, kw), (ho, wo) = weight.shape[2:], grad_output.shape[2:]
        dx, dw = np.zeros(x.shape), np.empty(weight.shape)
        for u in range(kh):
            for v in range(kw):
                dx[:, :, u : u + ho, v : v + wo] += np.einsum("nohw,oc->nchw", grad_output, weight[:, :, u, v])
                dw[:, :, u, v] = np.einsum("nohw,nchw->oc", grad_output, x[:, :, u : u + ho, v : v + wo])
        return dx, dw, np.einsum("nohw->o", grad_output)

    return conv2d, conv2d_backward, conv2d_vectorised, conv2d_vectorised_backward


# ---- Exercise 11 ----


def _spans(size, k, s, p):
    """The real part of every window along one axis."""
    return [(max(i * s - p, 0), min(i * s - p + k, size)) for i in range((size + 2 * p - k) // s + 1)]


def max_with_add_at():
    def max_pool2d(x, kernel_size, stride, padding):
        k, s, p = map(pair, (kernel_size, stride, padding))
        rows, cols = (_spans(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        at = np.zeros((x.shape[0], x.shape[1], len(rows), len(cols)), dtype=np.intp)
        planes = np.arange(x.size).reshape(x.shape)
        for (i, (t, b)), (j, (le, ri)) in ((r, c) for r in enumerate(rows) for c in enumerate(cols)):
            flat = x[..., t:b, le:ri].reshape(*x.shape[:2], -1)
            names = planes[..., t:b, le:ri].reshape(flat.shape)
            at[..., i, j] = np.take_along_axis(names, flat.argmax(-1)[..., None], -1)[..., 0]
        return x.ravel()[at], (at, x.shape)

    def max_pool2d_backward(grad_output, cache):
        at, shape = cache
        grad_input = np.zeros(shape)
        np.add.at(grad_input.reshape(-1), at.ravel(), grad_output.ravel())
        return grad_input

    return max_pool2d, max_pool2d_backward


def max_with_bincount_and_a_named_tuple():
    Winners = namedtuple("Winners", "flat shape")

    def max_pool2d(x, kernel_size, stride, padding):
        (kh, kw), (sh, sw), (ph, pw) = map(pair, (kernel_size, stride, padding))
        frame = ((0, 0), (0, 0), (ph, ph), (pw, pw))
        number = np.pad(np.arange(x.size).reshape(x.shape), frame, constant_values=-1)
        value = np.pad(x.astype(float), frame, constant_values=-np.inf)

        def tiles(a):
            w = sliding_window_view(a, (kh, kw), (2, 3))[:, :, ::sh, ::sw]
            return w.reshape(*w.shape[:4], kh * kw)

        values, numbers = tiles(value), tiles(number)
        # Equal elements, and a window of -inf beside padding: the smallest number that is no padding.
        wins = (values == values.max(-1, keepdims=True)) & (numbers >= 0)
        flat = np.where(wins, numbers, x.size).min(-1)
        return x.reshape(-1)[flat.clip(0, x.size - 1)], Winners(flat, x.shape)

    def max_pool2d_backward(grad_output, cache):
        size = int(np.prod(cache.shape))
        gradient = np.bincount(cache.flat.ravel(), grad_output.ravel().astype(float), size + 1)
        return gradient[:size].reshape(cache.shape)

    return max_pool2d, max_pool2d_backward


def max_where_each_input_asks_its_windows():
    def max_pool2d(x, kernel_size, stride, padding):
        k, s, p = map(pair, (kernel_size, stride, padding))
        rows, cols = (_spans(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        y = np.empty((*x.shape[:2], len(rows), len(cols)), x.dtype)
        first = {}
        for n, c, i, j in np.ndindex(y.shape):
            cells = [(r, q) for r in range(*rows[i]) for q in range(*cols[j])]
            first[n, c, i, j] = max(cells, key=lambda cell: x[n, c, cell[0], cell[1]])
            y[n, c, i, j] = x[(n, c, *first[n, c, i, j])]
        return y, {"first": first, "shape": x.shape}

    def max_pool2d_backward(grad_output, cache):
        owners = {}
        for (n, c, i, j), cell in cache["first"].items():
            owners.setdefault((n, c, *cell), []).append((n, c, i, j))
        grad_input = np.zeros(cache["shape"])
        for at in np.ndindex(cache["shape"]):
            grad_input[at] = sum(grad_output[window] for window in owners.get(at, []))
        return grad_input

    return max_pool2d, max_pool2d_backward


def max_by_rows_then_columns_with_reduceat():
    def reduce_spans(a, spans, axis):
        ends = np.array(spans).ravel()
        lowest = np.full([1 if d == axis % a.ndim else n for d, n in enumerate(a.shape)], -np.inf)
        return np.maximum.reduceat(np.concatenate([a, lowest], axis), ends, axis).take(range(0, len(ends), 2), axis)

    def max_pool2d(x, kernel_size, stride, padding):
        k, s, p = map(pair, (kernel_size, stride, padding))
        rows, cols = (_spans(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        y = reduce_spans(reduce_spans(x.astype(float), cols, 3), rows, 2)
        return y.astype(x.dtype), (x.copy(), y, rows, cols)

    def max_pool2d_backward(grad_output, cache):
        x, y, rows, cols = cache
        grad_input = np.zeros(x.shape)
        for n, c, i, j in np.ndindex(y.shape):
            hits = np.argwhere(x[n, c, slice(*rows[i]), slice(*cols[j])] == y[n, c, i, j])
            row, col = min(map(tuple, hits))
            grad_input[n, c, rows[i][0] + row, cols[j][0] + col] += grad_output[n, c, i, j]
        return grad_input

    return max_pool2d, max_pool2d_backward


def max_by_a_recursive_tournament_and_a_closure():
    def best(cells, plane):
        if len(cells) == 1:
            return cells[0]
        left, right = best(cells[: len(cells) // 2], plane), best(cells[len(cells) // 2 :], plane)
        return right if plane[right] > plane[left] else left

    def max_pool2d(x, kernel_size, stride, padding):
        k, s, p = map(pair, (kernel_size, stride, padding))
        rows, cols = (_spans(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        y = np.zeros((*x.shape[:2], len(rows), len(cols)))
        routes = []
        for n, c, i, j in np.ndindex(y.shape):
            cell = best([(r, q) for r in range(*rows[i]) for q in range(*cols[j])], x[n, c])
            y[n, c, i, j] = x[n, c][cell]
            routes.append(cell)

        def send(grad_output):
            grad_input = np.zeros(x.shape)
            for (n, c, i, j), cell in zip(np.ndindex(y.shape), routes, strict=True):
                grad_input[n, c][cell] += grad_output[n, c, i, j]
            return grad_input

        return y, send

    def max_pool2d_backward(grad_output, cache):
        return cache(grad_output)

    return max_pool2d, max_pool2d_backward


def max_with_a_structured_cache_and_the_last_nan():
    # The star as well: of several NaNs the last wins.
    kind = np.dtype([("n", int), ("c", int), ("row", int), ("col", int)])

    def max_pool2d(x, kernel_size, stride, padding):
        k, s, p = map(pair, (kernel_size, stride, padding))
        rows, cols = (_spans(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        record = np.zeros((*x.shape[:2], len(rows), len(cols)), kind)
        for n, c, i, j in np.ndindex(record.shape):
            window = x[n, c, slice(*rows[i]), slice(*cols[j])]
            nans = np.flatnonzero(np.isnan(window))
            tap = nans[-1] if nans.size else np.argsort(-window.astype(float).ravel(), kind="stable")[0]
            u, v = divmod(int(tap), window.shape[1])
            record[n, c, i, j] = n, c, rows[i][0] + u, cols[j][0] + v
        return x[record["n"], record["c"], record["row"], record["col"]], (record, x.shape)

    def max_pool2d_backward(grad_output, cache):
        record, shape = cache
        grad_input = np.zeros(shape, dtype=np.result_type(grad_output, np.float32), order="F")
        for here, g in zip(record.ravel(), grad_output.ravel(), strict=True):
            grad_input[here["n"], here["c"], here["row"], here["col"]] += g
        return grad_input

    return max_pool2d, max_pool2d_backward


def max_as_a_product_with_a_matrix_of_ones():
    class Routing:
        """The Jacobian of one plane, written out."""

        def __init__(self, shape, outputs):
            self.shape, self.matrix = shape, np.zeros((*shape[:2], outputs, shape[2] * shape[3]))

        def transpose_times(self, g):
            return np.einsum("ncwe,ncw->nce", self.matrix, g.reshape(*self.shape[:2], -1)).reshape(self.shape)

    def max_pool2d(x, kernel_size, stride, padding):
        k, s, p = map(pair, (kernel_size, stride, padding))
        rows, cols = (_spans(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        N, C, _, W = x.shape
        routing = Routing(x.shape, len(rows) * len(cols))
        y = []
        for w, (t, b, le, ri) in enumerate((*r, *q) for r in rows for q in cols):
            window = x[:, :, t:b, le:ri]
            tap = np.reshape(window, (N, C, -1)).argmax(axis=2)
            place = (t + tap // (ri - le)) * W + le + tap % (ri - le)
            routing.matrix[np.arange(N)[:, None], np.arange(C)[None], w, place] = 1
            y.append(window.max((2, 3)))
        return np.stack(y, -1).reshape(N, C, len(rows), len(cols)), routing

    def max_pool2d_backward(grad_output, cache):
        return cache.transpose_times(grad_output)

    return max_pool2d, max_pool2d_backward


# ---- Exercise 12 ----


def avg_through_an_integral_image():
    def edges(size, k, s, p):
        return np.array(_spans(size, k, s, p)).T

    def avg_pool2d(x, kernel_size, stride, padding, count_include_pad=True):
        k, s, p = map(pair, (kernel_size, stride, padding))
        (t, b), (le, ri) = (edges(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        total = np.zeros((*x.shape[:2], x.shape[2] + 1, x.shape[3] + 1))
        total[:, :, 1:, 1:] = x.cumsum(2).cumsum(3)

        def corner(r, c):
            return total[:, :, r[:, None], c]

        sums = corner(b, ri) - corner(t, ri) - corner(b, le) + corner(t, le)
        count = k[0] * k[1] if count_include_pad else np.outer(b - t, ri - le)
        return sums / count, (x.shape, t, b, le, ri, count)

    def avg_pool2d_backward(grad_output, cache):
        shape, t, b, le, ri, count = cache
        steps, share = np.zeros((*shape[:2], shape[2] + 1, shape[3] + 1)), grad_output / count
        for rows, cols, sign in ((t, le, 1), (b, le, -1), (t, ri, -1), (b, ri, 1)):
            np.add.at(steps, (slice(None), slice(None), rows[:, None], cols), sign * share)
        return steps.cumsum(3).cumsum(2)[:, :, :-1, :-1]

    return avg_pool2d, avg_pool2d_backward


def avg_as_two_matrices():
    def band(size, k, s, p):
        starts = s * np.arange((size + 2 * p - k) // s + 1)[:, None] - p
        place = np.arange(size)[None]
        return ((starts <= place) & (place < starts + k)).astype(np.float64)

    def avg_pool2d(x, kernel_size, stride, padding, count_include_pad=True):
        k, s, p = map(pair, (kernel_size, stride, padding))
        A, B = (band(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        count = np.full((len(A), len(B)), k[0] * k[1]) if count_include_pad else A.sum(1)[:, None] * B.sum(1)
        return A @ x @ B.T / count, [A, B, count]

    def avg_pool2d_backward(grad_output, cache):
        A, B, count = cache
        return A.T @ (grad_output / count) @ B

    return avg_pool2d, avg_pool2d_backward


def avg_with_lists_and_a_dictionary_of_shares():
    def avg_pool2d(x, kernel_size, stride, padding, count_include_pad=True):
        k, s, p = map(pair, (kernel_size, stride, padding))
        rows, cols = (_spans(x.shape[2 + a], k[a], s[a], p[a]) for a in (0, 1))
        book = {}
        y = np.zeros((*x.shape[:2], len(rows), len(cols)))
        for i, j in np.ndindex(len(rows), len(cols)):
            members = [(r, q) for r in range(*rows[i]) for q in range(*cols[j])]
            divisor = k[0] * k[1] if count_include_pad else len(members)
            book[i, j] = members, divisor
            for n, c in np.ndindex(x.shape[:2]):
                y[n, c, i, j] = sum(float(x[n, c, r, q]) for r, q in members) / divisor
        return y, dict(shape=x.shape, book=book)

    def avg_pool2d_backward(grad_output, cache):
        dx = np.zeros(cache["shape"])
        for (i, j), (members, divisor) in reversed(cache["book"].items()):
            for r, q in members:
                dx[:, :, r, q] = dx[:, :, r, q] + grad_output[:, :, i, j] / divisor
        return dx

    return avg_pool2d, avg_pool2d_backward


def avg_with_ceil_mode_and_bincount():
    # The star as well.
    def spans(size, k, s, p, ceil_mode):
        count = (ceil if ceil_mode else int)((size + 2 * p - k) / s) + 1
        while (count - 1) * s >= size + p:
            count -= 1
        return [
            (max(i * s - p, 0), min(i * s - p + k, size), min(i * s + k, size + 2 * p) - i * s) for i in range(count)
        ]

    def avg_pool2d(x, kernel_size, stride, padding, count_include_pad=True, ceil_mode=False):
        k, s, p = map(pair, (kernel_size, stride, padding))
        rows, cols = (spans(x.shape[2 + a], k[a], s[a], p[a], ceil_mode) for a in (0, 1))
        owner, member, weight = [], [], []
        names = np.arange(x[0, 0].size).reshape(x.shape[2:])
        for w, ((t, b, high), (le, ri, wide)) in enumerate((r, c) for r in rows for c in cols):
            inside = names[t:b, le:ri].ravel()
            owner += [w] * inside.size
            member += inside.tolist()
            weight += [1 / (high * wide if count_include_pad else inside.size)] * inside.size
        cache = owner, member, np.array(weight), x.shape
        planes = x.reshape(-1, names.size)
        y = [np.bincount(owner, plane[member] * weight, len(rows) * len(cols)) for plane in planes]
        return np.reshape(y, (*x.shape[:2], len(rows), len(cols))), cache

    def avg_pool2d_backward(grad_output, cache):
        owner, member, weight, shape = cache
        planes = grad_output.reshape(shape[0] * shape[1], -1)
        return np.reshape([np.bincount(member, g[owner] * weight, shape[2] * shape[3]) for g in planes], shape)

    return avg_pool2d, avg_pool2d_backward


def avg_by_strided_views_of_the_gradient():
    def avg_pool2d(x, kernel_size, stride, padding, count_include_pad=True):
        (kh, kw), (sh, sw), (ph, pw) = map(pair, (kernel_size, stride, padding))
        N, C, H, W = x.shape
        frame = np.zeros((2, N, C, H + 2 * ph, W + 2 * pw))
        frame[0, :, :, ph : ph + H, pw : pw + W] = x
        frame[1] = 1 if count_include_pad else 0
        frame[1, :, :, ph : ph + H, pw : pw + W] = 1
        oh, ow = (H + 2 * ph - kh) // sh + 1, (W + 2 * pw - kw) // sw + 1
        a, b, c, d, e = frame.strides
        windows = as_strided(frame, (2, N, C, oh, ow, kh, kw), (a, b, c, d * sh, e * sw, d, e))
        sums, count = np.einsum("anchwij->anchw", windows)
        return sums / count, (x.shape, count, (kh, kw), (sh, sw), (ph, pw))

    def avg_pool2d_backward(grad_output, cache):
        (N, C, H, W), count, (kh, kw), (sh, sw), (ph, pw) = cache
        big = np.zeros((N, C, H + 2 * ph, W + 2 * pw))
        share = grad_output / count
        for i in range(share.shape[2]):
            # A writable view of one row of windows would overlap itself: each window is added alone.
            for j in range(share.shape[3]):
                window = as_strided(big[:, :, i * sh :, j * sw :], (N, C, kh, kw), big.strides)
                np.add(window, share[:, :, i, j, None, None], out=window)
        return big[:, :, ph : ph + H, pw : pw + W]

    return avg_pool2d, avg_pool2d_backward


CORRECT = {
    5: (
        conv_through_fourier,
        conv_of_columns_with_add_at,
        conv_counted_by_bincount,
        conv_gathered_with_lists,
        conv_as_one_dense_matrix,
        conv_by_probing_itself,
        conv_by_recursion_in_fortran_order,
        conv_with_every_option,
    ),
    11: (
        max_with_add_at,
        max_with_bincount_and_a_named_tuple,
        max_where_each_input_asks_its_windows,
        max_by_rows_then_columns_with_reduceat,
        max_by_a_recursive_tournament_and_a_closure,
        max_with_a_structured_cache_and_the_last_nan,
        max_as_a_product_with_a_matrix_of_ones,
    ),
    12: (
        avg_through_an_integral_image,
        avg_as_two_matrices,
        avg_with_lists_and_a_dictionary_of_shares,
        avg_with_ceil_mode_and_bincount,
        avg_by_strided_views_of_the_gradient,
    ),
}
