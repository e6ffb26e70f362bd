"""Each technique against the plain one, tap by tap, over the shared geometries and values."""

from functools import partial

import numpy as np
import pytest

from course_lib import arguments, avg_pool, avg_pool_backward, max_pool, max_pool_backward
from course_lib.geometry import divisors as divisors_of
from course_lib.geometry import side_by_side
from course_lib.numpy_ops import (
    avg_product,
    avg_separable,
    avg_spread,
    avg_views,
    choose,
    max_separable,
    tap_by_tap,
    tiny,
    whole_planes,
)
from course_lib.numpy_ops.scatter import scatter_add
from tests.geometries import GEOMETRIES, VALUES, batch, geometry_id

# So few elements in a block that every axis is cut.
CUT = 20


def _any(array, axes):
    return True


def _some_taps(array, axes):
    return any(axis.kernel > 1 for axis in axes)


def _side_by_side(array, axes):
    return array.dtype != np.float16 and all(map(side_by_side, axes))


# Each technique, and where it may be used.
MAX = {
    "tiny": (tiny.winners, choose.few_taps),
    "whole planes": (whole_planes.winners, choose.whole_plane),
    "separable": (max_separable.winners, _some_taps),
    "separable, cut": (partial(max_separable.winners, elements=CUT), _some_taps),
    "lanes": (max_separable.winners_of_lanes, _some_taps),
    "lanes, cut": (partial(max_separable.winners_of_lanes, elements=CUT), _some_taps),
    "undealt": (max_separable.winners_undealt, _some_taps),
    "undealt, cut": (partial(max_separable.winners_undealt, elements=CUT), _some_taps),
}
AVERAGE = {
    "tiny": (tiny.average, choose.few_taps),
    "whole planes": (whole_planes.average, choose.whole_plane),
    "product": (avg_product.average, avg_product.suits),
    "views": (avg_views.average, avg_views.precise),
    "separable": (avg_separable.average, _any),
    "separable, cut": (partial(avg_separable.average, elements=CUT), _any),
    "lanes": (avg_separable.average_lanes, _any),
    "undealt": (avg_separable.average_undealt, _any),
    "undealt, cut": (partial(avg_separable.average_undealt, elements=CUT), _any),
}
SPREAD = {
    "tiny": (tiny.spread, choose.few_taps),
    "whole planes": (whole_planes.spread, choose.whole_plane),
    "product": (avg_product.spread, avg_product.suits),
    "views": (avg_views.spread, _side_by_side),
    "separable": (avg_spread.spread, _any),
    "separable, cut": (partial(avg_spread.spread, elements=CUT), _any),
    "lanes": (avg_spread.spread_lanes, _any),
    "lanes, cut": (partial(avg_spread.spread_lanes, elements=CUT), _any),
}
DIVISORS = [(True, None), (False, None), (True, -2), (False, 3)]
FLOATS = [np.float16, np.float32, np.float64]
DTYPES = [np.float16, np.float32, np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64]


def _planes(values, rng, geometry, dtype=np.float64):
    x = batch(values, rng, geometry, dtype)
    return x.reshape(-1, *geometry.size, 1), arguments.pool_axes(geometry.size, **geometry.arguments)


def _lowest(dtype):
    return -np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min


def _check_equal_bits(y, expected):
    np.testing.assert_array_equal(y, expected)
    # Equal zeros may differ in sign.
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(y[zero]), np.signbit(expected[zero]))


def _check_winners(technique, x, axes):
    expected, positions = tap_by_tap.winners(x, axes, _lowest(x.dtype), True)
    y, indices = technique(x, axes, _lowest(x.dtype), True)
    _check_equal_bits(y, expected)
    np.testing.assert_array_equal(indices, positions)
    values, nothing = technique(x, axes, _lowest(x.dtype), False)
    assert nothing is None
    _check_equal_bits(values, expected)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
