"""Adaptive pooling on tensors against NumPy, and its plain kernels too."""

import numpy as np
import pytest
import torch

from course_lib import adaptive_avg_pool_backward, adaptive_max_pool_backward, global_max_pool, numpy_ops, torch_ops
from course_lib.torch_ops.plain import adaptive_pool as plain
from tests.geometries import VALUES, Geometry, batch
from tests.numpy_ops.test_adaptive_pool import SIZES
from tests.torch_ops.twins import assert_same, pair, whole

every_size = pytest.mark.parametrize(("size", "output_size"), SIZES, ids=str)


def _batch(values, rng, size):
    return batch(values, rng, Geometry("adaptive", size, {}))


def _outputs(size, output_size):
    """The output size with None filled in."""
    given = output_size if isinstance(output_size, tuple) else (output_size,) * len(size)
    return [n if o is None else o for n, o in zip(size, given, strict=True)]


@pytest.mark.parametrize("values", VALUES)
@every_size
def test_adaptive_max_pool_equals_numpy(size, output_size, values, rng):
    x = _batch(values, rng, size)
    expected, found, tensor = pair("adaptive_max_pool", x, output_size, return_indices=True)
    for ours, theirs in zip(found, expected, strict=True):
        assert_same(ours, theirs)
    grad_output = rng.normal(size=expected[0].shape)
    found[0].backward(torch.from_numpy(grad_output))
    wanted = numpy_ops.adaptive_max_pool_backward(grad_output, expected[1], x.shape)
    assert_same(tensor.grad, wanted)
    assert_same(adaptive_max_pool_backward(torch.from_numpy(grad_output), found[1], x.shape), wanted)


@every_size
def test_adaptive_avg_pool_equals_numpy(size, output_size, rng):
    x = _batch("nan", rng, size)
    expected, found, tensor = pair("adaptive_avg_pool", x, output_size)
    assert_same(found, expected)
    grad_output = rng.normal(size=expected.shape)
    found.backward(torch.from_numpy(grad_output))
    wanted = numpy_ops.adaptive_avg_pool_backward(grad_output, x.shape)
    assert_same(tensor.grad, wanted)
    assert_same(adaptive_avg_pool_backward(torch.from_numpy(grad_output), x.shape), wanted)


@pytest.mark.parametrize("values", ["tied", "inf-nan", "signed-zero"])
@every_size
def test_plain_adaptive_max_pool_equals_numpy(size, output_size, values, rng):
    x = _batch(values, rng, size)
    found = plain.adaptive_max_pool(torch.from_numpy(x), _outputs(size, output_size))
    expected = numpy_ops.adaptive_max_pool(x, output_size, return_indices=True)
    for ours, theirs in zip(found, expected, strict=True):
        assert_same(ours, theirs)


@every_size
def test_plain_adaptive_avg_pool_equals_numpy(size, output_size, rng):
    x = _batch("distinct", rng, size)
    y = plain.adaptive_avg_pool(torch.from_numpy(x), _outputs(size, output_size))
    # Both sum in float64.
    np.testing.assert_allclose(y.numpy(), numpy_ops.adaptive_avg_pool(x, output_size), rtol=1e-14, atol=1e-12)
    grad_output = whole(rng, y.shape)
    found = plain.adaptive_avg_pool_backward(torch.from_numpy(grad_output), x.shape)
    expected = numpy_ops.adaptive_avg_pool_backward(grad_output, x.shape)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-14, atol=1e-13)


def test_global_max_pool_returns_indices():
    y, indices = global_max_pool(torch.tensor([[[1.0, 5.0, 2.0]]]), return_indices=True)
    assert (y.item(), indices.item()) == (5, 1)


@pytest.mark.parametrize("name", ["adaptive_max_pool", "adaptive_avg_pool"])
def test_adaptive_pool_keeps_channels_last(name):
    x = torch.zeros(2, 3, 6, 6).to(memory_format=torch.channels_last)
    assert getattr(torch_ops, name)(x, 4).is_contiguous(memory_format=torch.channels_last)
