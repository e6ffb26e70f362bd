"""The kernels of plain torch operations, which serve any device and are the reference of the others, against NumPy."""

import numpy as np
import pytest
import torch

from course_lib import numpy_ops
from course_lib.torch_ops import conv_kernels, windows
from course_lib.torch_ops.plain import adaptive_pool, avg_pool, max_pool, max_taps, segments
from tests.geometries import GEOMETRIES, batch, geometry_id
from tests.torch_ops.windows_of import packed

every_geometry = pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)


def _pooled(geometry, rng, values="inf-nan", dtype=np.float64):
    """An input, NumPy's winners, and the same input as a tensor."""
    x = batch(values, rng, geometry, dtype)
    return x, *numpy_ops.max_pool(x, **geometry.arguments, return_indices=True), torch.from_numpy(x.copy())


@pytest.mark.parametrize("values", ["tied", "inf-nan", "all-minus-inf", "signed-zero"])
@every_geometry
def test_plain_max_pool_equals_numpy(geometry, values, rng):
    _, expected, expected_indices, tensor = _pooled(geometry, rng, values)
    y, indices = max_pool.max_pool(tensor, *packed(geometry))
    np.testing.assert_array_equal(y.numpy(), expected)
    np.testing.assert_array_equal(indices.numpy(), expected_indices)


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint8, np.uint16, np.uint32, np.uint64, np.int64])
def test_plain_max_pool_orders_every_dtype(dtype, rng):
    low = np.iinfo(dtype).min if np.dtype(dtype).kind in "iu" else -9
    x = rng.integers(0, 9, (2, 3, 6, 6)).astype(dtype) + np.asarray(low, dtype)
    x[0, 0, :3] = np.iinfo(dtype).max if np.dtype(dtype).kind in "iu" else 9
    y, indices = max_pool.max_pool(torch.from_numpy(x), [3], [2], [1], "", [1], False)
    expected, expected_indices = numpy_ops.max_pool(x, 3, 2, 1, return_indices=True)
    np.testing.assert_array_equal(y.numpy(), expected)
    np.testing.assert_array_equal(indices.numpy(), expected_indices)


@every_geometry
def test_segment_sums_equal_numpys_scatter(geometry, rng):
    x, y, indices, _ = _pooled(geometry, rng, "tied")
    # Whole numbers add exactly in any order.
    grad_output = rng.integers(-9, 9, y.shape).astype(float)
    found = segments.scatter_add(torch.from_numpy(grad_output), torch.from_numpy(indices), x.shape, False)
    np.testing.assert_array_equal(found.numpy(), numpy_ops.max_pool_backward(grad_output, indices, x.shape))


def test_segment_sums_of_one_element_that_wins_everything(rng):
    grad_output = torch.from_numpy(rng.normal(size=(1, 1, 37, 41)))
    indices = torch.full((1, 1, 37, 41), 2)
    found = segments.scatter_add(grad_output, indices, (1, 1, 2, 2), False)
    torch.testing.assert_close(found[0, 0, 1, 0], grad_output.sum())
    assert found.count_nonzero() == 1


@every_geometry
def test_gather_is_the_transpose_of_the_scatter(geometry, rng):
    x, _, indices, tensor = _pooled(geometry, rng, "distinct")
    u = torch.from_numpy(rng.integers(-9, 9, indices.shape).astype(float))
    places = torch.from_numpy(indices)
    scattered = segments.scatter_add(u, places, x.shape, False)
    # Whole numbers again: both sides are exact.
    assert (scattered * tensor * 2).sum() == (u * segments.gather(tensor * 2, places, False)).sum()


@pytest.mark.parametrize("values", ["tied", "inf-nan", "all-minus-inf"])
@every_geometry
def test_taps_name_the_winners(geometry, values, rng):
    x, expected, expected_indices, tensor = _pooled(geometry, rng, values)
    y, taps = max_taps.max_pool_taps(tensor, *packed(geometry))
    axes = windows.pool_axes(geometry.size, packed(geometry))
    np.testing.assert_array_equal(y.numpy(), expected)
    np.testing.assert_array_equal(max_taps.indices_of(taps, axes).numpy(), expected_indices)


@every_geometry
def test_gradient_by_taps_equals_numpys_bit_for_bit(geometry, rng):
    x, y, indices, tensor = _pooled(geometry, rng, "tied", np.float32)
    taps = max_taps.max_pool_taps(tensor, *packed(geometry))[1]
    grad_output = rng.normal(size=y.shape).astype(np.float32)
    found = max_taps.max_taps_backward(torch.from_numpy(grad_output), taps, x.shape, *packed(geometry))
    np.testing.assert_array_equal(found.numpy(), numpy_ops.max_pool_backward(grad_output, indices, x.shape))


@pytest.mark.parametrize("include", [True, False])
@pytest.mark.parametrize("divisor", [None, -3])
@every_geometry
def test_plain_avg_pool_equals_numpy(geometry, include, divisor, rng):
    x = batch("distinct", rng, geometry, np.float32)
    options = geometry.arguments | {"count_include_pad": include, "divisor_override": divisor}
    y = avg_pool.avg_pool(torch.from_numpy(x), *packed(geometry), include, divisor)
    # Both are the float64 value, rounded once or with a few additions in float32.
    np.testing.assert_allclose(y.numpy(), numpy_ops.avg_pool(x, **options), rtol=1e-6, atol=1e-5)
    grad_output = rng.normal(size=y.shape).astype(np.float32)
    found = avg_pool.avg_pool_backward(torch.from_numpy(grad_output), x.shape, *packed(geometry), include, divisor)
    expected = numpy_ops.avg_pool_backward(grad_output, x.shape, **options)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kernel", ["max_pool", "avg_pool"])
def test_plain_kernels_keep_channels_last(kernel):
    x = torch.zeros(2, 3, 6, 6).to(memory_format=torch.channels_last)
    window = ([3], [2], [1], "", [1], False)
    y = max_pool.max_pool(x, *window)[0] if kernel == "max_pool" else avg_pool.avg_pool(x, *window, True, None)
    assert y.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_plain_sums_of_half_precision_are_in_float32(dtype):
    # Added in the type itself, the two ones are lost on the large number.
    large = 2 / torch.finfo(dtype).eps
    values, window = torch.tensor([[[large, 1, 1, 2]]], dtype=dtype), ([4], [1], [0], "", [1], False)
    assert avg_pool.avg_pool(values, *window, True, None).item() == (large + 4) / 4
    # Element 3 of seven is read by all four windows.
    spread = avg_pool.avg_pool_backward(values, (1, 1, 7), *window, True, 1)
    assert spread[0, 0, 3] == large + 4
    weight, upstream = values, torch.ones(1, 1, 4, dtype=dtype)
    x = upstream.new_zeros(1, 1, 7)
    assert conv_kernels.plain_conv_backward(upstream, x, weight, [1], [0, 0], [1], 1)[0][0, 0, 3] == large + 4
    assert adaptive_pool.adaptive_avg_pool(values, [1]).item() == (large + 4) / 4
