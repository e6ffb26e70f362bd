"""Fractional max pooling on tensors against NumPy, and its plain kernel too."""

import numpy as np
import pytest
import torch

from course_lib import fractional_max_pool, numpy_ops
from course_lib.torch_ops.plain import fractional_pool as plain
from tests.geometries import Geometry, batch
from tests.numpy_ops.test_fractional_pool import SIZES
from tests.torch_ops.twins import assert_same, leaf

every_size = pytest.mark.parametrize(("size", "kernel_size", "output_size"), SIZES, ids=str)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("values", ["distinct", "tied", "inf-nan"])
@every_size
def test_fractional_max_pool_equals_numpy(size, kernel_size, output_size, values, dtype, rng):
    x, samples = batch(values, rng, Geometry("", size, {}), dtype), rng.random((2, 3, len(size))).astype(dtype)
    expected = numpy_ops.fractional_max_pool(x, kernel_size, output_size, samples=samples, return_indices=True)
    tensor, places = leaf(x), torch.from_numpy(samples)
    found = fractional_max_pool(tensor, kernel_size, output_size, samples=places, return_indices=True)
    kernel, outputs = ((v,) * len(size) if isinstance(v, int) else v for v in (kernel_size, output_size))
    ours = plain.fractional_max_pool(tensor.detach(), places, kernel, outputs)
    for own, simple, theirs in zip(found, ours, expected, strict=True):
        assert_same(own, theirs)
        assert_same(simple, theirs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.int32], ids=str)
def test_fractional_max_pool_draws_as_for_arrays(dtype):
    x = torch.arange(2 * 3 * 7 * 8).reshape(2, 3, 7, 8).to(dtype)
    found = fractional_max_pool(x, 2, output_ratio=0.5, rng=np.random.default_rng(5))
    expected = numpy_ops.fractional_max_pool(x.numpy(), 2, output_ratio=0.5, rng=np.random.default_rng(5))
    assert_same(found, expected)


def test_fractional_max_pool_takes_bfloat16():
    x = torch.arange(64.0).reshape(1, 1, 8, 8).bfloat16()
    samples = torch.tensor([[[0.25, 0.75]]]).bfloat16()
    y = fractional_max_pool(x, 2, 4, samples=samples)
    expected = fractional_max_pool(x.float(), 2, 4, samples=samples.float())
    torch.testing.assert_close(y.float(), expected, rtol=0, atol=0)
    assert fractional_max_pool(x, 2, 4).dtype == torch.bfloat16


def test_fractional_max_pool_gradient_goes_to_the_winners(rng):
    x = leaf(rng.permutation(49).astype(float).reshape(1, 1, 7, 7))
    y, indices = fractional_max_pool(x, 3, 4, rng=np.random.default_rng(0), return_indices=True)
    y.sum().backward()
    counts = np.bincount(indices.numpy().ravel(), minlength=49).reshape(1, 1, 7, 7)
    np.testing.assert_array_equal(x.grad.numpy(), counts)


def test_plain_half_precision_never_reads_beyond_the_end():
    # In float16 (i + u) * alpha rounds by up to 2 near 4096.
    x, samples = torch.zeros(1, 1, 6000, dtype=torch.float16), torch.full((1, 1, 1), 0.99, dtype=torch.float16)
    assert plain.fractional_max_pool(x, samples, (2,), (3001,))[1].max() <= 5998


def test_fractional_max_pool_draws_stay_below_one_in_bfloat16():
    class AlmostOne(np.random.Generator):
        def random(self, shape):
            return np.full(shape, np.nextafter(1, 0))

    y = fractional_max_pool(torch.zeros(1, 1, 8).bfloat16(), 1, 5, rng=AlmostOne(np.random.PCG64(0)))
    assert y.shape == (1, 1, 5)
