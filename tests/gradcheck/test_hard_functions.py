"""Functions that are hard to difference: right backwards pass at every scale, and wrong ones are still refused."""

import numpy as np
import pytest

from course_lib import max_pool, max_pool_backward
from course_lib.gradcheck import check_gradient, error_curve


def _layer_norm(x):
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5)


def _layer_norm_backward(g, x):
    scale, y = np.sqrt(x.var() + 1e-5), _layer_norm(x)
    return ((g - g.mean() - y * (g * y).mean()) / scale).astype(x.dtype)


def _sort_backward(g, x):
    grad_input = np.zeros_like(x)
    grad_input[np.argsort(x, kind="stable")] = g
    return grad_input


FUNCTIONS = {
    "cube": (lambda x: x**3, lambda g, x: 3 * x**2 * g),
    "reciprocal": (lambda x: 1 / x, lambda g, x: -g / x**2),
    "logarithm": (np.log, lambda g, x: g / x),
    "root": (np.sqrt, lambda g, x: g / (2 * np.sqrt(x))),
    "tanh": (np.tanh, lambda g, x: (1 - np.tanh(x) ** 2) * g),
    "sharp tanh": (lambda x: np.tanh(100 * x), lambda g, x: 100 * (1 - np.tanh(100 * x) ** 2) * g),
    "relu": (lambda x: np.maximum(x, 0), lambda g, x: g * (x > 0)),
    "absolute": (np.abs, lambda g, x: g * np.sign(x)),
    "offset": (lambda x: x + x.dtype.type(1e7), lambda g, x: g),
    "sum of squares": (lambda x: (x * x).sum(keepdims=True), lambda g, x: 2 * x * g),
    "norm": (lambda x: np.sqrt((x * x).sum(keepdims=True)), lambda g, x: g * x / np.sqrt((x * x).sum())),
    "layer norm": (_layer_norm, _layer_norm_backward),
    "sort": (np.sort, _sort_backward),
}
HARD = {
    "cube near 0": ("cube", np.linspace(-1, 1, 201)),
    "cube of small numbers": ("cube", np.linspace(0.1, 1, 10) * 1e-4),
    "reciprocal of small numbers": ("reciprocal", np.linspace(1, 3, 9) * 1e-5),
    "logarithm at its edge": ("logarithm", np.array([1.0, 1e-3, 1e-6])),
    "root at its edge": ("root", np.array([1.0, 1e-3, 1e-6])),
    "saturated": ("tanh", np.array([0.5, 4.0, 9.0, 30.0])),
    "sharp": ("sharp tanh", np.array([0.0, 1e-3, 0.01, 0.1])),
    "large numbers": ("relu", np.array([-3e6, 2e6, 5.0, -7.0])),
    "beside a corner": ("absolute", np.array([1e-3, -2e-3, 3e-6, -1.0])),
    "lost in an offset": ("offset", np.array([1.0, 2.0])),
    "many terms": ("sum of squares", np.linspace(-30, 30, 200)),
    "small norm": ("norm", np.linspace(-1, 2, 60) * 1e-3),
    "layer norm": ("layer norm", np.sin(np.arange(200.0) ** 2)),
    "layer norm far from 0": ("layer norm", 1000 + np.sin(np.arange(20.0) ** 2)),
    "sort of ties": ("sort", np.array([1.0, 1.0, 1.0, 2.0, 2.0, 0.0])),
    "sort of near ties": ("sort", 1 + np.arange(9.0) ** 2 % 11 * 1e-4),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", HARD)
def test_check_gradient_passes_a_right_gradient(name, dtype):
    function, x = HARD[name]
    report = check_gradient(*FUNCTIONS[function], x.astype(dtype))
    assert report.passed, report


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [-1, 0, 1.02])
@pytest.mark.parametrize("name", sorted(set(HARD) - {"lost in an offset"}))
def test_check_gradient_refuses_a_wrong_element(name, factor, dtype):
    function, x = HARD[name]
    forward, backward = FUNCTIONS[function]

    def wrong(g, x):
        grad_input = np.array(backward(g, x))
        grad_input[np.argmax(np.abs(grad_input))] *= factor
        return grad_input

    assert not check_gradient(forward, wrong, x.astype(dtype)).passed


