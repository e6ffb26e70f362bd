"""Routes against the backward passes, conservation, and numbers worked by hand."""

import numpy as np
import pytest

from course_lib import (
    avg_pool,
    avg_pool_backward,
    conv,
    conv_backward,
    lp_pool,
    lp_pool_backward,
    max_pool,
    max_pool_backward,
    routing,
)
from course_lib.routing import Routes
from tests.geometries import GEOMETRIES, VALUES, batch, geometry_id


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_coverage_is_the_backward_of_all_ones_times_the_divisor(geometry):
    x = np.zeros((1, 1, *geometry.size))
    ones = np.ones_like(avg_pool(x, **geometry.arguments))
    expected = avg_pool_backward(ones, x.shape, **geometry.arguments, divisor_override=1)[0, 0]
    np.testing.assert_array_equal(routing.coverage(geometry.size, **geometry.arguments), expected)


def test_coverage_of_one_axis_takes_a_number():
    np.testing.assert_array_equal(routing.coverage(5, 3, stride=1), [1, 2, 3, 2, 1])


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_max_routes_first_equals_the_backward(geometry, values, rng):
    x = batch(values, rng, geometry)
    y, indices = max_pool(x, **geometry.arguments, return_indices=True)
    grad_output = rng.integers(-9, 9, y.shape).astype(float)
    routes = routing.max_routes(x, **geometry.arguments)
    expected = max_pool_backward(grad_output, indices, x.shape)
    np.testing.assert_array_equal(routes.backward(grad_output), expected)


@pytest.mark.parametrize("ties", routing.TIES)
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_max_routes_conserve_the_gradient_of_every_window(geometry, values, ties, rng):
    x = batch(values, rng, geometry)
    indices = max_pool(x, **geometry.arguments, return_indices=True)[1]
    routes = routing.max_routes(x, **geometry.arguments, ties=ties)
    sums = np.bincount(routes.output_index, routes.weight, minlength=indices.size)
    # The sum of 81 rounded shares of 1/81 is not exactly one.
    np.testing.assert_allclose(sums, (indices.ravel() >= 0).astype(float), rtol=1e-14)


@pytest.mark.parametrize(
    ("ties", "expected"), [("first", [0, 8, 0, 0]), ("last", [0, 0, 0, 8]), ("split", [0, 4, 0, 4])]
)
def test_max_routes_tie_rules_by_hand(ties, expected):
    x = np.array([[1.0, 7.0], [3.0, 7.0]])[None, None]
    grad_input = routing.max_routes(x, 2, ties=ties).backward(np.array([[[[8.0]]]]))
    np.testing.assert_array_equal(grad_input.ravel(), expected)


@pytest.mark.parametrize("ties", routing.TIES)
def test_max_routes_nan_window_feeds_its_last_nan(ties):
    x = np.array([[np.nan, np.inf], [np.nan, np.inf]])[None, None]
    np.testing.assert_array_equal(routing.max_routes(x, 2, ties=ties).input_index, [2])


@pytest.mark.parametrize("options", [{}, {"count_include_pad": False}, {"divisor_override": 3}])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_avg_routes_equal_the_backward(geometry, options, rng):
    x = np.zeros((2, 3, *geometry.size))
    grad_output = rng.normal(size=avg_pool(x, **geometry.arguments).shape)
    routes = routing.avg_routes(x, **geometry.arguments, **options)
    expected = avg_pool_backward(grad_output, x.shape, **geometry.arguments, **options)
    # The terms are at most 81 normal numbers, added in another order.
    np.testing.assert_allclose(routes.backward(grad_output), expected, rtol=1e-12, atol=1e-14)


def test_avg_routes_take_a_shape():
    np.testing.assert_array_equal(routing.avg_routes((1, 1, 4), 2).weight, [0.5] * 4)


@pytest.mark.parametrize("channel_axis", [0, 1, 2, -1])
def test_routes_follow_the_channel_axis(channel_axis, rng):
    x = np.moveaxis(rng.integers(-3, 3, (2, 3, 4, 5)).astype(float), 1, channel_axis)
    y, indices = max_pool(x, 2, 1, return_indices=True, channel_axis=channel_axis)
    grad_output = rng.normal(size=y.shape)
    expected = max_pool_backward(grad_output, indices, x.shape, channel_axis=channel_axis)
    routes = routing.max_routes(x, 2, 1, channel_axis=channel_axis)
    np.testing.assert_allclose(routes.backward(grad_output), expected, rtol=1e-14)
    saved = Routes.from_indices(indices, x.shape, channel_axis=channel_axis)
    np.testing.assert_allclose(saved.backward(grad_output), expected, rtol=1e-14)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_routes_from_indices_equal_the_backward(geometry, rng):
    x = batch("tied", rng, geometry)
    y, indices = max_pool(x, **geometry.arguments, return_indices=True)
    grad_output = rng.integers(-9, 9, y.shape).astype(float)
    np.testing.assert_array_equal(
        Routes.from_indices(indices, x.shape).backward(grad_output), max_pool_backward(grad_output, indices, x.shape)
    )


