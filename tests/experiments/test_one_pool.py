"""The network with one pool learns from its backward."""

import numpy as np

from course_lib import max_pool_backward
from course_lib.experiments import train_one_pool


def test_train_one_pool_reads_nearly_all_digits_with_the_right_backward():
    assert train_one_pool(max_pool_backward, seed=0) > 0.94


def test_train_one_pool_reads_fewer_when_the_pool_sends_the_gradient_to_the_wrong_places():
    def elsewhere(grad_output, indices, shape):
        return -max_pool_backward(grad_output, indices, shape)

    assert train_one_pool(elsewhere, seed=0) < 0.94


def test_train_one_pool_gives_the_same_for_the_same_seed():
    shares = [train_one_pool(max_pool_backward, seed=1) for _ in range(2)]
    np.testing.assert_equal(*shares)
