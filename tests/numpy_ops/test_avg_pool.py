"""Average pooling against numbers worked by hand, the loops and PyTorch."""

from itertools import product

import numpy as np
import pytest

from course_lib import avg_pool, avg_pool_backward, loops
from tests.geometries import FINITE, GEOMETRIES, batch

IN_TORCH = [g for g in GEOMETRIES if g.in_torch and not g.dilated]
DIVISORS = [{}, {"count_include_pad": False}, {"divisor_override": 5}, {"divisor_override": -2}]
RULES = list(product(GEOMETRIES, DIVISORS))
# PyTorch's avg_pool1d has no divisor_override.
RULES_IN_TORCH = [(g, d) for g, d in product(IN_TORCH, DIVISORS) if len(g.size) > 1 or "divisor_override" not in d]


def _rule_id(value):
    return value.name if hasattr(value, "name") else ",".join(f"{k}={v}" for k, v in value.items()) or "default"


def _bound(pool, absolute, *arguments, **options):
    """2·ε·Σ|terms|: what a sum may differ from its float64 value."""
    return 2 * np.finfo(np.float64).eps * np.abs(pool(absolute, *arguments, **options)) + 1e-300


@pytest.mark.parametrize(("geometry", "divisor"), RULES, ids=_rule_id)
def test_avg_pool_equals_loops(geometry, divisor, rng):
    x = batch("distinct", rng, geometry)
    expected = loops.avg_pool(x, **geometry.arguments, **divisor)
    bound = _bound(loops.avg_pool, np.abs(x), **geometry.arguments, **divisor)
    assert (np.abs(avg_pool(x, **geometry.arguments, **divisor) - expected) <= bound).all()


@pytest.mark.parametrize(("geometry", "divisor"), RULES, ids=_rule_id)
def test_avg_pool_backward_equals_loops(geometry, divisor, rng):
    x = batch("distinct", rng, geometry)
    grad_output = rng.normal(size=avg_pool(x, **geometry.arguments).shape)
    options = {**geometry.arguments, **divisor}
    expected = loops.avg_pool_backward(grad_output, x.shape, **options)
    bound = _bound(loops.avg_pool_backward, np.abs(grad_output), x.shape, **options)
    assert (np.abs(avg_pool_backward(grad_output, x.shape, **options) - expected) <= bound).all()


@pytest.mark.parametrize("values", FINITE)
@pytest.mark.parametrize(("geometry", "divisor"), RULES_IN_TORCH, ids=_rule_id)
def test_avg_pool_equals_torch(geometry, divisor, values, rng):
    torch = pytest.importorskip("torch")
    x = batch(values, rng, geometry)
    leaf = torch.tensor(x, requires_grad=True)
    options = {**geometry.arguments, **divisor}
    expected = getattr(torch.nn.functional, f"avg_pool{len(geometry.size)}d")(leaf, **options)
    y = avg_pool(x, **options)
    # Both sum up to 81 terms of at most a few hundred in float64, in different orders.
    np.testing.assert_allclose(y, expected.detach().numpy(), rtol=1e-13, atol=1e-12)
    grad_output = rng.normal(size=y.shape)
    expected.backward(torch.tensor(grad_output))
    np.testing.assert_allclose(
        avg_pool_backward(grad_output, x.shape, **options), leaf.grad.numpy(), rtol=1e-13, atol=1e-13
    )


def test_avg_pool_by_hand():
    x = np.array([[1.0, 5.0, 2.0], [4.0, 2.0, 9.0], [8.0, 7.0, 6.0]])[None, None]
    np.testing.assert_array_equal(avg_pool(x, 2, stride=1), [[[[3.0, 4.5], [5.25, 6.0]]]])


def test_avg_pool_backward_overlap_by_hand():
    # 5×5, window 3, stride 2: the centre lies in four windows and gets a ninth from each.
    grad_input = avg_pool_backward(np.full((1, 1, 2, 2), 9.0), (1, 1, 5, 5), 3, stride=2)
    np.testing.assert_array_equal(grad_input[0, 0, 2], [2, 2, 4, 2, 2])


def test_avg_pool_padding_counts_in_the_divisor():
    assert avg_pool(np.ones((1, 1, 3, 3)), 3, 1, 1)[0, 0, 0, 0] == 4 / 9


def test_avg_pool_padding_can_be_left_out_of_the_divisor():
    assert avg_pool(np.ones((1, 1, 3, 3)), 3, 1, 1, count_include_pad=False)[0, 0, 0, 0] == 1


