"""Routes of tensors: those of the same values in an array."""

import numpy as np
import pytest
import torch

from course_lib import max_pool, routing
from course_lib.routing import Routes

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def _values(dtype=torch.float64):
    return torch.randperm(50, generator=torch.Generator().manual_seed(0)).reshape(1, 2, 5, 5).to(dtype)


def _same(left, right):
    for name in ("output_index", "input_index", "weight"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_max_routes_of_a_tensor_are_those_of_its_values(dtype):
    x = _values(dtype).requires_grad_()
    _same(routing.max_routes(x, 3, 2), routing.max_routes(x.detach().double().numpy(), 3, 2))


def test_lp_routes_of_a_tensor_are_those_of_its_values():
    _same(routing.lp_routes(_values(), 2, 2), routing.lp_routes(_values().numpy(), 2, 2))


def test_avg_routes_take_a_tensor_for_its_shape():
    _same(routing.avg_routes(_values(), 2), routing.avg_routes((1, 2, 5, 5), 2))


def test_conv_routes_take_tensors():
    weight = torch.rand(3, 2, 2, 2)
    _same(routing.conv_routes(_values(), weight), routing.conv_routes((1, 2, 5, 5), weight.numpy()))


def test_routes_from_indices_take_a_tensor():
    x = _values().requires_grad_()
    y, indices = max_pool(x, 2, return_indices=True)
    y.backward(grad_output := torch.rand(y.shape, dtype=torch.float64))
    torch.testing.assert_close(Routes.from_indices(indices, x.shape).backward(grad_output), x.grad, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_backward_of_routes_returns_what_it_was_given(dtype):
    grad_input = routing.avg_routes((1, 1, 4, 4), 2).backward(torch.ones(1, 1, 2, 2, dtype=dtype))
    torch.testing.assert_close(grad_input, torch.full((1, 1, 4, 4), 0.25, dtype=dtype), rtol=0, atol=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_density_of_a_tensor(dtype):
    assert routing.density(torch.tensor([0, 6, 0, 0]).to(dtype).requires_grad_()) == 0.25


def test_density_says_that_a_meta_tensor_has_no_values():
    with pytest.raises(ValueError, match="must have values"):
        routing.density(torch.zeros(3, device="meta"))
