"""The checker against every wrong gradient of the catalogue: which it refuses, and which no gradient can show."""

import numpy as np
import pytest

from course_lib import avg_pool, conv, max_pool
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.misconceptions.model import Case
from course_lib.gradcheck import check_gradient

# These choose another subgradient at a tie or at 0, which is no error: the checker passes them and reports kinks.
ANOTHER_SUBGRADIENT = {"max_tie_split", "max_tie_last", "max_tie_column_first", "relu_ge"}
# These give the right gradient of every finite float input: no check of a gradient can see them.
NOT_IN_A_GRADIENT = {"max_nan_first", "max_nan_lost", "max_nan_skipped", "max_int_dx", "avg_int_dx"}
# These spoil the forward pass alone: the gradient is that of the right one.
IN_THE_FORWARD = {"conv_flip_forward", "conv_last_channel", "conv_bias_forgotten", "conv_bias_many"}


def _spaced(rng, shape, step=0.25):
    return (rng.permutation(int(np.prod(shape))).reshape(shape) - np.prod(shape) / 2) * step


def _inputs(mistake, rng):
    """Inputs that expose mistakes: the smallest known one first, then overlap, ties, borders, batch and channels."""
    yield mistake.smallest.fresh()
    if "weight" in mistake.smallest.arguments:
        yield {"x": _spaced(rng, (2, 2, 5, 6)), "weight": rng.normal(size=(3, 2, 2, 3)), "bias": rng.normal(size=3)}
        return
    window = {"kernel_size": (2, 3), "stride": (1, 2), "padding": (1, 1)}
    yield {"x": _spaced(rng, (2, 3, 5, 6)), **window}
    yield {"x": rng.integers(0, 2, (1, 2, 4, 5)).astype(float), **window}
    # Closer than float16 can tell, farther apart than the step of the check.
    yield {"x": 1 + _spaced(rng, (1, 1, 4, 4), 5e-5), "kernel_size": 2}


def _convolved(x, weight, bias, activation=None, **options):
    y = conv(x, weight, bias, **options)
    return np.maximum(y, 0) if activation == "relu" else y


FORWARDS = {"max pooling": max_pool, "average pooling": avg_pool, "convolution": _convolved}
DIFFERENTIATED = {
    name: mistake for name, mistake in CATALOGUE.items() if mistake.operation and mistake.operation.name in FORWARDS
}
ACCEPTED = ANOTHER_SUBGRADIENT | NOT_IN_A_GRADIENT | IN_THE_FORWARD


def _function(operation, options):
    """The right forward pass, as a function of the arrays."""
    options = {name: value for name, value in options.items() if name != "calls"}
    return lambda *arrays: FORWARDS[operation.name](*arrays, **options)


def _backward(mistake, inputs, options):
    """The gradients as the mistake computes them."""

    def backward(grad_output, *arrays):
        case = Case("", {**dict(zip(inputs, arrays, strict=True)), **options, "grad_output": grad_output})
        results = mistake.results(case)
        return tuple(results["grad_input" if name == "x" else f"grad_{name}"] for name in inputs)

    return backward


def _reports(mistake, rng):
    """A report for each input; None where the mistake raises and so gives no gradient at all."""
    for arguments in _inputs(mistake, rng):
        arguments.pop("grad_output", None)
        inputs = [name for name in ("x", "weight", "bias") if name in arguments]
        arrays = [np.asarray(arguments.pop(name), float) for name in inputs]
        function = _function(mistake.operation, arguments)
        try:
            # A mistake may divide by the zero that it makes.
            with np.errstate(all="ignore"):
                report = check_gradient(function, _backward(mistake, inputs, arguments), *arrays, samples=80)
            yield report
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            yield None


@pytest.mark.parametrize("name", sorted(set(DIFFERENTIATED) - ACCEPTED))
def test_check_gradient_refuses(name, rng):
    reports = list(_reports(DIFFERENTIATED[name], rng))
    assert any(report is None or not report.passed for report in reports), reports


@pytest.mark.parametrize("name", sorted(ANOTHER_SUBGRADIENT))
def test_check_gradient_reports_another_subgradient_as_a_kink(name, rng):
    reports = list(_reports(DIFFERENTIATED[name], rng))
    assert all(report.passed for report in reports)
    assert any(report.kinks for report in reports)


@pytest.mark.parametrize("name", sorted(NOT_IN_A_GRADIENT | IN_THE_FORWARD))
def test_check_gradient_cannot_see(name, rng):
    reports = list(_reports(DIFFERENTIATED[name], rng))
    assert all(report is None or report.passed or not np.isfinite(report.numeric[0]).all() for report in reports)