def test_avg_pool_ceil_overhang_never_counts():
    np.testing.assert_array_equal(avg_pool(np.array([[[2.0, 4.0, 6.0, 8.0, 10.0]]]), 2, ceil_mode=True), [[[3, 7, 10]]])


@pytest.mark.parametrize("divisor", DIVISORS, ids=_rule_id)
def test_avg_pool_window_without_real_tap_is_zero(divisor):
    arguments = {"kernel_size": 2, "stride": 1, "padding": 1, "dilation": 2, **divisor}
    x = np.full((1, 1, 1, 1), 5.0)
    np.testing.assert_array_equal(avg_pool(x, **arguments), [[[[0.0]]]])
    np.testing.assert_array_equal(avg_pool_backward(np.ones((1, 1, 1, 1)), x.shape, **arguments), [[[[0.0]]]])


def test_avg_pool_sums_half_precision_in_float32():
    assert avg_pool(np.ones((1, 1, 64, 64), np.float16), 64).item() == 1


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_avg_pool_keeps_the_dtype(dtype):
    y = avg_pool(np.ones((1, 1, 4, 4), dtype), 2)
    assert y.dtype == avg_pool_backward(y, (1, 1, 4, 4), 2).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("size", "kernel_size"), [(64, 2), (64, 3), (40, 15), (128, 128)])
@pytest.mark.parametrize("offset", [0.0, 0.1, 100.0])
def test_avg_pool_sum_is_within_two_ulps_of_its_terms(dtype, size, kernel_size, offset, rng):
    x = (rng.normal(size=(2, 2, size, size)) * (offset != 0.1) + offset).astype(dtype)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.longdouble), (kernel_size, kernel_size), (2, 3))
    exact, terms = windows.mean((-1, -2)), np.abs(windows).mean((-1, -2))
    # Half an ulp more for the rounding of the quotient, which is not part of the sum.
    assert (np.abs(avg_pool(x, kernel_size, 1) - exact) <= 2.5 * np.finfo(dtype).eps * terms).all()


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
def test_avg_pool_channel_axis_moves_channels_only(channel_axis, rng):
    x = rng.normal(size=(2, 3, 5, 6))
    moved = avg_pool(np.moveaxis(x, 1, channel_axis), 3, 2, 1, channel_axis=channel_axis)
    y = avg_pool(x, 3, 2, 1)
    np.testing.assert_allclose(np.moveaxis(moved, channel_axis, 1), y, rtol=1e-14, atol=1e-15)
    back = avg_pool_backward(moved, np.moveaxis(x, 1, channel_axis).shape, 3, 2, 1, channel_axis=channel_axis)
    np.testing.assert_allclose(
        np.moveaxis(back, channel_axis, 1), avg_pool_backward(y, x.shape, 3, 2, 1), rtol=1e-14, atol=1e-15
    )


def test_avg_pool_every_layout_equals_its_copy(rng):
    base = rng.integers(-4, 4, (4, 6, 10, 12)).astype(np.float32)
    for view in (base[::2, 1:4, 1:-1, ::2], base[:, :, ::-1], np.asfortranarray(base), base.astype(">f4"),
                 np.broadcast_to(base[:1], base.shape)):  # fmt: skip
        view.setflags(write=False)
        np.testing.assert_array_equal(avg_pool(view, 3, 2, 1), avg_pool(view.astype(np.float32, order="C"), 3, 2, 1))


def test_avg_pool_nan_and_infinity_stay_in_their_windows():
    x = np.array([[[np.nan, 1.0, 2.0, np.inf, 4.0, 6.0]]])
    np.testing.assert_array_equal(avg_pool(x, 2), [[[np.nan, np.inf, 5.0]]])


def test_avg_pool_empty_batch_works():
    y = avg_pool(np.zeros((0, 2, 4, 4)), 2)
    assert y.shape == (0, 2, 2, 2)
    assert avg_pool_backward(y, (0, 2, 4, 4), 2).shape == (0, 2, 4, 4)


def test_avg_pool_refuses_integers():
    with pytest.raises(TypeError, match=r"x must have dtype float16, float32 or float64; got x.dtype=int64"):
        avg_pool(np.ones((1, 1, 2, 2), int), 2)


def test_avg_pool_backward_refuses_another_shape():
    with pytest.raises(ValueError, match=r"output's shape \(1, 1, 2, 2\); got shape \(1, 1, 2, 3\)"):
        avg_pool_backward(np.ones((1, 1, 2, 3)), (1, 1, 4, 4), 2)
