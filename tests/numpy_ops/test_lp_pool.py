"""Power-average pooling against numbers worked by hand, the loops and PyTorch."""

import numpy as np
import pytest

import course_lib
from course_lib import loops, lp_pool, lp_pool_backward, max_pool
from tests.geometries import GEOMETRIES, batch, geometry_id

POWERS = [1, 2, 3, 0.5, 2.5]
# PyTorch's lp_pool has neither padding nor dilation, and it scales what hangs over the end.
PLAIN = [g for g in GEOMETRIES if not {"padding", "dilation", "ceil_mode"} & set(g.arguments)]


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_lp_pool_equals_loops(geometry, power, rng):
    x = batch("tied", rng, geometry) + rng.integers(0, 2, (2, 3, *geometry.size)) / 2
    y = lp_pool(x, power, **geometry.arguments)
    # Each of up to 81 powers is rounded, the root shrinks what they add up to by p.
    np.testing.assert_allclose(y, loops.lp_pool(x, power, **geometry.arguments), rtol=1e-14)
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    expected = loops.lp_pool_backward(grad_output, x, power, **geometry.arguments)
    # Gradients of windows of opposite signs cancel; each is at most 9 times a slope of a few hundred.
    found = lp_pool_backward(grad_output, x, power, **geometry.arguments)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("geometry", PLAIN, ids=geometry_id)
def test_lp_pool_equals_torch_where_elements_are_positive(geometry, power, rng):
    torch = pytest.importorskip("torch")
    x = np.abs(batch("distinct", rng, geometry)) + 0.5
    leaf = torch.tensor(x, requires_grad=True)
    pool = getattr(torch.nn.functional, f"lp_pool{len(geometry.size)}d")
    expected = pool(leaf, power, geometry.arguments["kernel_size"], geometry.arguments.get("stride"))
    y = lp_pool(x, power, **geometry.arguments)
    # PyTorch averages and multiplies again.
    np.testing.assert_allclose(y, expected.detach().numpy(), rtol=1e-13)
    grad_output = rng.integers(1, 10, y.shape).astype(float)
    expected.backward(torch.tensor(grad_output))
    found = lp_pool_backward(grad_output, x, power, **geometry.arguments)
    np.testing.assert_allclose(found, leaf.grad.numpy(), rtol=1e-12)


def test_lp_pool_by_hand():
    np.testing.assert_array_equal(lp_pool(np.array([[[3.0, -4.0, 6.0, 8.0]]]), 2, 2), [[[5, 10]]])
    np.testing.assert_array_equal(lp_pool(np.array([[[3.0, -4.0, 6.0, 8.0]]]), 1, 2), [[[7, 14]]])
    # 1 + 8 + 27 − … : the cube root of 3³ + 4³ + 5³ = 216.
    np.testing.assert_allclose(lp_pool(np.array([[[3.0, -4.0, 5.0]]]), 3, 3), [[[6]]], rtol=1e-15)


def test_lp_pool_backward_by_hand():
    x = np.array([[[3.0, -4.0]]])
    np.testing.assert_allclose(lp_pool_backward(np.array([[[10.0]]]), x, 2, 2), [[[6, -8]]], rtol=1e-15)
    np.testing.assert_array_equal(lp_pool_backward(np.array([[[10.0]]]), x, 1, 2), [[[10, -10]]])


def test_lp_pool_takes_the_absolute_value():
    # PyTorch gives NaN here.
    np.testing.assert_allclose(lp_pool(np.array([[[-2.0, -2.0]]]), 3, 2), [[[2 * 2 ** (1 / 3)]]], rtol=1e-15)


def test_lp_pool_ceil_overhang_adds_nothing():
    # PyTorch gives 7.07 for the last window.
    np.testing.assert_array_equal(lp_pool(np.array([[[3.0, 4.0, 5.0]]]), 2, 2, ceil_mode=True), [[[5, 5]]])


def test_lp_pool_divides_nothing():
    np.testing.assert_array_equal(lp_pool(np.ones((1, 1, 4, 4)), 2, 4), [[[[4]]]])


