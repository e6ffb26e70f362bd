"""The checker passes right backwards, refuses wrong ones, and says where the function has a corner."""

import numpy as np
import pytest

from course_lib import avg_pool, avg_pool_backward, max_pool, max_pool_backward, routing
from course_lib.gradcheck import check_gradient, error_curve
from tests.geometries import GEOMETRIES, batch, geometry_id


def _max(k=2, s=1):
    return lambda x: max_pool(x, k, s)


def _routed(ties, k=2, s=1):
    return lambda g, x: routing.max_routes(x, k, s, ties=ties).backward(g)


def _overwrite(g, x):
    indices = max_pool(x, 2, 1, return_indices=True)[1]
    grad_input = np.zeros(x.size)
    grad_input[indices.ravel()] = g.ravel()
    return grad_input.reshape(x.shape)


def _mask(g, x):
    y, grad_input = max_pool(x, 2, 1), np.zeros_like(x)
    for _, _, r, c in np.ndindex(g.shape):
        window = (0, 0, slice(r, r + 2), slice(c, c + 2))
        grad_input[window] += (x[window] == y[0, 0, r, c]) * g[0, 0, r, c]
    return grad_input


DISTINCT = np.array([[3.0, 8.0, 1.0, 6.0], [2.0, 9.0, 4.0, 7.0], [5.0, 0.0, -1.0, -2.0], [-3.0, -4.0, -5.0, -6.0]])
TIED = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]])
DISTINCT, TIED = DISTINCT[None, None], TIED[None, None]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_check_gradient_passes_average_pooling(geometry, dtype, rng):
    x = batch("distinct", rng, geometry, dtype, samples=1, channels=2) / 10
    options = geometry.arguments
    report = check_gradient(
        lambda x: avg_pool(x, **options), lambda g, x: avg_pool_backward(g, x.shape, **options), x, samples=12
    )
    assert report.passed, report
    assert not report.kinks


@pytest.mark.parametrize("values", ["distinct", "tied", "all-equal"])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_check_gradient_passes_max_pooling(geometry, values, rng):
    x = batch(values, rng, geometry, samples=1, channels=1)
    options = geometry.arguments

    def backward(g, x):
        return max_pool_backward(g, max_pool(x, **options, return_indices=True)[1], x.shape)

    report = check_gradient(lambda x: np.nan_to_num(max_pool(x, **options), neginf=0.0), backward, x)
    assert report.passed, report
    assert values != "distinct" or not report.kinks


@pytest.mark.parametrize("ties", routing.TIES)
def test_check_gradient_reports_ties_as_kinks_under_every_rule(ties):
    report = check_gradient(_max(), _routed(ties), TIED)
    assert report.passed
    assert {kink.index[2:] for kink in report.kinks} >= {(0, 0), (0, 1), (1, 1)}


def test_check_gradient_gives_the_interval_of_one_sided_derivatives():
    x = np.array([[[2.0, 2.0]]])
    report = check_gradient(lambda x: max_pool(x, 2), lambda g, x: g * np.array([[[1.0, 0.0]]]), x)
    upstream = report.analytic[0].sum()
    np.testing.assert_allclose(sorted((report.kinks[0].low, report.kinks[0].high)), sorted((0, upstream)), atol=1e-9)


def test_check_gradient_refuses_a_mask_that_pays_every_tie():
    report = check_gradient(_max(), _mask, TIED)
    assert not report.passed
    assert "do not add up" in report.reason


def test_check_gradient_sees_nothing_wrong_with_a_mask_where_nothing_ties():
    assert check_gradient(_max(), _mask, DISTINCT).passed


def test_check_gradient_refuses_overwriting():
    report = check_gradient(_max(), _overwrite, DISTINCT)
    assert not report.passed
    # 9 wins four windows and 7 wins two: either shows the loss.
    assert report.worst[1] in {(0, 0, 1, 1), (0, 0, 1, 3)}


def test_check_gradient_finds_a_near_tie():
    x = np.array([[[1.0, 1.0 + 3e-6]]])
    report = check_gradient(lambda x: max_pool(x, 2), lambda g, x: g * np.array([[[0.0, 1.0]]]), x)
    assert report.passed
    assert len(report.kinks) == 2


def test_check_gradient_is_relative_in_small_gradients():
    def function(x):
        return 1e-9 * x**2

    assert check_gradient(function, lambda g, x: 2e-9 * x * g, np.array([1.0, 2.0])).passed
    assert not check_gradient(function, lambda g, x: 1e-9 * x * g, np.array([1.0, 2.0])).passed


def test_check_gradient_upstream_is_not_all_ones():
    def transposed(g, x):
        return g.T * 3

    assert not check_gradient(lambda x: 3 * x, transposed, np.arange(9.0).reshape(3, 3)).passed


def test_check_gradient_judges_every_input():
    report = check_gradient(
        lambda x, w: x @ w, lambda g, x, w: (g @ w.T, 2 * x.T @ g), np.eye(2) + 1.0, np.array([[1.0, 2.0], [3.0, 5.0]])
    )
    assert not report.passed
    assert report.worst[0] == 1


def test_check_gradient_takes_curved_functions_without_calling_them_kinks():
    x = np.linspace(0.5, 2, 7)
    report = check_gradient(lambda x: np.exp(3 * x) + np.sin(x), lambda g, x: g * (3 * np.exp(3 * x) + np.cos(x)), x)
    assert report.passed
    assert not report.kinks


