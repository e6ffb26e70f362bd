"""Max unpooling on tensors against NumPy, and its plain kernels too."""

import numpy as np
import pytest
import torch

from course_lib import max_unpool, max_unpool_backward, numpy_ops
from course_lib.torch_ops.plain import unpool as plain
from tests.geometries import GEOMETRIES, batch, geometry_id
from tests.torch_ops.twins import assert_same, leaf, whole


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=geometry_id)
def test_max_unpool_equals_numpy(geometry, rng):
    x = batch("tied", rng, geometry)
    indices = numpy_ops.max_pool(x, **geometry.arguments, return_indices=True)[1]
    values, places = whole(rng, indices.shape), torch.from_numpy(indices)
    expected = numpy_ops.max_unpool(values, indices, x.shape, duplicates="last")
    tensor = leaf(values)
    found = max_unpool(tensor, places, x.shape, duplicates="last")
    assert_same(found, expected)
    assert_same(plain.max_unpool(tensor.detach(), places, x.shape, "last"), expected)
    grad_output = rng.normal(size=x.shape)
    found.backward(torch.from_numpy(grad_output))
    wanted = numpy_ops.max_unpool_backward(grad_output, indices)
    assert_same(tensor.grad, wanted)
    assert_same(max_unpool_backward(torch.from_numpy(grad_output), places), wanted)
    assert_same(plain.max_unpool_backward(torch.from_numpy(grad_output), places), wanted)


def test_plain_max_unpool_refuses_duplicates():
    with pytest.raises(ValueError, match="twice; got 3 twice"):
        plain.max_unpool(torch.ones(1, 1, 3), torch.tensor([[[3, 1, 3]]]), (1, 1, 4), "raise")


def test_plain_max_unpool_lets_minus_one_stand_twice():
    y = plain.max_unpool(torch.tensor([[[5.0, 6.0, 7.0]]]), torch.tensor([[[-1, 2, -1]]]), (1, 1, 4), "raise")
    np.testing.assert_array_equal(y, [[[0, 0, 6, 0]]])


@pytest.mark.parametrize("dtype", [torch.int64, torch.float16, torch.bfloat16], ids=str)
def test_max_unpool_keeps_the_dtype(dtype):
    y = max_unpool(torch.ones(1, 1, 2, dtype=dtype), torch.tensor([[[3, 0]]]), (1, 1, 4))
    assert y.dtype == dtype
    assert y.tolist() == [[[1, 0, 0, 1]]]