@pytest.mark.parametrize("name", MAX)
def test_max_technique_equals_tap_by_tap(name, geometry, rng):
    technique, suits = MAX[name]
    for values in VALUES:
        x, axes = _planes(values, rng, geometry)
        if suits(x, axes):
            _check_winners(technique, x, axes)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", MAX)
def test_max_technique_serves_every_dtype(name, dtype, rng):
    technique, suits = MAX[name]
    for geometry in GEOMETRIES:
        x, axes = _planes("tied", rng, geometry)
        # The smallest number of the type too, which padding counts as.
        x = np.where(x == 1, _lowest(dtype), np.abs(x)).astype(dtype)
        if suits(x, axes):
            _check_winners(technique, x, axes)


@pytest.mark.parametrize("elements", [None, CUT])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_max_separable_takes_channels_as_lanes(geometry, elements, rng):
    for values in VALUES:
        x = np.ascontiguousarray(np.moveaxis(batch(values, rng, geometry), 1, -1))
        axes = arguments.pool_axes(geometry.size, **geometry.arguments)
        if _some_taps(x, axes):
            _check_winners(partial(max_separable.winners, elements=elements), x, axes)


@pytest.mark.parametrize("size", [(400,), (30, 300), (6, 20, 30), (3, 40000)])
@pytest.mark.parametrize("name", ["separable", "lanes", "undealt"])
def test_max_technique_counts_far_within_a_window(name, size, rng):
    # More than 255 elements, or more than 65,535, lie between the first tap of a window and its last.
    for kernel, dilation in ((3, 1), (2, 2), ((1,) * (len(size) - 1) + (size[-1] // 2,), 2)):
        x = rng.integers(0, 9, (2, *size, 1)).astype(np.float32)
        _check_winners(MAX[name][0], x, arguments.pool_axes(size, kernel, 1, 0, dilation))


def test_max_separable_finds_one_nan_among_many_blocks(rng):
    x = rng.normal(size=(50, 12, 12, 1))
    x[37, 5, 7] = np.nan
    _check_winners(partial(max_separable.winners, elements=500), x, arguments.pool_axes((12, 12), 3, 2, 1))


def _sums(x, axes, outputs):
    """The sum of each window, in extended precision."""
    sums = np.zeros((len(x), *outputs, 1), np.longdouble)
    for windows, elements in tap_by_tap.real_taps(axes):
        sums[windows] += x[elements]
    return sums


def _spread_sums(shares, axes):
    """What each element gets of the shares of its windows, in extended precision."""
    grad_input = np.zeros((len(shares), *(axis.size for axis in axes), 1), np.longdouble)
    for windows, elements in tap_by_tap.real_taps(axes):
        grad_input[elements] += shares[windows]
    return grad_input


def _check_close(y, exact, terms, dtype):
    """Within 2 ε of the sum of all terms, and half an ε for the rounding of the quotient."""
    assert y.dtype == dtype
    info = np.finfo(dtype)
    assert (np.abs(y - exact) <= 2.5 * info.eps * np.abs(terms) + info.smallest_subnormal).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
@pytest.mark.parametrize("name", AVERAGE)
def test_average_technique_is_as_exact_as_promised(name, geometry, dtype, rng):
    technique, suits = AVERAGE[name]
    for values in ("distinct", "all-equal", "subnormal"):
        x, axes = _planes(values, rng, geometry, dtype)
        for rule in DIVISORS:
            divisors = divisors_of(axes, *rule)
            if suits(x, axes):
                exact, terms = (_sums(array, axes, divisors.shape) / divisors[..., None] for array in (x, np.abs(x)))
                _check_close(technique(x, axes, divisors), exact, terms, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
@pytest.mark.parametrize("name", SPREAD)
def test_spread_technique_is_as_exact_as_promised(name, geometry, dtype, rng):
    technique, suits = SPREAD[name]
    axes = arguments.pool_axes(geometry.size, **geometry.arguments)
    for rule in DIVISORS:
        divisors = divisors_of(axes, *rule)
        grad_output = rng.normal(size=(6, *divisors.shape, 1)).astype(dtype)
        if suits(grad_output, axes):
            shares = grad_output.astype(np.longdouble) / divisors[..., None]
            exact, terms = _spread_sums(shares, axes), _spread_sums(np.abs(shares), axes)
            _check_close(technique(grad_output, axes, divisors), exact, terms, dtype)


WIDE = [((12, 12), 6, 6, 0), ((13, 14), 6, 6, 0), ((30, 21), (6, 7), (6, 7), 0), ((30, 21), (6, 7), (6, 7), (1, 2)),
        ((30, 21), (5, 7), (6, 7), 0), ((24,), 8, 8, 0), ((12, 6, 18), 6, 6, 0), ((40, 40), 9, 8, 4)]  # fmt: skip


@pytest.mark.parametrize(("size", "kernel", "stride", "padding"), WIDE)
def test_techniques_serve_wide_strides(size, kernel, stride, padding, rng):
    axes = arguments.pool_axes(size, kernel, stride, padding)
    divisors = divisors_of(axes)
    x = rng.integers(-9, 9, (5, *size, 2)).astype(np.float64)
    grad_output = rng.integers(-9, 9, (5, *divisors.shape, 2)).astype(np.float64)
    average, spread = tap_by_tap.average(x, axes, divisors), tap_by_tap.spread(grad_output, axes, divisors)
    for elements in (None, CUT, 100):
        _check_winners(partial(max_separable.winners, elements=elements), x, axes)
        found = avg_separable.average(x, axes, divisors, elements=elements)
        np.testing.assert_allclose(found, average, rtol=1e-14, atol=1e-14)
        found = avg_spread.spread(grad_output, axes, divisors, elements=elements)
        np.testing.assert_allclose(found, spread, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("values", ["nan", "inf-nan", "minus-inf"])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_average_techniques_keep_what_is_not_finite_in_its_windows(geometry, values, rng):
    x, axes = _planes(values, rng, geometry)
    with np.errstate(invalid="ignore"):
        expected = tap_by_tap.average(x, axes, divisors_of(axes))
    for dtype, (technique, suits) in ((dtype, entry) for dtype in FLOATS for entry in AVERAGE.values()):
        if suits(x, axes):
            y = technique(x.astype(dtype), axes, divisors_of(axes))
            for special in (np.isnan, np.isposinf, np.isneginf):
                np.testing.assert_array_equal(special(y), special(expected))


# A product and views refuse windows of so many taps.
@pytest.mark.parametrize("name", [name for name in AVERAGE if name not in ("product", "views")])
def test_average_of_many_equal_elements_is_that_element(name, rng):
    # In float32 the roundings of such a sum have one sign, and the average is off by up to seven ε.
    x = np.ones((40, 31, 31, 1), np.float32) * rng.uniform(1, 2, (40, 1, 1, 1)).astype(np.float32)
    axes = arguments.pool_axes((31, 31), 31)
    np.testing.assert_array_equal(AVERAGE[name][0](x, axes, divisors_of(axes)), x[:, :1, :1])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [(7, 7), (8, 8), (9, 8), (200, 200)])
def test_average_of_a_whole_plane_is_as_exact_as_promised(size, dtype, rng):
    x, axes = (1 + rng.random((300, *size, 1))).astype(dtype), arguments.pool_axes(size, size)
    exact = x.mean((1, 2), dtype=np.longdouble, keepdims=True)
    _check_close(whole_planes.average(x, axes, divisors_of(axes)), exact, exact, dtype)


@pytest.mark.parametrize(("kernel", "taps"), [((2, 2), 4), ((3, 3), 9), ((3, 2), 6)])
def test_product_takes_windows_of_few_additions_only(kernel, taps, rng):
    # Of a one and many halves of its ε a sum in the order of the taps keeps the one alone.
    axes = arguments.pool_axes((6, 6), kernel)
    x = np.full((100, 6, 6, 1), 2.0**-24, np.float32)
    x[:, :: kernel[0], :: kernel[1]] = 1
    exact = (1 + (taps - 1) * 2.0**-24) / taps
    divisors = divisors_of(axes)
    y = avg_pool(x.reshape(10, 10, 6, 6), kernel).reshape(100, *divisors.shape, 1)
    _check_close(y, exact, np.full_like(y, exact), np.float32)


@pytest.mark.parametrize("name", AVERAGE)
def test_average_of_the_largest_floats_does_not_overflow(name):
    largest = np.finfo(np.float32).max
    for size in (3, 5):
        x, axes = np.full((70, size, size, 1), largest), arguments.pool_axes((size, size), size)
        np.testing.assert_array_equal(AVERAGE[name][0](x, axes, divisors_of(axes)), np.full((70, 1, 1, 1), largest))


# Where windows do not meet, nothing is added.
@pytest.mark.parametrize("name", [name for name in SPREAD if name not in ("whole planes", "views")])
def test_spread_of_the_largest_floats_does_not_overflow(name):
    # With 1 as divisor one element gets the sum of all gradients, of which the first two overflow.
    largest = np.finfo(np.float32).max
    axes = arguments.pool_axes((3,), 3, 1, 1)
    grad_output = np.array([largest, largest, -largest], np.float32).reshape(1, 3, 1)
    grad_input = SPREAD[name][0](grad_output, axes, divisors_of(axes, True, 1))
    np.testing.assert_array_equal(grad_input.ravel(), [np.inf, largest, 0])


def _layouts(base):
    """Views of one array with the same dtype: sliced, reversed, column-major, stride 0, read-only, other byte order."""
    yield base[::2, 1:4, 1:-1, ::2]
    yield base[:, :, ::-1, 1:]
    yield np.asfortranarray(base)
    yield np.broadcast_to(base[:1, :1], base.shape)
    yield np.ascontiguousarray(base.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    yield base.astype(base.dtype.newbyteorder())


@pytest.mark.parametrize("arguments", [(2,), (3, 2, 1), (3, 1, 1), (9, 1, 4)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_pooling_any_layout_equals_pooling_its_copy(dtype, arguments, rng):
    # Large enough for the separable techniques, with odd and even rows.
    base = rng.integers(-9, 9, (14, 6, 20, 30)).astype(dtype)
    for view in _layouts(base):
        view.setflags(write=False)
        copy = view.astype(dtype, order="C")
        for operation in (max_pool, avg_pool, partial(max_pool, return_indices=True)):
            np.testing.assert_array_equal(operation(view, *arguments), operation(copy, *arguments))


@pytest.mark.parametrize("channel_axis", [0, 1, 2, 3])
@pytest.mark.parametrize("shape", [(3, 4, 5, 6), (8, 16, 24, 24), (1, 3, 80, 70)])
def test_pooling_and_its_gradients_move_with_the_channel_axis(shape, channel_axis, rng):
    x = rng.integers(-9, 9, shape).astype(np.float32)
    moved = np.ascontiguousarray(np.moveaxis(x, 1, channel_axis))
    y, indices = max_pool(x, 3, 2, 1, return_indices=True)
    found, places = max_pool(moved, 3, 2, 1, return_indices=True, channel_axis=channel_axis)
    back = max_pool_backward(found, places, moved.shape, channel_axis=channel_axis)
    means = avg_pool(moved, 3, 2, 1, channel_axis=channel_axis)
    shares = avg_pool_backward(found, moved.shape, 3, 2, 1, channel_axis=channel_axis)
    pairs = ((found, y), (places, indices), (back, max_pool_backward(y, indices, shape)),
             (means, avg_pool(x, 3, 2, 1)), (shares, avg_pool_backward(y, shape, 3, 2, 1)))  # fmt: skip
    for ours, expected in pairs:
        assert ours.flags.c_contiguous
        # Averages are added in another order: few roundings of single precision lie between the two.
        np.testing.assert_allclose(np.moveaxis(ours, channel_axis, 1), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("planes", "windows", "lanes"), [(1, 9, 1), (500, 70, 1), (3, 40000, 1), (4, 90, 70)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_scatter_add_equals_one_sum_an_element(dtype, planes, windows, lanes, rng):
    places = rng.integers(-1, 50, (planes, windows, lanes))
    grad_output = rng.integers(-2, 3, places.shape).astype(dtype)
    expected = np.zeros((planes, 51, lanes))
    plane, _, lane = np.indices(places.shape)
    np.add.at(expected, (plane, places, lane), grad_output)
    np.testing.assert_array_equal(scatter_add(grad_output, places, (50,)), expected[:, :50])


def test_scatter_add_of_what_is_not_finite_does_not_warn():
    largest = np.finfo(np.float32).max
    grad_output = np.array([np.inf, -np.inf, largest, largest], np.float32).reshape(1, 4, 1)
    places = np.array([0, 0, 1, 1]).reshape(1, 4, 1)
    np.testing.assert_array_equal(scatter_add(grad_output, places, (3,)).ravel(), [np.nan, np.inf, 0])


def test_average_with_one_overflow_does_not_depend_on_blocks(rng):
    x = rng.normal(size=(60, 9, 9, 1)).astype(np.float32)
    x[41] = np.finfo(np.float32).max
    axes = arguments.pool_axes((9, 9), 3, 2, 1)
    one, many = (avg_separable.average(x, axes, divisors_of(axes), elements=elements) for elements in (10**6, 100))
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding"),
    [((64, 48), 3, 2, 1), ((64, 48), 2, 2, 0), ((64, 64), 4, 4, 2), ((60, 30), 3, 1, 1)],
)
@pytest.mark.parametrize("lanes", [1, 24])
def test_averages_by_views_do_not_depend_on_blocks(size, kernel, stride, padding, lanes, rng, monkeypatch):
    x = rng.normal(size=(2, *size, lanes)).astype(np.float32)
    axes = arguments.pool_axes(size, kernel, stride, padding)
    whole = avg_views.average(x, axes, divisors_of(axes))
    monkeypatch.setattr(avg_views, "ELEMENTS", 200)
    np.testing.assert_array_equal(avg_views.average(x, axes, divisors_of(axes)), whole)


def test_averages_do_not_depend_on_what_no_window_holds(rng):
    x = rng.normal(size=(1, 64, 48, 1)).astype(np.float32)
    x[0, 31, -1] = x[0, 32, 0] = 3e38
    axes = arguments.pool_axes((64, 48), (1, 3), 1)
    cut, whole = (avg_separable.average(x, axes, divisors_of(axes), elements=elements) for elements in (32 * 48, 10**6))
    np.testing.assert_array_equal(cut, whole)


def test_spread_by_products_keeps_an_overflow_to_itself():
    grad_output = np.zeros((1, 6, 6, 1))
    grad_output[0, 2:4, 2] = 1.7e308
    axes = arguments.pool_axes((8, 8), 3, 1)
    grad_input = avg_product.spread(grad_output, axes, divisors_of(axes, True, 1))
    assert not np.isnan(grad_input).any() and np.isinf(grad_input).sum() == 6


def test_scatter_add_without_windows_is_zero():
    for _ in range(20):
        # Memory that was just in use is not zero by chance.
        np.full(5000, 7.0)
        np.testing.assert_array_equal(scatter_add(np.empty((10, 0, 1)), np.empty((10, 0, 1), np.int64), (500,)), 0)


@pytest.mark.parametrize("wrong", [-2, 50, 2**62, -(2**63)])
def test_scatter_add_refuses_an_index_outside_the_plane(wrong):
    places = np.zeros((500, 70, 1), np.int64)
    places[321, 69] = wrong
    with pytest.raises(ValueError, match=rf"between -1 and 49, .*; got {wrong}\."):
        scatter_add(np.ones(places.shape), places, (50,))