@pytest.mark.parametrize("power", [0.5, 1, 2, 3])
def test_lp_pool_gradient_at_zero_is_zero(power):
    x = np.array([[[0.0, -0.0, 0.0, 2.0]]])
    grad_input = lp_pool_backward(np.ones((1, 1, 2)), x, power, 2)
    np.testing.assert_array_equal(grad_input[..., :3], np.zeros((1, 1, 3)))
    assert grad_input[0, 0, 3] == 1


def test_lp_pool_window_without_real_tap_is_zero():
    x = np.array([[[7.0]]])
    y = lp_pool(x, 2, 2, stride=1, padding=1, dilation=2)
    np.testing.assert_array_equal(y, [[[0]]])
    np.testing.assert_array_equal(lp_pool_backward(np.ones_like(y), x, 2, 2, 1, 1, 2), [[[0]]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("power", [2, 40, 1000])
def test_lp_pool_large_and_small_elements_neither_overflow_nor_vanish(dtype, power):
    largest, smallest = np.finfo(dtype).max / 4, np.finfo(dtype).tiny
    x = np.array([[[largest, 0.0, smallest, 0.0]]], dtype)
    y = lp_pool(x, power, 2)
    np.testing.assert_allclose(y, [[[largest, smallest]]], rtol=np.finfo(dtype).eps)
    np.testing.assert_array_equal(lp_pool_backward(np.ones_like(y), x, power, 2), [[[1, 0, 1, 0]]])


def test_lp_pool_nears_the_maximum(rng):
    x = rng.normal(size=(1, 2, 8, 8))
    # 4 equal elements would differ from the largest by the factor 4 ** (1 / 1000).
    np.testing.assert_allclose(lp_pool(x, 1000, 2), max_pool(np.abs(x), 2), rtol=2e-3)


def test_lp_pool_nan_and_infinity_stay_in_their_windows():
    x = np.array([[[1.0, np.nan, -np.inf, 2.0, np.nan, np.inf, 3.0, 4.0]]])
    np.testing.assert_array_equal(lp_pool(x, 2, 2), [[[np.nan, np.inf, np.nan, 5]]])


def test_lp_pool_does_not_sum_in_half_precision():
    # 4,900 ones: float16 alone stops counting at 2048.
    x = np.ones((1, 1, 70, 70), np.float16)
    assert lp_pool(x, 1, 70).item() == np.float16(4900)
    # Every window of 4,096 with one tap on the only element, but the last.
    grad_input = lp_pool_backward(np.ones((1, 1, 4097), np.float16), x[:, :, :1, 0], 1, 4096, 1, ((4095, 4096),))
    assert grad_input.item() == np.float16(4096)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_lp_pool_keeps_the_dtype(dtype):
    x = np.ones((1, 1, 4, 4), dtype)
    y = lp_pool(x, 2, 2)
    assert y.dtype == lp_pool_backward(y, x, 2, 2).dtype == dtype


@pytest.mark.parametrize("offset", [0, 100])
@pytest.mark.parametrize("power", [1, 2, 3])
def test_lp_pool_is_within_two_units(power, offset, rng):
    # The sum is positive: its norm is the bound's size of terms too.
    x = (rng.normal(size=(2, 2, 40, 40)) + offset).astype(np.float32)
    exact = lp_pool(x.astype(float), power, 15, 2)
    assert (np.abs(lp_pool(x, power, 15, 2) - exact) <= 2 * np.finfo(np.float32).eps * exact).all()


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
def test_lp_pool_channel_axis_moves_channels_only(channel_axis, rng):
    x = rng.integers(-4, 5, (2, 3, 5, 6)).astype(float)
    y = lp_pool(x, 2, 3, 2, 1)
    moved = lp_pool(np.moveaxis(x, 1, channel_axis), 2, 3, 2, 1, channel_axis=channel_axis)
    np.testing.assert_array_equal(np.moveaxis(moved, channel_axis, 1), y)
    grad_input = lp_pool_backward(moved, np.moveaxis(x, 1, channel_axis), 2, 3, 2, 1, channel_axis=channel_axis)
    np.testing.assert_array_equal(np.moveaxis(grad_input, channel_axis, 1), lp_pool_backward(y, x, 2, 3, 2, 1))


def test_lp_pool_every_layout_equals_its_copy(rng):
    base = rng.integers(-4, 5, (4, 6, 10, 12)).astype(np.float32)
    views = {
        "sliced": base[::2, 1:4, 1:-1, ::2],
        "reversed": base[:, :, ::-1, ::-1],
        "fortran": np.asfortranarray(base),
        "stride 0": np.broadcast_to(base[:1], base.shape),
        "transposed": base.transpose(0, 1, 3, 2),
        "big-endian": base.astype(">f4"),
    }
    for name, view in views.items():
        view.setflags(write=False)
        copy = view.astype(np.float32, order="C")
        y = lp_pool(view, 3, 3, 2, 1)
        np.testing.assert_array_equal(y, lp_pool(copy, 3, 3, 2, 1), err_msg=name)
        gradient = lp_pool_backward(np.broadcast_to(np.float32(1), y.shape), view, 3, 3, 2, 1)
        np.testing.assert_array_equal(gradient, lp_pool_backward(np.ones_like(y), copy, 3, 3, 2, 1), err_msg=name)


def test_lp_pool_output_is_never_the_input():
    x = np.ones((1, 1, 2, 2))
    assert not np.shares_memory(lp_pool(x, 1, 1), x)


def test_lp_pool_empty_batch_works():
    x = np.zeros((0, 2, 4, 4))
    y = lp_pool(x, 2, 2)
    assert y.shape == (0, 2, 2, 2)
    assert lp_pool_backward(y, x, 2, 2).shape == x.shape


REFUSED = {
    "zero": (0, ValueError, r"norm_type must be finite and greater than 0; got norm_type=0"),
    "negative": (-2, ValueError, r"got norm_type=-2"),
    "infinite": (float("inf"), ValueError, r"got norm_type=inf"),
    "nan": (float("nan"), ValueError, r"got norm_type=nan"),
    "bool": (True, TypeError, r"norm_type must be a number; got norm_type=True"),
    "word": ("2", TypeError, r"got norm_type='2'"),
    "none": (None, TypeError, r"got norm_type=None"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_lp_pool_refuses_an_order(name):
    power, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        lp_pool(np.ones((1, 1, 4)), power, 2)
    with pytest.raises(error, match=message):
        lp_pool_backward(np.ones((1, 1, 2)), np.ones((1, 1, 4)), power, 2)


def test_lp_pool_refuses_integers():
    with pytest.raises(TypeError, match=r"x must have dtype .*; got x\.dtype=int64"):
        lp_pool(np.ones((1, 1, 4), int), 2, 2)


def test_lp_pool_refuses_padding_over_half():
    with pytest.raises(ValueError, match=r"at most half of kernel_size; got padding=2, kernel_size=2"):
        lp_pool(np.ones((1, 1, 4)), 2, 2, padding=2)


def test_lp_pool_backward_refuses_another_shape():
    with pytest.raises(ValueError, match=r"the output's shape \(1, 1, 2\); got shape \(1, 1, 3\)"):
        lp_pool_backward(np.ones((1, 1, 3)), np.ones((1, 1, 4)), 2, 2)


@pytest.mark.parametrize("module", [loops, course_lib], ids=["loops", "numpy"])
@pytest.mark.parametrize("unit", [2.0**1021, 2.0**-1072], ids=["huge", "subnormal"])
@pytest.mark.parametrize("power", POWERS)
def test_lp_pool_backward_does_not_depend_on_the_unit_of_x(power, unit, module):
    x, grad_output = np.array([[[3.0, -4.0, 4.0, 1.0, 0.0, -2.0]]]), np.array([[[1.0, -2.0, 4.0]]])
    expected = module.lp_pool_backward(grad_output, x, power, 2)
    np.testing.assert_allclose(module.lp_pool_backward(grad_output, unit * x, power, 2), expected, rtol=1e-15)
