"""The small networks: who computes them makes no difference, and the NumPy layers are right."""

import numpy as np
import pytest

from course_lib.experiments import Settings, digits
from course_lib.experiments import numpy_layers as layer
from course_lib.experiments.networks import NETWORKS, initial_parameters
from course_lib.experiments.training import Training
from course_lib.gradcheck import check_gradient

DATA = digits()
X, Y = DATA.x_train[:6], DATA.y_train[:6]


def training(functions=None, **settings):
    """A variant in float64 before its first step."""
    return Training(Settings(**{"precision": "float64", **settings}), 3, functions or {})


@pytest.mark.parametrize("pooling", ["max", "average"])
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("backend", ["naive", "vectorised", "yours"])
def test_gradients_by_numpy_are_those_by_pytorch(backend, network, pooling):
    theirs = training(network=network, pooling=pooling).gradients(X, Y, pools=True)
    ours = training(network=network, pooling=pooling, backend=backend).gradients(X, Y, pools=True)
    assert list(ours.parameters) == list(theirs.parameters)
    for name, gradient in theirs.parameters.items():
        # Sums of up to 400 terms of size one, in another order.
        np.testing.assert_allclose(ours.parameters[name], gradient, rtol=0, atol=1e-14)
    for our_pair, their_pair in zip(ours.around_pools, theirs.around_pools, strict=True):
        for our, their in zip(our_pair, their_pair, strict=True):
            np.testing.assert_allclose(our, their, rtol=0, atol=1e-14)


@pytest.mark.parametrize("backend", ["vectorised", "framework"])
def test_gradients_keep_those_around_the_poolings_only_when_asked(backend):
    assert training(backend=backend).gradients(X, Y).around_pools == ()


@pytest.mark.parametrize("backend", ["naive", "vectorised", "framework"])
@pytest.mark.parametrize("network", NETWORKS)
def test_values_have_the_shapes_of_the_network(backend, network):
    variant = training(backend=backend, network=network)
    found = {name: value.shape for name, value in variant.network.values(variant.parameters, X).items()}
    assert found == NETWORKS[network].value_shapes(len(X))


@pytest.mark.parametrize("network", NETWORKS)
def test_parameters_have_the_shapes_of_the_network(network):
    found = {name: array.shape for name, array in initial_parameters(NETWORKS[network], 0).items()}
    assert found == NETWORKS[network].parameter_shapes()


@pytest.mark.parametrize(("network", "number"), [("one block", 610), ("two blocks", 1898)])
def test_parameters_are_as_many_as_by_hand(network, number):
    # One block: 6·9 + 6 + 54·10 + 10. Two blocks: 8·9 + 8 + 16·8·9 + 16 + 64·10 + 10.
    assert sum(array.size for array in initial_parameters(NETWORKS[network], 0).values()) == number


@pytest.mark.parametrize("backend", ["naive", "vectorised"])
def test_ten_steps_by_numpy_end_where_pytorch_ends(backend):
    ours, theirs = training(backend=backend), training()
    for first in range(0, 60, 6):
        for variant in (ours, theirs):
            variant.step(DATA.x_train[first : first + 6], DATA.y_train[first : first + 6])
    for name, array in theirs.parameters.items():
        np.testing.assert_allclose(ours.parameters[name], array, rtol=0, atol=1e-12)


def test_yours_calls_the_learners_functions():
    called = []

    def conv2d(x, weight, bias):
        called.append("forward")
        return layer.layers("vectorised", "max", {}).conv2d(x, weight, bias)

    training(backend="yours", functions={"conv2d": conv2d}).gradients(X, Y)
    assert called == ["forward", "forward"]


def test_linear_backward_is_the_slope(rng):
    x, weight, bias = rng.normal(size=(3, 4)), rng.normal(size=(2, 4)), rng.normal(size=2)
    assert check_gradient(layer.linear, lambda g, x, w, b: layer.linear_backward(g, x, w), x, weight, bias).passed


def test_relu_backward_stops_at_zero_and_below():
    np.testing.assert_array_equal(layer.relu_backward(np.full(3, 5.0), np.array([-1.0, 0.0, 2.0])), [0, 0, 5])


def test_cross_entropy_of_equal_logits_is_the_logarithm_of_the_classes():
    assert layer.cross_entropy(np.full((2, 10), 7.0), np.array([0, 9])) == pytest.approx(np.log(10), rel=1e-15)


def test_cross_entropy_of_large_logits_does_not_overflow():
    assert layer.cross_entropy(np.array([[1e4, 0.0]]), np.array([1])) == pytest.approx(1e4)


def test_cross_entropy_backward_is_the_slope(rng):
    logits, y = rng.normal(size=(4, 5)), np.array([0, 4, 2, 2])
    report = check_gradient(
        lambda x: np.array(layer.cross_entropy(x, y)), lambda g, x: g * layer.cross_entropy_backward(x, y), logits
    )
    assert report.passed, report
