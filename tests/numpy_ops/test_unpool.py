"""Max unpooling against numbers worked by hand, the loops and PyTorch."""

import numpy as np
import pytest

from course_lib import loops, max_pool, max_unpool, max_unpool_backward
from tests.geometries import GEOMETRIES, VALUES, batch, geometry_id

# Windows that do not overlap: each index stands once.
APART = [g for g in GEOMETRIES if g.name in ("1d-tiles", "1d-gaps", "tiles", "remainder", "gaps", "one-tap", "3d-tiles",
                                             "one-tap-strided", "pairs-no-real-tap", "whole-plane")]  # fmt: skip


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("geometry", APART, ids=geometry_id)
def test_max_unpool_equals_loops_and_torch(geometry, values, rng):
    torch = pytest.importorskip("torch")
    x = batch(values, rng, geometry)
    y, indices = max_pool(x, **geometry.arguments, return_indices=True)
    found = max_unpool(y, indices, x.shape)
    np.testing.assert_array_equal(found, loops.max_unpool(y, indices, x.shape))
    grad_output = rng.integers(-9, 10, x.shape).astype(float)
    grad_input = max_unpool_backward(grad_output, indices)
    np.testing.assert_array_equal(grad_input, loops.max_unpool_backward(grad_output, indices))
    if (indices < 0).any():
        return
    leaf = torch.tensor(y, requires_grad=True)
    unpool = getattr(torch.ops.aten, "max_unpool3d" if len(geometry.size) == 3 else "max_unpool2d")
    lead = (slice(None), slice(None), None) if len(geometry.size) == 1 else ()
    size = (1, *geometry.size) if len(geometry.size) == 1 else geometry.size
    numbers = ([1, 1, 1], [0, 0, 0]) if len(geometry.size) == 3 else ()
    expected = unpool(leaf[lead], torch.tensor(indices)[lead], size, *numbers).reshape(x.shape)
    np.testing.assert_array_equal(found, expected.detach().numpy())
    expected.backward(torch.tensor(grad_output))
    np.testing.assert_array_equal(grad_input, leaf.grad.numpy())


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_max_unpool_last_of_duplicates_equals_loops(geometry, rng):
    x = batch("tied", rng, geometry)
    y, indices = max_pool(x, **geometry.arguments, return_indices=True)
    y = rng.integers(-9, 10, y.shape).astype(float)
    found = max_unpool(y, indices, x.shape, duplicates="last")
    np.testing.assert_array_equal(found, loops.max_unpool(y, indices, x.shape, duplicates="last"))
    grad_output = rng.integers(-9, 10, x.shape).astype(float)
    np.testing.assert_array_equal(
        max_unpool_backward(grad_output, indices), loops.max_unpool_backward(grad_output, indices)
    )


def test_max_unpool_by_hand():
    x, indices = np.array([[[[9.0, 8.0], [7.0, 6.0]]]]), np.array([[[[6, 8], [16, 18]]]])
    expected = np.zeros((1, 1, 5, 5))
    expected[0, 0, [1, 1, 3, 3], [1, 3, 1, 3]] = [9, 8, 7, 6]
    np.testing.assert_array_equal(max_unpool(x, indices, (1, 1, 5, 5)), expected)


def test_max_unpool_backward_reads_where_values_were_put():
    grad_output = np.arange(25.0).reshape(1, 1, 5, 5)
    indices = np.array([[[[6, 8], [16, -1]]]])
    np.testing.assert_array_equal(max_unpool_backward(grad_output, indices), [[[[6, 8], [16, 0]]]])


def test_max_unpool_index_minus_one_writes_nothing():
    y = max_unpool(np.array([[[5.0, 7.0]]]), np.array([[[-1, -1]]]), (1, 1, 3))
    np.testing.assert_array_equal(y, np.zeros((1, 1, 3)))


def test_max_unpool_refuses_duplicates():
    with pytest.raises(ValueError, match=r"indices must not hold an element of a plane twice; got 2 twice\..*\"last\""):
        max_unpool(np.ones((1, 2, 3)), np.array([[[0, 1, 2], [2, 2, 0]]]), (1, 2, 4))


def test_max_unpool_one_index_in_two_planes_is_no_duplicate():
    y = max_unpool(np.array([[[5.0], [7.0]]]), np.array([[[1], [1]]]), (1, 2, 2))
    np.testing.assert_array_equal(y, [[[0, 5], [0, 7]]])


def test_max_unpool_overwritten_value_gets_no_gradient():
    x, indices = np.array([[[5.0, 7.0, 3.0]]]), np.array([[[1, 1, 0]]])
    np.testing.assert_array_equal(max_unpool(x, indices, (1, 1, 3), duplicates="last"), [[[3, 7, 0]]])
    np.testing.assert_array_equal(max_unpool_backward(np.array([[[1.0, 10.0, 100.0]]]), indices), [[[0, 10, 1]]])


def test_max_unpool_backward_is_the_transpose_of_the_forward(rng):
    indices = rng.integers(-1, 12, (2, 3, 5, 4))
    x, grad_output = rng.integers(-9, 10, (2, 3, 5, 4)).astype(float), rng.integers(-9, 10, (2, 3, 4, 3)).astype(float)
    y = max_unpool(x, indices, grad_output.shape, duplicates="last")
    assert (y * grad_output).sum() == (x * max_unpool_backward(grad_output, indices)).sum()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int64])
