"""Max pooling on tensors against NumPy: the same bits, whatever the window, the values and the layout."""

import numpy as np
import pytest
import torch

from course_lib import max_pool, max_pool_backward, numpy_ops
from tests.geometries import GEOMETRIES, VALUES, batch, geometry_id

every_geometry = pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
DTYPES = [torch.float16, torch.float32, torch.float64, torch.int8, torch.uint8, torch.int64, torch.uint16, torch.uint64]


def _pair(geometry, values, rng, dtype=np.float64):
    """The same input as an array and as a tensor."""
    x = batch(values, rng, geometry, dtype)
    return x, torch.from_numpy(x.copy())


@pytest.mark.parametrize("values", VALUES)
@every_geometry
def test_max_pool_equals_numpy(geometry, values, rng):
    x, tensor = _pair(geometry, values, rng)
    y, indices = max_pool(tensor.requires_grad_(), **geometry.arguments, return_indices=True)
    expected, expected_indices = numpy_ops.max_pool(x, **geometry.arguments, return_indices=True)
    np.testing.assert_array_equal(y.detach().numpy(), expected)
    np.testing.assert_array_equal(np.signbit(y.detach().numpy()), np.signbit(expected))
    np.testing.assert_array_equal(indices.numpy(), expected_indices)
    grad_output = rng.normal(size=y.shape)
    y.backward(torch.from_numpy(grad_output))
    np.testing.assert_array_equal(
        tensor.grad.numpy(), numpy_ops.max_pool_backward(grad_output, expected_indices, x.shape)
    )


@every_geometry
def test_max_pool_without_indices_gives_the_same_values(geometry, rng):
    x, tensor = _pair(geometry, "inf-nan", rng)
    expected = max_pool(tensor, **geometry.arguments, return_indices=True)[0]
    torch.testing.assert_close(max_pool(tensor, **geometry.arguments), expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_max_pool_keeps_every_dtype(dtype, rng):
    x = torch.from_numpy(rng.integers(0, 9, (2, 3, 6, 7))).to(dtype)
    y, indices = max_pool(x, 3, 2, 1, return_indices=True)
    expected, expected_indices = numpy_ops.max_pool(x.numpy(), 3, 2, 1, return_indices=True)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y.numpy(), expected)
    np.testing.assert_array_equal(indices.numpy(), expected_indices)


def test_max_pool_of_bfloat16_equals_float32(rng):
    x = torch.from_numpy(rng.normal(size=(3, 2, 9, 8))).bfloat16().requires_grad_()
    y, indices = max_pool(x, 3, 2, 1, return_indices=True)
    expected, expected_indices = max_pool(x.detach().float(), 3, 2, 1, return_indices=True)
    torch.testing.assert_close(y.detach().float(), expected, rtol=0, atol=0)
    torch.testing.assert_close(indices, expected_indices, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_max_pool_backward_sums_half_precision_in_float32(dtype):
    # 4,761 ones for one element: float16 alone stops counting at 2048, bfloat16 at 256.
    grad_output = torch.ones(1, 1, 69, 69, dtype=dtype)
    indices = torch.zeros(1, 1, 69, 69, dtype=torch.int64)
    expected = torch.tensor(4761.0).to(dtype)
    assert max_pool_backward(grad_output, indices, (1, 1, 2, 2))[0, 0, 0, 0] == expected


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
def test_max_pool_channel_axis_moves_channels_only(channel_axis, rng):
    x = torch.from_numpy(rng.integers(-4, 4, (2, 3, 6, 7)).astype(np.float32))
    y, indices = max_pool(x, 3, 2, 1, return_indices=True)
    moved, moved_indices = max_pool(x.movedim(1, channel_axis), 3, 2, 1, return_indices=True, channel_axis=channel_axis)
    torch.testing.assert_close(moved.movedim(channel_axis, 1), y, rtol=0, atol=0)
    torch.testing.assert_close(moved_indices.movedim(channel_axis, 1), indices, rtol=0, atol=0)
    grad_input = max_pool_backward(moved, moved_indices, x.movedim(1, channel_axis).shape, channel_axis=channel_axis)
    expected = max_pool_backward(y, indices, x.shape)
    torch.testing.assert_close(grad_input.movedim(channel_axis, 1), expected, rtol=0, atol=0)


def test_max_pool_shares_the_tensors_memory_with_numpy(monkeypatch):
    seen = []
    kernel = numpy_ops.max_pool

    def spy(x, *args, **kwargs):
        seen.append(x)
        return kernel(x, *args, **kwargs)

    monkeypatch.setattr(numpy_ops, "max_pool", spy)
    x = torch.zeros(1, 1, 4, 4)
    max_pool(x, 2)
    assert seen[0].ctypes.data == x.data_ptr()


def test_max_pool_output_may_be_changed_in_place():
    x = torch.tensor([[[[1.0, -4.0], [-3.0, -2.0]]]], requires_grad=True)
    y = max_pool(x, 1)
    torch.relu_(y).sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([[[[1.0, 0.0], [0.0, 0.0]]]]))


def test_max_pool_sees_an_index_changed_before_the_backward():
    y, indices = max_pool(torch.zeros(1, 1, 4, 4, requires_grad=True), 2, return_indices=True)
    indices.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_max_pool_reads_the_value_of_a_negated_view():
    x = torch.tensor([[[1 + 2j, 3 - 4j]]]).conj().imag
    assert x.is_neg()
    assert max_pool(x, 2).item() == 4


def test_max_pool_backward_refuses_an_index_outside_the_plane():
    with pytest.raises(ValueError, match=r"indices must lie between -1 and 3.*got 4"):
        max_pool_backward(torch.ones(1, 1, 1, 1), torch.full((1, 1, 1, 1), 4), (1, 1, 2, 2))
