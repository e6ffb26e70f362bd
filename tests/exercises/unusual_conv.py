"""Right solutions to convolution that few would write."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.exercises.solutions import right


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
