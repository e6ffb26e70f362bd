"""PyTorch's convolution from arrays to arrays."""

import numpy as np
import pytest

from course_lib import conv, conv_backward

framework = pytest.importorskip("course_lib.experiments.framework")
pytest.importorskip("torch")


@pytest.fixture
def arrays(rng):
    """An upstream gradient, an input, a weight and a bias."""
    return (
        rng.normal(size=(2, 4, 2, 4)),
        rng.normal(size=(2, 3, 5, 6)),
        rng.normal(size=(4, 3, 3, 3)),
        rng.normal(size=4),
    )


def test_conv2d_is_the_courses(arrays):
    _, x, weight, bias = arrays
    # Sums in another order differ by rounding.
    np.testing.assert_allclose(framework.conv2d(x, weight, bias, 1, 1), conv(x, weight, bias, 1, 1), rtol=1e-12)


def test_conv2d_gradients_are_the_courses(arrays):
    grad_output, x, weight, bias = arrays
    found = framework.conv2d_gradients(grad_output, x, weight, bias, 2, (0, 2))
    for yours, expected in zip(found, conv_backward(grad_output, x, weight, 2, (0, 2)), strict=True):
        np.testing.assert_allclose(yours, expected, rtol=1e-10, atol=1e-12)


def test_conv2d_gradients_of_no_bias_are_none(arrays):
    grad_output, x, weight, _ = arrays
    assert framework.conv2d_gradients(grad_output, x, weight, None, 2, (0, 2))[2] is None
