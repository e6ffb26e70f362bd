"""Convolution on tensors against NumPy, and its plain kernels too; autocast and mixed precision."""

import numpy as np
import pytest
import torch

from course_lib import arguments, avg_pool, conv, conv_backward, conv_transpose, conv_transpose_backward, numpy_ops
from course_lib.torch_ops import conv_kernels
from course_lib.torch_ops.conv import packed, transpose_packed
from tests.geometries import geometry_id
from tests.numpy_ops.test_conv import FEW, GROUPS, NUMBERED, _case, _transposed
from tests.torch_ops.twins import assert_same, leaf, whole

every_group = pytest.mark.parametrize("groups", GROUPS, ids=str)


@every_group
@pytest.mark.parametrize("geometry", FEW, ids=geometry_id)
def test_conv_equals_numpy(geometry, groups, rng):
    *arrays, options = _case(geometry, groups, rng)
    leaves = [leaf(array) for array in arrays]
    y = conv(*leaves, **options)
    assert_same(y, numpy_ops.conv(*arrays, **options))
    grad_output = whole(rng, y.shape)
    y.backward(torch.from_numpy(grad_output))
    expected = numpy_ops.conv_backward(grad_output, *arrays[:2], **options)
    found = conv_backward(torch.from_numpy(grad_output), *(one.detach() for one in leaves[:2]), **options)
    for tensor, ours, theirs in zip(leaves, found, expected, strict=True):
        np.testing.assert_array_equal(tensor.grad.numpy(), theirs)
        np.testing.assert_array_equal(ours.numpy(), theirs)


@every_group
@pytest.mark.parametrize("geometry", FEW, ids=geometry_id)
def test_plain_conv_equals_numpy(geometry, groups, rng):
    x, weight, bias, options = _case(geometry, groups, rng)
    tensors = [torch.from_numpy(array) for array in (x, weight, bias)]
    count = options.pop("groups")
    window = (*packed(arguments.conv_axes(x.shape[2:], weight.shape, **options)), count)
    y = conv_kernels.plain_conv(*tensors, *window)
    # Whole numbers are exact in any order.
    np.testing.assert_array_equal(y.numpy(), numpy_ops.conv(x, weight, bias, **options, groups=count))
    grad_output = whole(rng, y.shape)
    found = conv_kernels.plain_conv_backward(torch.from_numpy(grad_output), *tensors[:2], *window)
    expected = numpy_ops.conv_backward(grad_output, x, weight, **options, groups=count)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs)
    moments = conv_kernels.plain_moments(torch.from_numpy(grad_output), tensors[0], weight.shape, *window)
    np.testing.assert_array_equal(moments.numpy(), expected[1])


@pytest.mark.parametrize("output_padding", [0, "most"])
@pytest.mark.parametrize("geometry", [g for g in NUMBERED if g.name != "large-window"], ids=geometry_id)
def test_conv_transpose_equals_numpy(geometry, output_padding, rng):
    x, weight, bias, options = _transposed(geometry, (4, 2, 2), output_padding, rng)
    leaves = [leaf(array) for array in (x, weight, bias)]
    y = conv_transpose(*leaves, **options)
    assert_same(y, numpy_ops.conv_transpose(x, weight, bias, **options))
    grad_output = whole(rng, y.shape)
    y.backward(torch.from_numpy(grad_output))
    expected = numpy_ops.conv_transpose_backward(grad_output, x, weight, **options)
    found = conv_transpose_backward(torch.from_numpy(grad_output), *(one.detach() for one in leaves[:2]), **options)
    for tensor, ours, theirs in zip(leaves, found, expected, strict=True):
        np.testing.assert_array_equal(tensor.grad.numpy(), theirs)
        np.testing.assert_array_equal(ours.numpy(), theirs)


