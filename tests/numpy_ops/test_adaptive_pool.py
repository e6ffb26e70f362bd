"""Adaptive and global pooling against numbers worked by hand, the loops and PyTorch."""

import numpy as np
import pytest

from course_lib import (
    adaptive_avg_pool,
    adaptive_avg_pool_backward,
    adaptive_max_pool,
    adaptive_max_pool_backward,
    global_avg_pool,
    global_max_pool,
    loops,
)
from tests.geometries import FINITE, VALUES, Geometry, batch

# Bins that tile, that overlap, that repeat elements, that keep an axis, that are one or as many as elements.
SIZES = [
    ((6,), 3), ((5,), 3), ((7,), 4), ((2,), 3), ((5,), (None,)), ((4,), 1), ((11,), 5),
    ((4, 6), 2), ((5, 5), 3), ((7, 5), (3, 2)), ((5, 6), (None, 4)), ((2, 2), 4), ((3, 4), 1), ((9, 7), (4, 7)),
    ((4, 4, 4), 2), ((3, 4, 5), (2, 3, 2)), ((3, 5, 4), (None, 2, 3)), ((2, 3, 2), (1, 1, 1)),
]  # fmt: skip


def _id(value):
    return str(value).replace(" ", "")


def _batch(values, rng, size, dtype=np.float64):
    return batch(values, rng, Geometry("adaptive", size, {}), dtype)


def _torch(name, x, output_size):
    """A leaf tensor, and PyTorch's pooling of it. PyTorch takes None only in two and three dimensions."""
    torch = pytest.importorskip("torch")
    leaf, rank = torch.tensor(x, requires_grad=True), x.ndim - 2
    entries = (output_size,) * rank if isinstance(output_size, int) else output_size
    filled = tuple(n if entry is None else entry for entry, n in zip(entries, x.shape[2:], strict=True))
    options = {"return_indices": True} if "max" in name else {}
    return leaf, getattr(torch.nn.functional, f"{name}{rank}d")(leaf, filled, **options)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize(("size", "output_size"), SIZES, ids=_id)
def test_adaptive_max_pool_equals_loops_and_torch(size, output_size, values, rng):
    x = _batch(values, rng, size)
    y, indices = adaptive_max_pool(x, output_size, return_indices=True)
    for ours, theirs in zip((y, indices), loops.adaptive_max_pool(x, output_size, return_indices=True), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    alone = adaptive_max_pool(x, output_size)
    np.testing.assert_array_equal(alone, y)
    # Equal zeros may differ in sign.
    np.testing.assert_array_equal(np.signbit(alone[y == 0]), np.signbit(y[y == 0]))
    leaf, (expected, expected_indices) = _torch("adaptive_max_pool", x, output_size)
    np.testing.assert_array_equal(y, expected.detach().numpy())
    np.testing.assert_array_equal(np.signbit(y[y == 0]), np.signbit(expected.detach().numpy()[y == 0]))
    np.testing.assert_array_equal(indices, expected_indices.numpy())
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    expected.backward(leaf.new_tensor(grad_output))
    grad_input = adaptive_max_pool_backward(grad_output, indices, x.shape)
    np.testing.assert_array_equal(grad_input, leaf.grad.numpy())
    np.testing.assert_array_equal(grad_input, loops.adaptive_max_pool_backward(grad_output, indices, x.shape))


@pytest.mark.parametrize("values", FINITE)
@pytest.mark.parametrize(("size", "output_size"), SIZES, ids=_id)
def test_adaptive_avg_pool_equals_loops_and_torch(size, output_size, values, rng):
    x = _batch(values, rng, size)
    y = adaptive_avg_pool(x, output_size)
    leaf, expected = _torch("adaptive_avg_pool", x, output_size)
    # At most 60 terms of at most a few hundred, added in float64 in different orders.
    close = {"rtol": 1e-14, "atol": 1e-12}
    np.testing.assert_allclose(y, loops.adaptive_avg_pool(x, output_size), **close)
    np.testing.assert_allclose(y, expected.detach().numpy(), **close)
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    expected.backward(leaf.new_tensor(grad_output))
    grad_input = adaptive_avg_pool_backward(grad_output, x.shape)
    np.testing.assert_allclose(grad_input, leaf.grad.numpy(), **close)
    np.testing.assert_allclose(grad_input, loops.adaptive_avg_pool_backward(grad_output, x.shape), **close)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int16, np.int32, np.int64])
