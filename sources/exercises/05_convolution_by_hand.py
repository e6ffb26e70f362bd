# %% [markdown]
# # Exercise 5 ★★★ Convolution and its backward
#
# **Task.** Write convolution and its backward in NumPy, for any number of samples and channels.
#
# | function | takes | returns |
# |---|---|---|
# | `conv2d` | `x`, `weight`, `bias` | `y` |
# | `conv2d_backward` | `grad_output`, `x`, `weight` | `grad_input`, `grad_weight`, `grad_bias` |
#
# | array | shape |
# |---|---|
# | `x`, `grad_input` | (N, C_in, H, W) |
# | `weight`, `grad_weight` | (C_out, C_in, kh, kw) |
# | `bias`, `grad_bias` | (C_out,) |
# | `y`, `grad_output` | (N, C_out, H − kh + 1, W − kw + 1) |
#
# Each output is a window of `x` times a kernel, summed over the window and the input channels, plus a bias. The kernel
# is not turned: this is cross-correlation, which networks call convolution. A gradient that you have not written yet
# may be returned as `None`.
#
# **★ Stars**, each with points of its own. The exercise passes without them.
#
# - Give both functions the parameter `stride=1`, then `padding=0`, `dilation=1` and `groups=1`; in any order, each on
#   its own or all together. The first three are an int or a pair (rows, columns). Padding is zeros. `weight` has the
#   shape (C_out, C_in / groups, kh, kw).
# - Write both once more as `conv2d_vectorised` and `conv2d_vectorised_backward`, without a loop over samples, channels
#   or positions. A loop over the elements of the kernel is allowed.
#
# **Allowed:** NumPy, loops as many as you like; no other library, and not course_lib's own convolution. **Length:**
# about 20 lines for the first two. **Needed:** [chapter 06](../notebooks/06_how_does_a_shared_kernel_learn.ipynb).
# There is no specification to read this time: it would be the answer.

# %% name="given"
import numpy as np

from course_lib.exercises import check, hint, reveal
from course_lib.experiments import environment

# %% [markdown] name="your-turn" tags=["stub"]
# Write the functions in the place of the last lines. Then try them on random numbers in a cell of your own: fix the
# seed, assert the shape of every gradient, and end with `environment()`, so that others can repeat it.


# %% name="forward" tags=["stub"]
def conv2d(x, weight, bias):
    """Return y, of shape (N, C_out, H_out, W_out)."""
    raise NotImplementedError("Your turn.")


# %% name="backward" tags=["stub"]
def conv2d_backward(grad_output, x, weight):
    """Return grad_input, grad_weight and grad_bias."""
    raise NotImplementedError("Your turn.")


# %% name="without-loops" tags=["stub"]
def conv2d_vectorised(x, weight, bias):
    """Return what conv2d returns."""
    raise NotImplementedError("Your turn.")


def conv2d_vectorised_backward(grad_output, x, weight):
    """Return what conv2d_backward returns."""
    raise NotImplementedError("Your turn.")


# %% [markdown] name="worked" tags=["solution"]
# The forward reads a window, multiplies it with a kernel and sums. Each product in that sum is a route from one element
# and one weight to one output. The backward walks over the same windows and follows every route the other way: to the
# weight it carries the element, to the element it carries the weight.
#
# `windows` says where each window lies, for the forward and the backward alike. With `groups`, the outputs of a group
# see only the channels of their own group.

# %% name="solution-windows" tags=["solution"]
from itertools import product


def pair(value):
    """An int or a pair, as a pair."""
    return value if isinstance(value, tuple) else (value, value)


def windows(shape, weight, stride, dilation, groups):
    """Every output channel q and window (i, j), with the part of the padded input that they read."""
    outputs, channels, kh, kw = weight.shape
    (sh, sw), (dh, dw) = pair(stride), pair(dilation)
    rows, columns = range(0, shape[2] - dh * (kh - 1), sh), range(0, shape[3] - dw * (kw - 1), sw)
    for q, (i, top), (j, left) in product(range(outputs), enumerate(rows), enumerate(columns)):
        first = q // (outputs // groups) * channels
        below, right = slice(top, top + dh * kh, dh), slice(left, left + dw * kw, dw)
        yield (q, i, j), (slice(first, first + channels), below, right)


