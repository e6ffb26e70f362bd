"""Training: what is the same for every variant, and loss scaling."""

import numpy as np
import pytest

from course_lib.experiments import Settings, digits
from course_lib.experiments.scaling import PATIENCE, START, Scale, unscale
from course_lib.experiments.training import Training, batches

DATA = digits()
X, Y = DATA.x_train[:32], DATA.y_train[:32]


def after(steps, **settings):
    """The parameters after some steps on one batch."""
    variant = Training(Settings(**settings), 0, {})
    for _ in range(steps):
        variant.step(X, Y)
    return variant


def test_every_variant_of_a_seed_begins_with_the_same_parameters():
    first, second = Training(Settings(pooling="max"), 1, {}), Training(Settings(backend="naive"), 1, {})
    for name, array in first.parameters.items():
        np.testing.assert_array_equal(array, second.parameters[name])


def test_seeds_begin_with_other_parameters():
    first, second = (Training(Settings(), seed, {}).parameters["conv1.weight"] for seed in (1, 2))
    assert not np.array_equal(first, second)


def test_batches_depend_on_the_seed_alone():
    first, second = list(batches(4, 9, 5, 20)), list(batches(4, 9, 5, 20))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, list(batches(5, 9, 5, 20)))


def test_batches_show_every_sample_once_before_any_comes_again():
    np.testing.assert_array_equal(np.sort(np.ravel(list(batches(0, 4, 5, 20)))), np.arange(20))


def test_step_is_gradient_descent_with_momentum():
    variant = Training(Settings(precision="float64", learning_rate=0.5, momentum=0.9), 0, {})
    before = variant.parameters["linear.bias"].copy()
    first = variant.unscaled(X, Y)[0]["linear.bias"]
    variant.step(X, Y)
    np.testing.assert_allclose(variant.parameters["linear.bias"], before - 0.5 * first, rtol=1e-12)
    second = variant.unscaled(X, Y)[0]["linear.bias"]
    variant.step(X, Y)
    wanted = before - 0.5 * first - 0.5 * (0.9 * first + second)
    np.testing.assert_allclose(variant.parameters["linear.bias"], wanted, rtol=1e-12)


@pytest.mark.parametrize("backend", ["vectorised", "framework"])
def test_a_scale_that_is_a_power_of_two_changes_nothing_in_float32(backend):
    plain, scaled = after(5, backend=backend), after(5, backend=backend, loss_scale=2**12)
    for name, array in plain.parameters.items():
        np.testing.assert_array_equal(array, scaled.parameters[name])


def test_a_loss_factor_changes_nothing_in_float64_but_rounding():
    plain, small = after(5, precision="float64"), after(5, precision="float64", loss_factor=1e-5)
    for name, array in plain.parameters.items():
        np.testing.assert_allclose(small.parameters[name], array, rtol=0, atol=1e-12)


def test_small_gradients_vanish_in_float16_without_a_scale_and_not_with_it():
    zeros = []
    for scale in (1, 2.0**16):
        variant = Training(Settings(precision="float16", loss_factor=1e-5, loss_scale=scale), 0, {})
        found, _ = variant.unscaled(X, Y)
        zeros.append(np.mean(found["conv2.weight"] == 0))
    assert zeros[1] + 0.1 < zeros[0]


def test_a_step_with_an_infinite_gradient_is_skipped():
    variant = Training(Settings(precision="float16", loss_scale=2.0**30), 0, {})
    before = {name: array.copy() for name, array in variant.parameters.items()}
    variant.step(X, Y)
    assert variant.scale.skipped == 1
    for name, array in variant.parameters.items():
        np.testing.assert_array_equal(array, before[name])


def test_a_dynamic_scale_is_halved_when_a_gradient_is_not_finite():
    scale = Scale.of(Settings(loss_scale="dynamic"))
    scale.note(False)
    assert scale.value == START / 2


def test_a_dynamic_scale_is_doubled_after_many_finite_steps():
    scale = Scale.of(Settings(loss_scale="dynamic"))
    for _ in range(PATIENCE - 1):
        scale.note(True)
    assert scale.value == START
    scale.note(True)
    assert scale.value == 2 * START


def test_a_fixed_scale_stays():
    scale = Scale.of(Settings(loss_scale=8))
    scale.note(False)
    assert scale.value == 8


def test_unscale_divides_in_float32_so_that_nothing_vanishes():
    # 2⁻²⁴ is the smallest number of float16.
    (found,), finite = unscale([np.array([2.0**-24], np.float16)], 2.0**16)
    assert found[0] == 2.0**-40
    assert finite


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_unscale_sees_what_is_not_finite(bad):
    assert not unscale([np.zeros(2), np.array([1.0, bad])], 2.0)[1]


def test_half_precision_leaves_the_parameters_in_float32():
    assert {array.dtype.name for array in after(1, precision="bfloat16").parameters.values()} == {"float32"}


def test_classes_are_learnt():
    variant = after(30, learning_rate=0.05)
    assert np.mean(variant.classes(X) == Y) > 0.9