def test_adaptive_max_pool_keeps_every_dtype(dtype, rng):
    x = rng.integers(0, 4, (2, 3, 7, 5)).astype(dtype)
    for output_size in (3, 1):
        y, indices = adaptive_max_pool(x, output_size, return_indices=True)
        expected, expected_indices = loops.adaptive_max_pool(x, output_size, return_indices=True)
        assert y.dtype == dtype
        np.testing.assert_array_equal(y, expected)
        np.testing.assert_array_equal(indices, expected_indices)


def test_adaptive_max_pool_by_hand():
    # Bins of 5 elements in 3 parts: 0 to 1, 1 to 3, 3 to 4.
    x = np.arange(25.0).reshape(1, 1, 5, 5)
    y, indices = adaptive_max_pool(x, 3, return_indices=True)
    np.testing.assert_array_equal(y, [[[[6, 8, 9], [16, 18, 19], [21, 23, 24]]]])
    np.testing.assert_array_equal(indices, y)


def test_adaptive_max_pool_first_of_equals_wins_across_rows():
    x = np.array([[[[1.0, 2.0, 3.0], [3.0, 2.0, 3.0], [0.0, 0.0, 0.0]]]])
    np.testing.assert_array_equal(adaptive_max_pool(x, 2, return_indices=True)[1], [[[[3, 2], [3, 5]]]])


def test_adaptive_max_pool_last_nan_wins():
    x = np.array([[[[np.nan, 1.0, 0.0], [np.nan, 5.0, 0.0], [9.0, 0.0, 0.0]]]])
    np.testing.assert_array_equal(adaptive_max_pool(x, 2, return_indices=True)[1], [[[[3, 4], [3, 4]]]])


def test_adaptive_avg_pool_bins_that_overlap_share_the_gradient_by_hand():
    np.testing.assert_array_equal(adaptive_avg_pool(np.arange(1.0, 6).reshape(1, 1, 5), 3), [[[1.5, 3, 4.5]]])
    grad_input = adaptive_avg_pool_backward(np.full((1, 1, 3), 6.0), (1, 1, 5))
    np.testing.assert_array_equal(grad_input, [[[3, 5, 2, 5, 3]]])


def test_adaptive_pools_repeat_elements_when_there_are_more_bins():
    x = np.array([[[1.0, 2.0]]])
    np.testing.assert_array_equal(adaptive_avg_pool(x, 3), [[[1, 1.5, 2]]])
    np.testing.assert_array_equal(adaptive_max_pool(x, 3), [[[1, 2, 2]]])
    np.testing.assert_array_equal(adaptive_avg_pool_backward(np.ones((1, 1, 3)), (1, 1, 2)), [[[1.5, 1.5]]])


def test_adaptive_bins_are_cut_in_integers():
    # In float64 11 * (30 / 22) is 14.999…: that bin would start one element early.
    x = np.zeros((1, 1, 30))
    x[..., 14] = 1
    assert adaptive_max_pool(x, 22)[0, 0, 11] == 0
    # And 25 * (7 / 25) is 7.000…1: that bin would stop beyond the end.
    assert adaptive_avg_pool(np.ones((1, 1, 7)), 25)[0, 0, 24] == 1


def test_global_pools_are_adaptive_pools_with_one_bin(rng):
    x = rng.normal(size=(2, 3, 4, 5))
    y, indices = global_max_pool(x, return_indices=True)
    np.testing.assert_array_equal(y, x.max(axis=(2, 3), keepdims=True))
    np.testing.assert_array_equal(indices.ravel(), x.reshape(6, 20).argmax(axis=1))
    # 20 terms in float64, in another order.
    np.testing.assert_allclose(global_avg_pool(x), x.mean(axis=(2, 3), keepdims=True), rtol=1e-13, atol=1e-15)


def test_global_pools_find_the_channels_at_any_axis(rng):
    x = rng.normal(size=(2, 4, 5, 3))
    assert global_max_pool(x, channel_axis=-1).shape == global_avg_pool(x, channel_axis=-1).shape == (2, 1, 1, 3)
    np.testing.assert_array_equal(global_max_pool(x, channel_axis=-1).squeeze(), x.max(axis=(1, 2)))


