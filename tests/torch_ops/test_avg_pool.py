"""Average pooling on tensors against NumPy, whose kernel it is on the CPU."""

import numpy as np
import pytest
import torch

from course_lib import avg_pool, avg_pool_backward, numpy_ops
from tests.geometries import FINITE, GEOMETRIES, batch, geometry_id

every_geometry = pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
DIVISORS = {"pads count": {}, "pads do not": {"count_include_pad": False}, "override": {"divisor_override": -3}}


@pytest.mark.parametrize("divisor", DIVISORS)
@every_geometry
def test_avg_pool_equals_numpy(geometry, divisor, rng):
    x = batch("nan", rng, geometry)
    options = geometry.arguments | DIVISORS[divisor]
    tensor = torch.from_numpy(x.copy()).requires_grad_()
    y = avg_pool(tensor, **options)
    np.testing.assert_array_equal(y.detach().numpy(), numpy_ops.avg_pool(x, **options))
    grad_output = rng.normal(size=y.shape)
    y.backward(torch.from_numpy(grad_output))
    expected = numpy_ops.avg_pool_backward(grad_output, x.shape, **options)
    np.testing.assert_array_equal(tensor.grad.numpy(), expected)
    found = avg_pool_backward(torch.from_numpy(grad_output), x.shape, **options)
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("values", FINITE)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_avg_pool_sums_half_precision_in_float32(dtype, values, rng):
    x = torch.from_numpy(rng.normal(size=(2, 3, 64, 64)) + 1).to(dtype)
    # The float32 sum, rounded once: half of the type's own spacing is the error of that rounding.
    expected = avg_pool(x.double(), 64)
    spacing = torch.finfo(dtype).eps * expected.abs()
    assert (avg_pool(x, 64).double() - expected).abs().le(spacing / 2 * 1.01).all()


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
def test_avg_pool_channel_axis_moves_channels_only(channel_axis, rng):
    x = torch.from_numpy(rng.integers(-4, 4, (2, 3, 6, 7)).astype(np.float32))
    y = avg_pool(x, 3, 2, 1)
    moved = avg_pool(x.movedim(1, channel_axis), 3, 2, 1, channel_axis=channel_axis)
    torch.testing.assert_close(moved.movedim(channel_axis, 1), y)
    shape = x.movedim(1, channel_axis).shape
    grad_input = avg_pool_backward(moved, shape, 3, 2, 1, channel_axis=channel_axis)
    torch.testing.assert_close(grad_input.movedim(channel_axis, 1), avg_pool_backward(y, x.shape, 3, 2, 1))


def test_avg_pool_refuses_integers():
    with pytest.raises(TypeError, match=r"x must have dtype .*; got x\.dtype=torch\.int64"):
        avg_pool(torch.zeros(1, 1, 4, 4, dtype=torch.int64), 2)
