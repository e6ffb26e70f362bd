"""The front door finds the backend, however the arguments are written."""

import numpy as np
import torch

import course_lib


def test_tensor_is_found_among_keywords_in_any_order():
    assert course_lib.max_pool(kernel_size=2, x=torch.zeros(1, 1, 4, 4)).shape == (1, 1, 2, 2)


def test_array_is_found_among_keywords_in_any_order():
    assert course_lib.max_pool(kernel_size=2, x=np.zeros((1, 1, 4, 4))).shape == (1, 1, 2, 2)


def test_parameter_counts_as_a_tensor():
    assert type(course_lib.avg_pool(torch.nn.Parameter(torch.zeros(1, 1, 4, 4)), 2)) is torch.Tensor


def test_window_may_be_a_tensor_beside_an_array():
    assert course_lib.max_pool(np.zeros((1, 1, 4, 4)), torch.tensor(2)).shape == (1, 1, 2, 2)