@pytest.mark.parametrize("output_size", [2, 3])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_adaptive_avg_pool_keeps_the_dtype(dtype, output_size):
    x = np.ones((1, 1, 4, 4), dtype)
    y = adaptive_avg_pool(x, output_size)
    assert y.dtype == adaptive_avg_pool_backward(y, x.shape).dtype == dtype


@pytest.mark.parametrize("shape", [(1, 1, 97, 97), (1, 1, 31, 31, 31)])
@pytest.mark.parametrize("output_size", [1, 2])
def test_adaptive_avg_pool_does_not_sum_in_half_precision(shape, output_size):
    # Bins of over 2,048 ones, equal and unequal: float16 alone stops counting there.
    x = np.ones(shape, np.float16)
    np.testing.assert_array_equal(
        adaptive_avg_pool(x, output_size), np.ones((1, 1) + (output_size,) * (len(shape) - 2))
    )


@pytest.mark.parametrize("offset", [0, 0.1, 100])
@pytest.mark.parametrize("output_size", [1, 2, 9])
def test_adaptive_avg_pool_sum_is_within_two_units_of_its_terms(output_size, offset, rng):
    x = (rng.normal(size=(2, 2, 301, 257)) * (offset != 0.1) + offset).astype(np.float32)
    exact = adaptive_avg_pool(x.astype(float), output_size)
    terms = adaptive_avg_pool(np.abs(x.astype(float)), output_size)
    assert (np.abs(adaptive_avg_pool(x, output_size) - exact) <= 2 * np.finfo(np.float32).eps * terms).all()


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
@pytest.mark.parametrize("output_size", [3, (5, 2), 1])
def test_adaptive_pools_channel_axis_moves_channels_only(output_size, channel_axis, rng):
    x = rng.integers(-4, 5, (2, 3, 5, 6)).astype(float)
    moved = np.moveaxis(x, 1, channel_axis)
    y, indices = adaptive_max_pool(moved, output_size, return_indices=True, channel_axis=channel_axis)
    expected, expected_indices = adaptive_max_pool(x, output_size, return_indices=True)
    np.testing.assert_array_equal(np.moveaxis(y, channel_axis, 1), expected)
    np.testing.assert_array_equal(np.moveaxis(indices, channel_axis, 1), expected_indices)
    grad_input = adaptive_max_pool_backward(y, indices, moved.shape, channel_axis=channel_axis)
    np.testing.assert_array_equal(
        np.moveaxis(grad_input, channel_axis, 1), adaptive_max_pool_backward(expected, expected_indices, x.shape)
    )
    means = adaptive_avg_pool(moved, output_size, channel_axis=channel_axis)
    np.testing.assert_array_equal(np.moveaxis(means, channel_axis, 1), adaptive_avg_pool(x, output_size))
    grad_input = adaptive_avg_pool_backward(y, moved.shape, channel_axis=channel_axis)
    np.testing.assert_array_equal(
        np.moveaxis(grad_input, channel_axis, 1), adaptive_avg_pool_backward(expected, x.shape)
    )


@pytest.mark.parametrize("output_size", [3, 2])
def test_adaptive_pools_every_layout_equals_its_copy(output_size, rng):
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
        y, indices = adaptive_max_pool(view, output_size, return_indices=True)
        expected, expected_indices = adaptive_max_pool(copy, output_size, return_indices=True)
        np.testing.assert_array_equal(y, expected, err_msg=name)
        np.testing.assert_array_equal(indices, expected_indices, err_msg=name)
        means = adaptive_avg_pool(view, output_size)
        np.testing.assert_array_equal(means, adaptive_avg_pool(copy, output_size), err_msg=name)
        shape = (4, 6, 10, 12)
        grad_output = view[:, :, :output_size, :output_size]
        np.testing.assert_array_equal(
            adaptive_avg_pool_backward(grad_output, (*view.shape[:2], *shape[2:])),
            adaptive_avg_pool_backward(grad_output.astype(np.float32, order="C"), (*view.shape[:2], *shape[2:])),
        )


@pytest.mark.parametrize("pool", [adaptive_max_pool, adaptive_avg_pool])
@pytest.mark.parametrize("output_size", [(None, None), 3, 4])
def test_adaptive_pools_output_is_never_the_input(pool, output_size):
    x = np.ones((1, 1, 4, 4))
    assert not np.shares_memory(pool(x, output_size), x)