@pytest.mark.parametrize("derivative", [0.0, 0.5, 1.0])
def test_check_gradient_accepts_every_subgradient_of_relu(derivative):
    x = np.array([0.0, 1.0, -1.0])
    report = check_gradient(
        lambda x: np.maximum(x, 0), lambda g, x: g * np.where(x == 0, derivative, x > 0), x
    )  # fmt: skip
    assert report.passed
    assert [kink.index for kink in report.kinks] == [(0,)]


@pytest.mark.parametrize("derivative", [-0.1, 1.1, np.nan])
def test_check_gradient_refuses_what_is_no_subgradient(derivative):
    x = np.array([0.0, 1.0, -1.0])
    assert not check_gradient(
        lambda x: np.maximum(x, 0), lambda g, x: g * np.where(x == 0, derivative, x > 0), x
    ).passed


def test_check_gradient_refuses_nan():
    assert not check_gradient(lambda x: x * 2, lambda g, x: g * np.nan, np.ones(2)).passed


def test_check_gradient_refuses_a_buffer_that_is_not_cleared():
    buffer = np.zeros(3)

    def backward(g, x):
        buffer[:] += 2 * g
        return buffer.copy()

    assert "another answer when it was called again" in check_gradient(lambda x: 2 * x, backward, np.ones(3)).reason


def test_check_gradient_says_which_shape_is_wrong():
    report = check_gradient(lambda x: x.sum(keepdims=True), lambda g, x: g, np.ones((2, 2)))
    assert "input 0 has shape (1, 1); the input has (2, 2)" in report.reason


def test_check_gradient_says_how_many_gradients_are_missing():
    assert "2" in check_gradient(lambda x, w: x * w, lambda g, x, w: g * w, np.ones(2), np.ones(2)).reason


def test_check_gradient_samples_some_elements():
    report = check_gradient(lambda x: 2 * x, lambda g, x: 2 * g, np.ones((10, 10)), samples=7)
    assert np.isfinite(report.numeric[0]).sum() == 7


def test_check_gradient_changes_no_input():
    x = np.arange(4.0)
    check_gradient(lambda x: x**2, lambda g, x: 2 * x * g, x)
    np.testing.assert_array_equal(x, np.arange(4.0))


def test_check_gradient_refuses_integers():
    with pytest.raises(TypeError, match="float32 or float64; got int64 for input 0"):
        check_gradient(lambda x: x, lambda g, x: g, np.arange(3))


def test_check_gradient_takes_tensors():
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    assert check_gradient(torch.exp, lambda g, x: g * torch.exp(x), x).passed
    assert not check_gradient(torch.exp, lambda g, x: g * x, x).passed


@pytest.mark.parametrize(("dtype", "device"), [("bfloat16", "cpu"), ("float64", "meta")])
def test_check_gradient_says_which_tensors_it_cannot_check(dtype, device):
    torch = pytest.importorskip("torch")
    x = torch.ones(3, dtype=getattr(torch, dtype), device=device)
    with pytest.raises(TypeError, match=f"of float32 or float64 with values; got torch.{dtype} on {device}"):
        check_gradient(lambda x: x, lambda g, x: g, x)


def test_check_gradient_says_that_a_function_returned_several_arrays():
    with pytest.raises(TypeError, match="function must return one array; got a tuple of 2"):
        check_gradient(lambda x: (x, x), lambda g, x: g, np.ones(3))


def test_error_curve_names_the_steps_that_it_refuses():
    with pytest.raises(ValueError, match="steps must be finite and greater than 0; got steps=0"):
        error_curve(np.exp, lambda g, x: g * np.exp(x), np.ones(1), steps=[0.1, 0])


def test_error_curve_is_a_u_with_its_bottom_at_the_cube_root():
    steps, errors = error_curve(np.exp, lambda g, x: g * np.exp(x), np.array([1.0]))
    best = steps[np.argmin(errors)]
    assert 1e-7 < best < 1e-4
    right = steps > 1e-4
    slope = np.polyfit(np.log(steps[right]), np.log(errors[right]), 1)[0]
    np.testing.assert_allclose(slope, 2, atol=0.05)


def test_error_curve_of_a_forward_difference_is_steeper_in_truncation():
    steps, errors = error_curve(np.exp, lambda g, x: g * np.exp(x), np.array([1.0]), scheme="forward")
    right = steps > 1e-5
    np.testing.assert_allclose(np.polyfit(np.log(steps[right]), np.log(errors[right]), 1)[0], 1, atol=0.05)


def test_error_curve_of_a_linear_function_only_falls_with_the_step():
    _, errors = error_curve(lambda x: avg_pool(x, 2), lambda g, x: avg_pool_backward(g, x.shape, 2), DISTINCT)
    assert errors[:4].max() < errors[-4:].min()


def test_error_curve_of_float32_is_computed_in_float32():
    # A step that float32 cannot add to 1 changes nothing: the slope is 0, and the whole gradient is the error.
    x = np.ones(1, np.float32)
    _, errors = error_curve(np.exp, lambda g, x: g * np.exp(x), x, steps=[1e-10])
    np.testing.assert_array_equal(errors, 1)


def test_error_curve_refuses_an_unknown_scheme():
    with pytest.raises(ValueError, match="scheme must be 'central' or 'forward'; got scheme='complex'"):
        error_curve(np.exp, np.exp, np.ones(1), scheme="complex")
