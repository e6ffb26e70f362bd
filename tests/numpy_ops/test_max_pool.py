"""Max pooling against numbers worked by hand, the loops and PyTorch."""

import numpy as np
import pytest

from course_lib import loops, max_pool, max_pool_backward
from tests.geometries import GEOMETRIES, VALUES, batch, geometry_id

GRID = np.array([[1.0, 5.0, 2.0], [4.0, 3.0, 9.0], [8.0, 7.0, 6.0]])[None, None]
IN_TORCH = [geometry for geometry in GEOMETRIES if geometry.in_torch]
DTYPES = [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int16, np.int32, np.int64]


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_max_pool_equals_loops(geometry, values, rng):
    x = batch(values, rng, geometry)
    for ours, theirs in zip(*(ops.max_pool(x, **geometry.arguments, return_indices=True) for ops in (loops, _numpy())),
                            strict=True):  # fmt: skip
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("geometry", IN_TORCH, ids=geometry_id)
def test_max_pool_equals_torch(geometry, values, rng):
    torch = pytest.importorskip("torch")
    x = batch(values, rng, geometry)
    y, indices = max_pool(x, **geometry.arguments, return_indices=True)
    pool = getattr(torch.nn.functional, f"max_pool{len(geometry.size)}d")
    leaf = torch.tensor(x, requires_grad=True)
    expected, expected_indices = pool(leaf, **geometry.arguments, return_indices=True)
    np.testing.assert_array_equal(y, expected.detach().numpy())
    np.testing.assert_array_equal(indices, expected_indices.numpy())
    # Equal zeros may differ in sign.
    signed = y == 0
    np.testing.assert_array_equal(np.signbit(y[signed]), np.signbit(expected.detach().numpy()[signed]))
    grad_output = rng.integers(-9, 9, y.shape).astype(float)
    expected.backward(torch.tensor(grad_output))
    np.testing.assert_array_equal(max_pool_backward(grad_output, indices, x.shape), leaf.grad.numpy())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_max_pool_keeps_every_dtype(geometry, dtype, rng):
    x = np.abs(batch("tied", rng, geometry)).astype(dtype)
    y, indices = max_pool(x, **geometry.arguments, return_indices=True)
    expected, expected_indices = loops.max_pool(x, **geometry.arguments, return_indices=True)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(indices, expected_indices)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_max_pool_backward_equals_loops(geometry, rng):
    x = batch("tied", rng, geometry)
    y, indices = max_pool(x, **geometry.arguments, return_indices=True)
    grad_output = rng.integers(-9, 9, y.shape).astype(float)
    np.testing.assert_array_equal(
        max_pool_backward(grad_output, indices, x.shape), loops.max_pool_backward(grad_output, indices, x.shape)
    )


def _numpy():
    from course_lib import numpy_ops

    return numpy_ops


def test_max_pool_by_hand():
    y, indices = max_pool(GRID, 2, stride=1, return_indices=True)
    np.testing.assert_array_equal(y, [[[[5, 9], [8, 9]]]])
    np.testing.assert_array_equal(indices, [[[[1, 5], [6, 5]]]])


def test_max_pool_backward_adds_where_windows_overlap():
    _, indices = max_pool(GRID, 2, stride=1, return_indices=True)
    grad_output = np.array([[[[1.0, 10.0], [100.0, 1000.0]]]])
    expected = [[[[0, 1, 0], [0, 0, 1010], [100, 0, 0]]]]
    np.testing.assert_array_equal(max_pool_backward(grad_output, indices, GRID.shape), expected)


def test_max_pool_first_of_equals_wins():
    assert max_pool(np.zeros((1, 1, 3, 3)), 3, return_indices=True)[1].item() == 0


def test_max_pool_last_nan_wins():
    x = np.array([[np.nan, np.inf], [np.nan, 3.0]])[None, None]
    y, indices = max_pool(x, 2, return_indices=True)
    assert np.isnan(y.item())
    assert indices.item() == 2


def test_max_pool_padding_never_wins_all_negative():
    np.testing.assert_array_equal(max_pool(np.full((1, 1, 2, 2), -7.0), 2, padding=1), np.full((1, 1, 2, 2), -7.0))


def test_max_pool_window_without_real_tap_has_no_index():
    x = np.array([[[[5.0]]]])
    y, indices = max_pool(x, 2, stride=1, padding=1, dilation=2, return_indices=True)
    assert (y.item(), indices.item()) == (-np.inf, -1)
    np.testing.assert_array_equal(max_pool_backward(np.ones_like(y), indices, x.shape), np.zeros_like(x))