@pytest.mark.parametrize("output_padding", [0, "most"])
@pytest.mark.parametrize("geometry", [g for g in NUMBERED if g.name != "large-window"], ids=geometry_id)
def test_plain_conv_transpose_equals_numpy(geometry, output_padding, rng):
    x, weight, bias, options = _transposed(geometry, (4, 2, 2), output_padding, rng)
    tensors = [torch.from_numpy(array) for array in (x, weight, bias)]
    count = options["groups"]
    window = {name: value for name, value in options.items() if name != "groups"}
    axes = arguments.conv_transpose_axes(x.shape[2:], weight.shape, **window)
    given = (*transpose_packed(axes, options.get("output_padding", 0)), count)
    y = conv_kernels.plain_transpose(*tensors, *given)
    np.testing.assert_array_equal(y.numpy(), numpy_ops.conv_transpose(x, weight, bias, **options))
    grad_output = whole(rng, y.shape)
    found = conv_kernels.plain_transpose_backward(torch.from_numpy(grad_output), *tensors[:2], *given)
    expected = numpy_ops.conv_transpose_backward(grad_output, x, weight, **options)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_conv_sums_half_precision_in_float32(dtype):
    # 4,761 ones: float16 alone stops counting at 2048, bfloat16 at 256.
    x, weight = torch.ones(1, 1, 69, 69, dtype=dtype), torch.ones(1, 1, 69, 69, dtype=dtype)
    expected = torch.tensor(4761.0).to(dtype)
    assert conv(x, weight) == expected
    assert conv_kernels.plain_conv(x, weight, None, [1, 1], [0, 0, 0, 0], [1, 1], 1) == expected
    gradient = conv_backward(torch.ones(3, 1, 1, 1, dtype=dtype), x.expand(3, -1, -1, -1), weight)
    assert (gradient[1] == 3).all()
    assert all(part.dtype == dtype for part in gradient)


def test_autocast_casts_convolution_as_the_framework_does():
    x, weight = torch.ones(1, 2, 4, 4), torch.ones(3, 2, 2, 2, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        y = conv(x, weight)
        expected = torch.nn.functional.conv2d(x, weight)
    assert y.dtype == expected.dtype == torch.bfloat16
    y.sum().backward()
    assert weight.grad.dtype == torch.float32


def test_autocast_leaves_float64_and_pooling_alone():
    x = torch.ones(1, 2, 4, 4)
    with torch.autocast("cpu", torch.bfloat16):
        assert conv(x.double(), torch.ones(3, 2, 2, 2).double()).dtype == torch.float64
        assert avg_pool(x, 2).dtype == torch.float32


def test_conv_keeps_channels_last():
    x = torch.ones(1, 2, 4, 4).to(memory_format=torch.channels_last)
    assert conv(x, torch.ones(3, 2, 2, 2)).is_contiguous(memory_format=torch.channels_last)


def test_conv_of_an_empty_batch_has_zero_gradients():
    x, weight = torch.ones(0, 2, 4, 4, requires_grad=True), torch.ones(3, 2, 2, 2, requires_grad=True)
    conv(x, weight).sum().backward()
    assert not weight.grad.any()
    assert x.grad.shape == x.shape


def test_plain_conv_takes_samples_in_parts(monkeypatch, rng):
    x, weight = torch.from_numpy(whole(rng, (5, 2, 4, 4))), torch.from_numpy(whole(rng, (3, 2, 2, 2)))
    window = ([1, 1], [0, 0, 0, 0], [1, 1], 1)
    expected = conv_kernels.plain_conv(x, weight, None, *window)
    grad_output = torch.from_numpy(whole(rng, expected.shape))
    gradients = conv_kernels.plain_conv_backward(grad_output, x, weight, *window)
    monkeypatch.setattr(conv_kernels.plain, "BLOCK", 256)
    torch.testing.assert_close(conv_kernels.plain_conv(x, weight, None, *window), expected, rtol=0, atol=0)
    for found, wanted in zip(conv_kernels.plain_conv_backward(grad_output, x, weight, *window), gradients, strict=True):
        torch.testing.assert_close(found, wanted, rtol=0, atol=0)