def test_jacobian_transposed_times_the_upstream_gradient_is_the_backward(rng):
    x = rng.normal(size=(2, 2, 5, 6))
    routes = routing.max_routes(x, 3, 2, 1)
    grad_output = rng.normal(size=routes.shape_out)
    product = (routes.jacobian().T @ grad_output.ravel()).reshape(x.shape)
    np.testing.assert_allclose(product, routes.backward(grad_output), rtol=1e-14)


def test_jacobian_by_hand():
    jacobian = routing.avg_routes((1, 1, 4), 2, stride=1).jacobian().toarray()
    np.testing.assert_array_equal(jacobian, [[0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0.5, 0.5]])


def test_routes_from_windows_share_evenly():
    routes = Routes.from_windows([[0, 1], [0]], [[2, 4], [2]], (1, 1, 4, 3))
    np.testing.assert_array_equal(
        routes.backward(np.array([[[[4.0], [6.0]]]]))[0, 0], [[1, 1, 0], [2, 2, 0], [1, 1, 0], [1, 1, 0]]
    )


def test_routes_backward_refuses_another_shape():
    with pytest.raises(ValueError, match=r"output's shape \(1, 1, 2\); got shape \(1, 1, 3\)"):
        routing.avg_routes((1, 1, 4), 2).backward(np.ones((1, 1, 3)))


def test_max_routes_refuse_an_unknown_tie_rule():
    with pytest.raises(ValueError, match="ties must be 'first' or 'last' or 'split'; got ties='random'"):
        routing.max_routes(np.zeros((1, 1, 4)), 2, ties="random")


def test_density_counts_what_is_not_zero():
    assert routing.density(np.array([0.0, -0.0, 5e-324, np.nan])) == 0.5


def test_density_refuses_nothing():
    with pytest.raises(ValueError, match=r"grad must not be empty; got shape \(0,\)"):
        routing.density(np.zeros(0))


@pytest.mark.parametrize(
    ("starts", "stops"), [([-1], [2]), ([2], [2]), ([0], [4]), ([3], [1])], ids=["below", "empty", "beyond", "backward"]
)
def test_routes_from_windows_refuse_a_window_outside_the_input(starts, stops):
    with pytest.raises(ValueError, match=f"axis of 3 elements; got start={starts[0]}, stop={stops[0]}"):
        Routes.from_windows([starts], [stops], (1, 1, 3))


def test_routes_from_windows_refuse_floats():
    with pytest.raises(TypeError, match="must hold integers; got float64"):
        Routes.from_windows([[0.0]], [[1.0]], (1, 1, 3))


def test_routes_from_windows_need_one_list_an_axis():
    with pytest.raises(ValueError, match="one list an axis; got 2 and 1"):
        Routes.from_windows([[0], [0]], [[1]], (1, 1, 3, 3))


def test_coverage_of_a_long_axis_takes_memory_for_the_axis_only():
    counts = routing.coverage(1_000_000, 1000, stride=1)
    np.testing.assert_array_equal(counts[[0, 1, 999, 500_000, -1]], [1, 2, 1000, 1000, 1])


@pytest.mark.parametrize("channel_axis", [1, -1])
@pytest.mark.parametrize(
    "options",
    [{}, {"stride": 2, "padding": (1, 2)}, {"dilation": 2, "padding": "same"}, {"groups": 2, "padding": 1}],
    ids=["plain", "strided", "dilated", "groups"],
)
def test_conv_routes_equal_the_backward(options, channel_axis, rng):
    groups = options.get("groups", 1)
    x = np.moveaxis(rng.normal(size=(2, 4, 6, 7)), 1, channel_axis)
    weight = rng.normal(size=(6, 4 // groups, 3, 2))
    grad_output = rng.normal(size=conv(x, weight, **options, channel_axis=channel_axis).shape)
    expected = conv_backward(grad_output, x, weight, **options, channel_axis=channel_axis)[0]
    routes = routing.conv_routes(x, weight, **options, channel_axis=channel_axis)
    # Sums of up to 18 products, in another order.
    np.testing.assert_allclose(routes.backward(grad_output), expected, rtol=1e-12, atol=1e-13)


def test_conv_routes_jacobian_is_the_forward(rng):
    x, weight = rng.normal(size=(1, 2, 5)), rng.normal(size=(3, 2, 3))
    y = routing.conv_routes(x, weight, 2, 1).jacobian() @ x.ravel()
    np.testing.assert_allclose(y, conv(x, weight, stride=2, padding=1).ravel(), rtol=1e-12)


@pytest.mark.parametrize("norm_type", [1, 2, 3.5])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_lp_routes_equal_the_backward(geometry, norm_type, rng):
    x = rng.normal(size=(2, 2, *geometry.size))
    x[0, 0] = 0
    grad_output = rng.normal(size=lp_pool(x, norm_type, **geometry.arguments).shape)
    expected = lp_pool_backward(grad_output, x, norm_type, **geometry.arguments)
    routes = routing.lp_routes(x, norm_type, **geometry.arguments)
    np.testing.assert_allclose(routes.backward(grad_output), expected, rtol=1e-12, atol=1e-13)
