"""Wrong gradients made to slip through: right in sum, in most elements, in size, or where nobody looks."""

import numpy as np
import pytest

from course_lib.gradcheck import check_gradient
from course_lib.numpy_ops import avg_pool, avg_pool_backward, conv, conv_backward, max_pool, max_pool_backward

RNG = np.random.default_rng(5)
X = RNG.standard_normal((2, 3, 4, 4))
TIED = np.round(X)
WEIGHT = RNG.standard_normal((2, 3, 2, 2))


def _pool(x):
    return max_pool(x, 2)


def _max_gradient(grad_output, x):
    return max_pool_backward(grad_output, max_pool(x, 2, return_indices=True)[1], x.shape)


def _mirrored(x):
    return np.ascontiguousarray(x[..., ::-1])


def _changed(gradient, index, by):
    gradient[index] += by
    return gradient


def _conv_gradients(grad_output, x, weight, *, rows=None, channels=slice(None)):
    """Two of the three gradients, the weight's from some samples and with some order of channels."""
    grad_input = conv_backward(grad_output, x, weight)[0]
    return grad_input, conv_backward(grad_output[:rows], x[:rows, channels], weight)[1]


POOLING = {
    "a hundred-thousandth too large": lambda g, x: _max_gradient(g, x) * 1.00001,
    "one element off by little": lambda g, x: _changed(_max_gradient(g, x), (1, 2, 3, 3), 1e-4),
    "right sums, one column on": lambda g, x: np.roll(_max_gradient(g, x), 1, -1),
    "right sums, spread evenly": lambda g, x: avg_pool_backward(g, x.shape, 2),
    "upstream gradient of another sample": lambda g, x: _max_gradient(g[::-1].copy(), x),
    "upstream gradient of the mean over samples": lambda g, x: _max_gradient(g, x) / len(x),
    "mirrored windows": lambda g, x: _mirrored(_max_gradient(g, _mirrored(x))),
    "the minimum": lambda g, x: _max_gradient(g, -x),
    "nothing": lambda g, x: np.zeros_like(x),
    "input changed first": lambda g, x: _max_gradient(g, np.negative(x, out=x)),
    "upstream gradient changed first": lambda g, x: _max_gradient(np.multiply(g, 2, out=g), x),
    "infinite in one column": lambda g, x: np.where(np.arange(4) == 2, np.inf, _max_gradient(g, x)),
}


@pytest.mark.parametrize("name", POOLING)
def test_check_gradient_refuses_pooling_with(name):
    assert not check_gradient(_pool, POOLING[name], X).passed


TIES = {
    "more than all for one, less than nothing for another": (
        lambda g, x: 2 * _max_gradient(g, x) - _mirrored(_max_gradient(_mirrored(g), _mirrored(x)))
    ),
    "half of all": lambda g, x: _max_gradient(g, x) / 2,
    "all for each": lambda g, x: (
        np.repeat(np.repeat(g, 2, 2), 2, 3) * (np.repeat(np.repeat(_pool(x), 2, 2), 2, 3) == x)
    ),
}


@pytest.mark.parametrize("x", [TIED, np.ones_like(X)], ids=["some ties", "all tied"])
@pytest.mark.parametrize("name", TIES)
def test_check_gradient_refuses_at_ties(name, x):
    assert not check_gradient(_pool, TIES[name], x).passed


CONVOLUTION = {
    "weights' gradient of the first sample": lambda g, x, w: _conv_gradients(g, x, w, rows=1),
    "weights' gradient with channels in another order": (
        lambda g, x, w: _conv_gradients(g, x, w, channels=slice(None, None, -1))
    ),
    "flipped kernel": lambda g, x, w: (conv_backward(g, x, w[..., ::-1, ::-1].copy())[0], conv_backward(g, x, w)[1]),
}


@pytest.mark.parametrize("name", CONVOLUTION)
def test_check_gradient_refuses_convolution_with(name):
    assert not check_gradient(conv, CONVOLUTION[name], X, WEIGHT).passed


SCALES = {
    "tiny": (lambda x: 1e-9 * x**3, lambda g, x: 2e-9 * x**2 * g, X),
    "tiny in one column": (
        lambda x: x * np.where(np.arange(4) == 3, 1e-8, 1),
        lambda g, x: g * np.where(np.arange(4) == 3, 0, 1),
        X,
    ),
    "large": (lambda x: avg_pool(x * x, 2), lambda g, x: avg_pool_backward(g, x.shape, 2) * x, X * 1e6),
    "of an input near its pole": (np.sqrt, lambda g, x: g / np.sqrt(x) * 0.5005, np.abs(X) * 1e-10 + 1e-12),
    "beside a corner": (np.abs, lambda g, x: -g * np.sign(x), X * 1e-7),
    "at a corner, outside": (np.abs, lambda g, x: g * np.where(x == 0, 1.5, np.sign(x)), np.trunc(X)),
    "float32, one in a hundred": (_pool, lambda g, x: _max_gradient(g, x) * np.float32(1.01), X.astype(np.float32)),
}


@pytest.mark.parametrize("name", SCALES)
def test_check_gradient_refuses_a_wrong_slope(name):
    assert not check_gradient(*SCALES[name]).passed