def test_check_gradient_sees_ties_between_inputs():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 3.0])
    assert check_gradient(np.maximum, lambda g, a, b: (g * (a >= b), g * (b > a)), a, b).passed
    for wrong in (lambda g, a, b: (g * (a >= b), g * (b >= a)), lambda g, a, b: (g * (a > b), g * (b > a))):
        report = check_gradient(np.maximum, wrong, a, b)
        assert not report.passed
        assert "do not add up" in report.reason


def test_check_gradient_lets_a_window_without_a_real_tap_be():
    def function(x):
        return max_pool(x, 1, 2, padding=[(1, 2)])

    def backward(g, x):
        indices = max_pool(x, 1, 2, padding=[(1, 2)], return_indices=True)[1]
        return max_pool_backward(g, indices, x.shape)

    x = np.arange(5.0).reshape(1, 1, 5)
    assert np.isinf(function(x)).any()
    assert check_gradient(function, backward, x).passed


def test_check_gradient_says_what_rounding_hides():
    report = check_gradient(*FUNCTIONS["offset"], np.array([1.0, 2.0], np.float32))
    assert "at 2 elements only as far as rounding lets one see" in report.reason


def test_check_gradient_judges_a_float64_sum_of_float32_as_float32():
    assert check_gradient(lambda x: float(x.mean()), lambda g, x: np.full_like(x, g / 3), np.ones(3, np.float32)).passed


def test_check_gradient_does_not_try_what_is_not_finite():
    report = check_gradient(lambda x: 2 * x, lambda g, x: 2 * g, np.array([-np.inf, 1.0, np.nan]))
    assert report.passed
    assert "2 elements that are not finite were not tried" in report.reason
    np.testing.assert_array_equal(np.isnan(report.numeric[0]), [True, False, True])


def test_check_gradient_refuses_a_random_function(rng):
    report = check_gradient(lambda x: x * rng.random(3), lambda g, x: g, np.ones(3))
    assert "the function gave another answer" in report.reason


@pytest.mark.parametrize("dtype", [np.float16, np.int64, bool])
def test_check_gradient_refuses_other_outputs(dtype):
    with pytest.raises(TypeError, match="function must return one float32 or float64 array"):
        check_gradient(lambda x: x.astype(dtype), lambda g, x: g, np.ones(3))


def test_check_gradient_refuses_gradients_that_are_no_numbers():
    assert "real numbers" in check_gradient(lambda x: x, lambda g, x: None, np.ones(3)).reason


def test_check_gradient_refuses_to_check_nothing():
    with pytest.raises(TypeError, match="inputs must hold at least one array"):
        check_gradient(lambda: np.ones(3), lambda g: ())


@pytest.mark.parametrize("eps", [0, -1e-3, np.nan, np.inf])
def test_check_gradient_refuses_a_step(eps):
    with pytest.raises(ValueError, match=f"eps must be finite and greater than 0; got eps={eps}"):
        check_gradient(lambda x: x, lambda g, x: g, np.ones(3), eps=eps)


@pytest.mark.parametrize("samples", [0, -1])
def test_check_gradient_refuses_a_number_of_samples(samples):
    with pytest.raises(ValueError, match=f"samples must be at least 1 .*; got samples={samples}"):
        check_gradient(lambda x: x, lambda g, x: g, np.ones(3), samples=samples)


def test_check_gradient_uses_the_step_asked_for_and_no_other():
    function, backward = FUNCTIONS["cube"]
    assert not check_gradient(function, backward, np.array([0.1]), eps=0.1).passed
    assert check_gradient(function, backward, np.array([0.1])).passed


def test_error_curve_says_why_it_cannot_compare():
    with pytest.raises(ValueError, match="the gradient of input 0 has shape"):
        error_curve(lambda x: x.sum(keepdims=True), lambda g, x: g, np.ones((2, 2)))
