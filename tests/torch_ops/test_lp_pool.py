"""Power-average pooling on tensors against NumPy, and its plain kernels too."""

import numpy as np
import pytest
import torch

from course_lib import lp_pool_backward, numpy_ops
from course_lib.torch_ops import lp_pool as own
from course_lib.torch_ops.lp_pool import compose_backward
from course_lib.torch_ops.plain import lp_pool as plain
from tests.geometries import GEOMETRIES, batch, geometry_id
from tests.torch_ops.twins import assert_same, pair
from tests.torch_ops.windows_of import packed

every_power = pytest.mark.parametrize("power", [1, 2, 3, 0.5])
every_geometry = pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)


@every_power
@every_geometry
def test_lp_pool_equals_numpy(geometry, power, rng):
    # With zeros, where the norm has a corner.
    x = batch("tied", rng, geometry)
    expected, found, tensor = pair("lp_pool", x, power, **geometry.arguments)
    assert_same(found, expected)
    grad_output = rng.normal(size=expected.shape)
    found.backward(torch.from_numpy(grad_output))
    wanted = numpy_ops.lp_pool_backward(grad_output, x, power, **geometry.arguments)
    assert_same(tensor.grad, wanted)
    again = lp_pool_backward(torch.from_numpy(grad_output), tensor.detach(), power, **geometry.arguments)
    assert_same(again, wanted)


@every_power
@every_geometry
def test_plain_lp_pool_equals_numpy(geometry, power, rng):
    x = batch("tied", rng, geometry)
    tensor = torch.from_numpy(x.copy())
    y = plain.lp_pool(tensor, float(power), *packed(geometry))
    # The same steps in float64; powers may differ in the last place.
    np.testing.assert_allclose(y.numpy(), numpy_ops.lp_pool(x, power, **geometry.arguments), rtol=1e-13)
    grad_output = rng.normal(size=y.shape)
    expected = numpy_ops.lp_pool_backward(grad_output, x, power, **geometry.arguments)
    for backward in (plain.lp_pool_backward, compose_backward):
        found = backward(torch.from_numpy(grad_output), tensor, float(power), *packed(geometry))
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("power", [2, 40])
def test_second_gradients_do_not_overflow(power):
    x = torch.tensor([[[1e30, 2e30, 3e30, -4e30]]], requires_grad=True)
    first = torch.autograd.grad(own(x, power, 2).sum(), x, create_graph=True)[0]
    expected = numpy_ops.lp_pool_backward(np.ones((1, 1, 2), np.float32), x.detach().numpy(), power, 2)
    np.testing.assert_allclose(first.detach().numpy(), expected, rtol=1e-6)
    assert torch.autograd.grad(first.sum(), x)[0].isfinite().all()
