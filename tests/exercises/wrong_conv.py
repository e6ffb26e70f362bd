"""Wrong solutions to convolution, in the styles of courses and repositories."""

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from tests.exercises.solutions import wrong


def conv_forward(x, weight, bias):
    N, C, H, W = x.shape
    F, _, HH, WW = weight.shape
    out = np.zeros((N, F, H - HH + 1, W - WW + 1))
    for n in range(N):
        for f in range(F):
            for i in range(out.shape[2]):
                for j in range(out.shape[3]):
                    out[n, f, i, j] = np.sum(x[n, :, i : i + HH, j : j + WW] * weight[f]) + bias[f]
    return out


@wrong(5, "the input gradient is correlated with the kernel as it is, not rotated", "conv_flip_dA")
def _():
    def backward(dout, x, w):
        N, F, Ho, Wo = dout.shape
        _, C, kh, kw = w.shape
        windows = sliding_window_view(x, (kh, kw), axis=(2, 3))
        dw = np.einsum("nfij,ncijuv->fcuv", dout, windows)
        db = dout.sum((0, 2, 3))
        full = np.pad(dout, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))
        dx = np.einsum("nfijuv,fcuv->ncij", sliding_window_view(full, (kh, kw), axis=(2, 3)), w)
        return dx, dw, db

    return conv_forward, backward


@wrong(5, "divided by the batch size once more", "conv_div_m_twice")
def _():
    def backward(dZ, A_prev, W):
        m, n_F, n_H, n_W = dZ.shape
        _, _, f1, f2 = W.shape
        dA_prev, dW, db = np.zeros(A_prev.shape), np.zeros(W.shape), np.zeros(n_F)
        for i in range(m):
            for h in range(n_H):
                for w in range(n_W):
                    for c in range(n_F):
                        a_slice = A_prev[i, :, h : h + f1, w : w + f2]
                        dA_prev[i, :, h : h + f1, w : w + f2] += W[c] * dZ[i, c, h, w]
                        dW[c] += a_slice * dZ[i, c, h, w]
                        db[c] += dZ[i, c, h, w]
        return dA_prev, dW / m, db / m

    return conv_forward, backward


@wrong(5, "the bias gradient is a mean", "conv_bias_mean")
def _():
    def backward(dout, x, w):
        N, F, Ho, Wo = dout.shape
        kh, kw = w.shape[2:]
        dx, dw = np.zeros_like(x), np.zeros_like(w)
        for i in range(Ho):
            for j in range(Wo):
                g = dout[:, :, i, j]
                dx[:, :, i : i + kh, j : j + kw] += np.tensordot(g, w, axes=(1, 0))
                dw += np.tensordot(g, x[:, :, i : i + kh, j : j + kw], axes=(0, 0))
        return dx, dw, dout.mean(axis=(0, 2, 3))

    return conv_forward, backward


@wrong(5, "= in the place of += for the input gradient", "conv_dA_overwrite")
def _():
    def backward(dout, x, w):
        N, F, Ho, Wo = dout.shape
        kh, kw = w.shape[2:]
        dx, dw = np.zeros_like(x), np.zeros_like(w)
        for n in range(N):
            for i in range(Ho):
                for j in range(Wo):
                    dx[n, :, i : i + kh, j : j + kw] = sum(w[f] * dout[n, f, i, j] for f in range(F))
                    for f in range(F):
                        dw[f] += x[n, :, i : i + kh, j : j + kw] * dout[n, f, i, j]
        return dx, dw, dout.sum(axis=(0, 2, 3))

    return conv_forward, backward


@wrong(5, "the kernel gradient of the last sample only", "conv_dW_last_sample")
def _():
    def backward(dout, x, w):
        N, F, Ho, Wo = dout.shape
        C, kh, kw = w.shape[1:]
        dx = np.zeros_like(x)
        for n in range(N):
            s = x[n].strides
            cols = as_strided(x[n], (C, kh, kw, Ho, Wo), (s[0], s[1], s[2], s[1], s[2])).reshape(C * kh * kw, -1)
            dw = (dout[n].reshape(F, -1) @ cols.T).reshape(w.shape)
            dcols = (w.reshape(F, -1).T @ dout[n].reshape(F, -1)).reshape(C, kh, kw, Ho, Wo)
            for u in range(kh):
                for v in range(kw):
                    dx[n, :, u : u + Ho, v : v + Wo] += dcols[:, u, v]
        return dx, dw, dout.sum((0, 2, 3))

    return conv_forward, backward


@wrong(5, "the bias gradient sums over the channels too", "conv_bias_all")
def _():
    def backward(dout, x, w):
        N, F, Ho, Wo = dout.shape
        kh, kw = w.shape[2:]
        dx, dw = np.zeros(x.shape), np.zeros(w.shape)
        for n, f, i, j in np.ndindex(dout.shape):
            dx[n, :, i : i + kh, j : j + kw] += dout[n, f, i, j] * w[f]
            dw[f] += dout[n, f, i, j] * x[n, :, i : i + kh, j : j + kw]
        db = np.ones(F) * np.sum(dout)
        return dx, dw, db

    return conv_forward, backward


@wrong(5, "the kernel axes are swapped in the input gradient", "conv_f1f2_swap")
def _():
    def backward(dout, x, w):
        N, F, Ho, Wo = dout.shape
        C, kh, kw = w.shape[1:]
        dx, dw = np.zeros(x.shape), np.zeros(w.shape)
        for u in range(kh):
            for v in range(kw):
                dw[:, :, u, v] = np.einsum("nfij,ncij->fc", dout, x[:, :, u : u + Ho, v : v + Wo])
                dx[:, :, u : u + Ho, v : v + Wo] += np.einsum("nfij,fc->ncij", dout, w[:, :, v, u])
        return dx, dw, np.einsum("nfij->f", dout)

    return conv_forward, backward