def test_max_unpool_keeps_every_dtype(dtype):
    y = max_unpool(np.array([[[5, 7]]], dtype), np.array([[[2, 0]]]), (1, 1, 3))
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, [[[7, 0, 5]]])


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
def test_max_unpool_channel_axis_moves_channels_only(channel_axis, rng):
    x = rng.integers(-4, 5, (2, 3, 4, 6)).astype(float)
    y, indices = max_pool(x, 2, return_indices=True)
    moved = [np.moveaxis(array, 1, channel_axis) for array in (y, indices, x)]
    found = max_unpool(moved[0], moved[1], moved[2].shape, channel_axis=channel_axis)
    np.testing.assert_array_equal(np.moveaxis(found, channel_axis, 1), max_unpool(y, indices, x.shape))
    grad_input = max_unpool_backward(moved[2], moved[1], channel_axis=channel_axis)
    np.testing.assert_array_equal(np.moveaxis(grad_input, channel_axis, 1), max_unpool_backward(x, indices))


def test_max_unpool_last_does_not_depend_on_where_channels_stand():
    # In memory order the last would be another one.
    x, indices = np.array([[[[1.0, 2.0], [3.0, 4.0]]]]), np.zeros((1, 1, 2, 2), np.int64)
    for axis in (0, 1, 2, 3):
        moved = [np.moveaxis(array, 1, axis) for array in (x, indices)]
        y = max_unpool(*moved, moved[0].shape, duplicates="last", channel_axis=axis)
        assert y.ravel()[0] == 4


def test_max_unpool_every_layout_equals_its_copy(rng):
    base = rng.permutation(4 * 6 * 10 * 12).reshape(4, 6, 10, 12) % 100
    places = np.broadcast_to(rng.permutation(200)[:120].reshape(10, 12), base.shape)
    for view in (np.asfortranarray(base), base[:, :, ::-1], np.broadcast_to(base[:1], base.shape), base.astype(">i8")):
        view.setflags(write=False)
        indices = np.asfortranarray(places)
        indices.setflags(write=False)
        expected = max_unpool(view.astype(np.int64, order="C"), places.copy(), (4, 6, 20, 10))
        np.testing.assert_array_equal(max_unpool(view, indices, (4, 6, 20, 10)), expected)


def test_max_unpool_empty_batch_works():
    y = max_unpool(np.zeros((0, 2, 2, 2)), np.zeros((0, 2, 2, 2), np.int64), (0, 2, 4, 4))
    assert y.shape == (0, 2, 4, 4)
    assert max_unpool_backward(y, np.zeros((0, 2, 2, 2), np.int64)).shape == (0, 2, 2, 2)


def test_max_unpool_output_is_never_the_input():
    x = np.ones((1, 1, 1))
    assert not np.shares_memory(max_unpool(x, np.zeros((1, 1, 1), np.int64), (1, 1, 1)), x)


HOSTILE = {
    "too large": (np.array([[[0, 3]]]), ValueError, r"indices must lie between -1 and 2, .*; got 3"),
    "below -1": (np.array([[[0, -2]]]), ValueError, r"between -1 and 2, .*; got -2"),
    "largest": (np.array([[[0, 2**63 - 1]]]), ValueError, r"got 9223372036854775807"),
    "smallest": (np.array([[[0, -(2**63)]]]), ValueError, r"got -9223372036854775808"),
    "float": (np.array([[[0.0, 1.0]]]), TypeError, r"indices must be an int64 array; got float64"),
    "int32": (np.array([[[0, 1]]], np.int32), TypeError, r"got int32"),
    "list": ([[[0, 1]]], TypeError, r"got list"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_max_unpool_refuses_hostile_indices(name):
    indices, error, message = HOSTILE[name]
    with pytest.raises(error, match=message):
        max_unpool(np.ones((1, 1, 2)), indices, (1, 1, 3))
    with pytest.raises(error, match=message):
        max_unpool_backward(np.ones((1, 1, 3)), indices)


INDICES = np.zeros((1, 1, 2), np.int64)
REFUSED = {
    "planes": (dict(output_shape=(1, 2, 3)), ValueError,
               r"samples and channels of x; got output_shape=\(1, 2, 3\), x of shape \(1, 1, 2\)"),
    "rank": (dict(output_shape=(1, 1, 3, 3)), ValueError,
             r"output_shape must have shape \(N, C, L\); got shape \(1, 1, 3, 3\)"),
    "negative": (dict(output_shape=(1, 1, -3)), ValueError,
                 r"at least 0 and at most .*; got output_shape=\(1, 1, -3\)"),
    "integer": (dict(output_shape=3), TypeError, r"output_shape must be a shape; got output_shape=3"),
    "empty": (dict(output_shape=(1, 1, 0)), ValueError, r"empty channel or spatial axes; got shape \(1, 1, 0\)"),
    "word": (dict(output_shape=(1, 1, 3), duplicates="first"), ValueError,
             r"duplicates must be 'raise' or 'last'; got duplicates='first'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_max_unpool_refuses(name):
    arguments, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        max_unpool(np.ones((1, 1, 2)), INDICES, **arguments)


def test_max_unpool_refuses_indices_of_another_shape():
    with pytest.raises(ValueError, match=r"indices must have the shape of x, \(1, 1, 3\); got shape \(1, 1, 2\)"):
        max_unpool(np.ones((1, 1, 3)), INDICES, (1, 1, 3))
    with pytest.raises(
        ValueError, match=r"samples and channels of grad_output, of shape \(1, 2, 3\); got shape \(1, 1, 2\)"
    ):
        max_unpool_backward(np.ones((1, 2, 3)), INDICES)


def test_max_unpool_refuses_complex_values():
    with pytest.raises(TypeError, match=r"got x\.dtype=complex128"):
        max_unpool(np.ones((1, 1, 2), complex), INDICES, (1, 1, 3))