@pytest.mark.parametrize("output_size", [2, 3])
def test_adaptive_pools_empty_batch_works(output_size):
    x = np.zeros((0, 3, 4, 4))
    y = adaptive_avg_pool(x, output_size)
    assert y.shape == adaptive_max_pool(x, output_size).shape == (0, 3, output_size, output_size)
    assert adaptive_avg_pool_backward(y, x.shape).shape == x.shape


REFUSED = {
    "zero": (0, ValueError, r"output_size must be at least 1 .*; got output_size=0"),
    "negative": ((2, -1), ValueError, r"output_size must be at least 1 .*; got output_size=\(2, -1\)"),
    "negative beside none": ((None, -1), ValueError, r"got output_size=\(None, -1\)"),
    "float": (2.0, TypeError, r"got output_size=2\.0"),
    "bool": (True, TypeError, r"got output_size=True"),
    "holds float": ((None, 2.5), TypeError, r"output_size must hold integers; got output_size=\(None, 2\.5\)"),
    "none": (None, TypeError, r"got output_size=None"),
    "one entry": ((2,), ValueError, r"x must have shape \(N, C, L\); got shape \(1, 1, 4, 4\)"),
    "huge": (2**40, ValueError, r"at most 2147483647; got output_size=1099511627776"),
}  # fmt: skip


@pytest.mark.parametrize("pool", [adaptive_max_pool, adaptive_avg_pool])
@pytest.mark.parametrize("name", REFUSED)
def test_adaptive_pools_refuse(pool, name):
    output_size, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        pool(np.zeros((1, 1, 4, 4)), output_size)


@pytest.mark.parametrize("pool", [adaptive_max_pool, adaptive_avg_pool])
@pytest.mark.parametrize("shape", [(2, 0, 4, 4), (2, 1, 0, 4)])
def test_adaptive_pools_refuse_empty_channels_and_planes(pool, shape):
    with pytest.raises(ValueError, match=r"empty channel or spatial axes; got shape"):
        pool(np.zeros(shape), 2)


def test_adaptive_avg_pool_refuses_integers():
    with pytest.raises(TypeError, match=r"got x\.dtype=int64"):
        adaptive_avg_pool(np.zeros((1, 1, 4, 4), int), 2)


def test_adaptive_max_pool_refuses_a_flag_that_is_none():
    with pytest.raises(TypeError, match=r"return_indices must be True or False; got return_indices=1"):
        adaptive_max_pool(np.zeros((1, 1, 4, 4)), 2, return_indices=1)


def test_adaptive_avg_pool_backward_refuses_other_planes():
    with pytest.raises(
        ValueError, match=r"samples and channels of input_shape; got shape \(1, 2, 3\), input_shape=\(1, 1, 5\)"
    ):
        adaptive_avg_pool_backward(np.zeros((1, 2, 3)), (1, 1, 5))
    with pytest.raises(ValueError, match=r"grad_output must not have empty .*; got shape \(1, 1, 0\)"):
        adaptive_avg_pool_backward(np.zeros((1, 1, 0)), (1, 1, 5))


def test_adaptive_max_pool_backward_refuses_hostile_indices():
    for index in (5, -2):
        with pytest.raises(ValueError, match=rf"indices must lie between -1 and 4, .*; got {index}"):
            adaptive_max_pool_backward(np.ones((1, 1, 1)), np.array([[[index]]]), (1, 1, 5))


def test_adaptive_avg_pool_backward_of_infinities_does_not_warn():
    grad_output = np.array([[[np.inf, -np.inf, 1.0]]])
    found = adaptive_avg_pool_backward(grad_output, (1, 1, 5))
    np.testing.assert_array_equal(found, [[[np.inf, np.nan, -np.inf, -np.inf, 0.5]]])


def test_adaptive_avg_pool_backward_beyond_float16_is_infinite():
    # Four bins over two elements: each element is a bin twice.
    found = adaptive_avg_pool_backward(np.full((1, 1, 4), 65504, np.float16), (1, 1, 2))
    np.testing.assert_array_equal(found, np.full((1, 1, 2), np.inf, np.float16))