def test_max_pool_integer_window_without_real_tap_is_type_minimum():
    assert max_pool(np.array([[[[5]]]], np.int8), 2, stride=1, padding=1, dilation=2).item() == -128


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
@pytest.mark.parametrize("geometry", [g for g in GEOMETRIES if len(g.size) == 2], ids=geometry_id)
def test_max_pool_channel_axis_moves_channels_only(geometry, channel_axis, rng):
    x = batch("tied", rng, geometry)
    y, indices = max_pool(x, **geometry.arguments, return_indices=True)
    moved, moved_indices = max_pool(
        np.moveaxis(x, 1, channel_axis), **geometry.arguments, return_indices=True, channel_axis=channel_axis
    )
    np.testing.assert_array_equal(np.moveaxis(moved, channel_axis, 1), y)
    np.testing.assert_array_equal(np.moveaxis(moved_indices, channel_axis, 1), indices)
    grad_output = rng.normal(size=y.shape)
    grad_input = max_pool_backward(
        np.moveaxis(grad_output, 1, channel_axis), moved_indices, np.moveaxis(x, 1, channel_axis).shape,
        channel_axis=channel_axis,
    )  # fmt: skip
    np.testing.assert_array_equal(
        np.moveaxis(grad_input, channel_axis, 1), max_pool_backward(grad_output, indices, x.shape)
    )


def test_max_pool_every_layout_equals_its_copy(rng):
    base = rng.integers(-4, 4, (4, 6, 10, 12)).astype(np.float32)
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
        y, indices = max_pool(view, 3, 2, 1, return_indices=True)
        expected, expected_indices = max_pool(view.astype(np.float32, order="C"), 3, 2, 1, return_indices=True)
        np.testing.assert_array_equal(y, expected, err_msg=name)
        np.testing.assert_array_equal(indices, expected_indices, err_msg=name)


def test_max_pool_output_is_never_the_input():
    x = np.zeros((1, 1, 2, 2))
    assert not np.shares_memory(max_pool(x, 1), x)


def test_max_pool_empty_batch_works():
    y, indices = max_pool(np.zeros((0, 2, 4, 4)), 2, return_indices=True)
    assert y.shape == indices.shape == (0, 2, 2, 2)
    assert max_pool_backward(y, indices, (0, 2, 4, 4)).shape == (0, 2, 4, 4)


def test_max_pool_backward_sums_half_precision_in_float32():
    # 4,761 ones for one element: float16 alone stops counting at 2048.
    grad_output, indices = np.ones((1, 1, 69, 69), np.float16), np.zeros((1, 1, 69, 69), np.int64)
    assert max_pool_backward(grad_output, indices, (1, 1, 2, 2))[0, 0, 0, 0] == np.float16(4761)


HOSTILE = {
    "too large": (np.array([[[[4]]]]), ValueError, r"between -1 and 3.*got 4"),
    "below -1": (np.array([[[[-2]]]]), ValueError, r"between -1 and 3.*got -2"),
    "largest": (np.array([[[[2**63 - 1]]]]), ValueError, r"got 9223372036854775807"),
    "smallest": (np.array([[[[-(2**63)]]]]), ValueError, r"got -9223372036854775808"),
    "float": (np.array([[[[1.0]]]]), TypeError, r"int64 array; got float64"),
    "int32": (np.array([[[[1]]]], np.int32), TypeError, r"int64 array; got int32"),
    "bool": (np.array([[[[True]]]]), TypeError, r"int64 array; got bool"),
    "list": ([[[[1]]]], TypeError, r"int64 array; got list"),
    "wrong shape": (np.zeros((1, 1, 1, 2), np.int64), ValueError, r"\(1, 1, 1, 1\); got shape \(1, 1, 1, 2\)"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_max_pool_backward_refuses_hostile_indices(name):
    indices, error, message = HOSTILE[name]
    with pytest.raises(error, match=message):
        max_pool_backward(np.ones((1, 1, 1, 1)), indices, (1, 1, 2, 2))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 1, 2, 2), r"samples and channels of input_shape; got shape \(1, 1, 1, 1\), input_shape=\(2, 1, 2, 2\)"),
        ((1, 3, 2, 2), r"samples and channels"),
        ((1, 1, 2), r"input_shape must have shape \(N, C, H, W\)"),
        ((1, 1, 0, 2), r"empty channel or spatial axes"),
    ],
)
def test_max_pool_backward_refuses_other_shapes(shape, message):
    with pytest.raises(ValueError, match=message):
        max_pool_backward(np.ones((1, 1, 1, 1)), np.zeros((1, 1, 1, 1), np.int64), shape)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_max_pool_backward_of_one_small_plane_equals_loops(dtype, rng):
    indices = rng.integers(-1, 12, (1, 1, 5, 6))
    grad_output = rng.integers(-9, 9, indices.shape).astype(dtype)
    expected = loops.max_pool_backward(grad_output, indices, (1, 1, 3, 4))
    found = max_pool_backward(grad_output, indices, (1, 1, 3, 4))
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == dtype


@pytest.mark.parametrize("wrong", [-2, 12, 2**62])
def test_max_pool_backward_of_one_small_plane_refuses_indices_outside(wrong):
    indices = np.array([[[[0, wrong]]]])
    with pytest.raises(ValueError, match=f"got {wrong}"):
        max_pool_backward(np.ones((1, 1, 1, 2)), indices, (1, 1, 3, 4))