# %% name="solution-forward" tags=["solution"]
def padded(x, padding):
    """The input with zeros around."""
    ph, pw = pair(padding)
    return np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))


def conv2d(x, weight, bias, stride=1, padding=0, dilation=1, groups=1):
    x = padded(x, padding)
    found = list(windows(x.shape, weight, stride, dilation, groups))
    _, rows, columns = found[-1][0]
    y = np.zeros((len(x), len(weight), rows + 1, columns + 1))
    for n, ((q, i, j), read) in product(range(len(x)), found):
        y[n, q, i, j] = np.sum(x[n][read] * weight[q]) + bias[q]
    return y


# %% [markdown] name="worked-backward" tags=["solution"]
# Three lines are the whole backward, and each adds. A weight is used at every position of every sample, an element of
# `x` lies in several windows and feeds every output channel, and a bias is added everywhere. Nothing is divided: if the
# loss is a mean, the upstream gradient holds that division already.


# %% name="solution-backward" tags=["solution"]
def conv2d_backward(grad_output, x, weight, stride=1, padding=0, dilation=1, groups=1):
    (ph, pw), (height, width) = pair(padding), x.shape[2:]
    x = padded(x, padding)
    grad_input, grad_weight, grad_bias = np.zeros(x.shape), np.zeros(weight.shape), np.zeros(len(weight))
    for n, ((q, i, j), read) in product(range(len(x)), windows(x.shape, weight, stride, dilation, groups)):
        upstream = grad_output[n, q, i, j]
        grad_bias[q] += upstream
        grad_weight[q] += upstream * x[n][read]
        grad_input[n][read] += upstream * weight[q]
    return grad_input[:, :, ph : ph + height, pw : pw + width], grad_weight, grad_bias


# %% [markdown] name="worked-vectorised" tags=["solution"]
# Without loops: `sliding_window_view` shows all windows at once, and `einsum` sums over named axes. The letters are
# n samples, q outputs, c inputs, i and j positions, u and v elements of the kernel. The input's gradient is the same
# sum seen from the element: the rotated kernel, moved over an upstream gradient with k − 1 zeros around.

# %% name="solution-vectorised" tags=["solution"]
from numpy.lib.stride_tricks import sliding_window_view


def conv2d_vectorised(x, weight, bias):
    read = sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    return np.einsum("ncijuv,qcuv->nqij", read, weight) + bias[:, None, None]


def conv2d_vectorised_backward(grad_output, x, weight):
    kh, kw = weight.shape[2:]
    grad_weight = np.einsum("ncijuv,nqij->qcuv", sliding_window_view(x, (kh, kw), axis=(2, 3)), grad_output)
    around = np.pad(grad_output, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))
    sent = sliding_window_view(around, (kh, kw), axis=(2, 3))
    grad_input = np.einsum("nqijuv,qcuv->ncij", sent, weight[:, :, ::-1, ::-1])
    return grad_input, grad_weight, grad_output.sum(axis=(0, 2, 3))


# %% [markdown] name="trial" tags=["solution"]
# A trial that others can repeat: a fixed seed, asserted shapes, two ways that must agree, and where it ran.

# %% name="solution-trial" tags=["solution", "nbval-ignore-output"]
rng = np.random.default_rng(5)
x, weight, bias = rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(4, 3, 3, 2)), rng.normal(size=4)
grad_output = rng.normal(size=conv2d(x, weight, bias).shape)
assert grad_output.shape == (2, 4, 4, 4)
both = conv2d_backward(grad_output, x, weight), conv2d_vectorised_backward(grad_output, x, weight)
for loops, vectorised, expected in zip(*both, (x, weight, bias), strict=True):
    assert loops.shape == vectorised.shape == expected.shape
    np.testing.assert_allclose(loops, vectorised, atol=1e-12)
environment()

# %% name="check"
check(
    5,
    conv2d=conv2d,
    conv2d_backward=conv2d_backward,
    conv2d_vectorised=conv2d_vectorised,
    conv2d_vectorised_backward=conv2d_vectorised_backward,
)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(5)` leads to the solution.

# %% name="hint"
hint(5, 0)
