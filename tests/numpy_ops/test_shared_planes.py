"""Blocks that share planes: two threads write the same elements, and must write the same values."""

import numpy as np
import pytest

import course_lib


@pytest.fixture
def two_threads():
    course_lib.set_threads(2)
    yield
    course_lib.set_threads(None)


def _alone(function):
    """The result of one thread."""
    course_lib.set_threads(1)
    result = function()
    course_lib.set_threads(2)
    return result


@pytest.mark.parametrize("repeat", range(4))
def test_avg_pool_threads_divide_once(two_threads, rng, repeat):
    x = rng.random((1, 33, 300, 300)).astype(np.float32)

    def pool():
        return course_lib.avg_pool(x, 3, 2, 1, count_include_pad=False)

    np.testing.assert_allclose(pool(), _alone(pool), rtol=1e-6)


@pytest.mark.parametrize("repeat", range(4))
def test_max_pool_threads_find_the_same_indices(two_threads, rng, repeat):
    x = rng.random((1, 5, 9, 200_000)).astype(np.float32)

    def pool():
        return course_lib.max_pool(x, (1, 3), (2, 1), return_indices=True)[1]

    np.testing.assert_array_equal(pool(), _alone(pool))
