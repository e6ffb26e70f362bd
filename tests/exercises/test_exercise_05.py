"""Exercise 5: what each property judges, its stars, and that what is right keeps its points."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.exercises import check, faults
from course_lib.exercises.ex05_convolution_by_hand import EXERCISE, EXTREMES, FAST, LOOPS
from course_lib.exercises.misconceptions import CATALOGUE, CONV
from course_lib.exercises.misconceptions.model import combination
from course_lib.exercises.no_loops import lines_run
from tests.exercises import unusual_conv  # noqa: F401
from tests.exercises.solutions import RIGHT

FOURIER, EINSUM = (
    next(s.functions for s in RIGHT if s.exercise == 5 and word in s.described) for word in ("Fourier", "einsum")
)


def all_cases():
    """Every case of every property, once."""
    judged = [each.judged if hasattr(each, "judged") else each for each in EXERCISE.properties]
    parts = [part for each in judged for part in getattr(each, "parts", (each,))]
    parts = [part for each in parts for part in getattr(each, "parts", (each,))]
    return {case.name: case for part in parts for case in getattr(part, "cases", ())}.values()


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_expected_arrays_are_those_of_the_loops(case):
    given, expected = case.fresh(), CONV.results(case)
    named = {name: given[name] for name in ("stride", "padding", "dilation", "groups") if name in given}
    y = loops.conv(given["x"], given["weight"], given["bias"], **named)
    gradients = loops.conv_backward(given["grad_output"], given["x"], given["weight"], **named)
    # Whole numbers: the sums are exact.
    for name, array in zip(("y", "grad_input", "grad_weight", "grad_bias"), (y, *gradients), strict=True):
        np.testing.assert_array_equal(expected[name], array)


def with_mistake(name):
    """The result for functions with one mistake, and its verdicts by property."""
    result = check(5, **LOOPS.with_mistakes(CATALOGUE[name].changes))
    return result, {verdict.name: verdict for verdict in result.verdicts}


@pytest.mark.parametrize(
    ("mistake", "lost"),
    [
        ("conv_dA_overwrite", {"input gradient, overlap"}),
        ("conv_dA_last_q", {"input gradient, samples and channels"}),
        ("conv_dW_last_sample", {"kernel gradient, samples", "kernel gradient, channels"}),
        ("conv_bias_mean", {"bias gradient"}),
        ("conv_flip_forward", {"forward"}),
        ("conv_flip_dA",
         {"input gradient of one window", "input gradient, overlap", "input gradient, samples and channels"}),
    ],
)  # fmt: skip
def test_a_mistake_costs_the_points_of_what_it_breaks_and_no_others(mistake, lost):
    _, verdicts = with_mistake(mistake)
    assert {name for name, verdict in verdicts.items() if not verdict.passed and not verdict.star} == lost


@pytest.mark.parametrize(
    ("mistake", "star"),
    [("conv_stride_ignored", "stride"), ("conv_crop_shift", "padding"), ("conv_dilation_ignored", "dilation"),
     ("conv_groups_interleaved", "groups")],
)  # fmt: skip
def test_a_mistake_in_a_star_costs_that_star_alone(mistake, star):
    result, verdicts = with_mistake(mistake)
    assert result.passed
    assert {name for name, verdict in verdicts.items() if verdict.kind.startswith("wrong")} == {star}


def test_functions_without_the_parameters_pass_and_have_not_begun_with_the_stars():
    result = check(5, **EINSUM)
    assert (result.passed, result.points, result.max_points) == (True, 16, 27)
    assert {verdict.kind for verdict in result.verdicts if verdict.star} == {faults.NOT_STARTED}


def test_a_gradient_that_is_none_is_not_started_and_the_others_count():
    def backward(grad_output, x, weight):
        return None, EINSUM["conv2d_backward"](grad_output, x, weight)[1], None

    result = check(5, conv2d=EINSUM["conv2d"], conv2d_backward=backward)
    kinds = {verdict.name: verdict.kind for verdict in result.verdicts}
    assert kinds["kernel gradient"] == faults.PASSED
    assert kinds["bias gradient"] == kinds["input gradient, overlap"] == faults.NOT_STARTED


def test_the_array_that_is_wrong_is_named():
    _, verdicts = with_mistake("conv_dW_mean")
    assert verdicts["kernel gradient"].message.startswith("wrong value: element (0, 0, 0, 0) of grad_weight is ")


def test_a_bias_gradient_of_one_number_is_named():
    def backward(grad_output, x, weight):
        return *EINSUM["conv2d_backward"](grad_output, x, weight)[:2], grad_output.sum()

    result = check(5, conv2d=EINSUM["conv2d"], conv2d_backward=backward)
    assert result.misconceptions == ("conv_bias_all",)
    assert result.verdicts[1].message == "wrong shape of grad_bias: yours (), expected (1,)"


@pytest.mark.parametrize("functions", [EINSUM, FOURIER], ids=["einsum", "Fourier"])
def test_a_second_implementation_without_loops_passes(functions):
    result = check(5, **dict(zip(FAST.both, functions.values(), strict=True)))
    assert result.verdicts[-1].passed, result


@pytest.mark.parametrize(
    "loop", ["for", "comprehension", "generator", "map", "while", "vectorize"],
)  # fmt: skip
def test_a_loop_of_any_kind_is_found(loop):
    def conv2d_vectorised(x, weight, bias):
        y = EINSUM["conv2d"](x, weight, bias)
        samples = range(len(y))
        if loop == "for":
            for n in samples:
                y[n] *= 1
        elif loop == "comprehension":
            y = np.array([y[n] for n in samples])
        elif loop == "generator":
            y = np.array(list(y[n] for n in samples))  # noqa: C400
        elif loop == "map":
            y = np.array(list(map(lambda n: y[n], samples)))  # noqa: C417
        elif loop == "while":
            n = 0
            while n < len(y):
                n += 1
        else:
            y = np.vectorize(lambda value: value)(y)
        return y

    backward = EINSUM["conv2d_backward"]
    result = check(5, conv2d_vectorised=conv2d_vectorised, conv2d_vectorised_backward=backward)
    assert result.verdicts[-1].message.startswith("there is a loop: a small input runs ")


def test_who_computes_nothing_has_no_points_for_having_no_loop():
    def conv2d_vectorised(x, weight, bias):
        y = EINSUM["conv2d"](x, weight, bias)
        return 0 * y if x.shape == EXTREMES[1].fresh()["x"].shape else y

    backward = EINSUM["conv2d_backward"]
    result = check(5, conv2d_vectorised=conv2d_vectorised, conv2d_vectorised_backward=backward)
    assert result.verdicts[-1].message == "wrong value in a case that counts the lines"


def test_a_loop_over_the_kernel_is_allowed():
    def backward(grad_output, x, weight):
        grad_weight, (height, width) = np.zeros(weight.shape), grad_output.shape[2:]
        for u in range(weight.shape[2]):
            for v in range(weight.shape[3]):
                part = x[:, :, u : u + height, v : v + width]
                grad_weight[:, :, u, v] = np.tensordot(grad_output, part, ((0, 2, 3), (0, 2, 3)))
        grad_input, _, grad_bias = EINSUM["conv2d_backward"](grad_output, x, weight)
        return grad_input, grad_weight, grad_bias

    result = check(5, conv2d_vectorised=EINSUM["conv2d"], conv2d_vectorised_backward=backward)
    assert result.verdicts[-1].passed


def test_the_sizes_between_small_and_large_differ_by_more_than_the_slack():
    small, large = (case.fresh() for case in EXTREMES)
    for name in ("x", "grad_output"):
        assert all(many - few > 2 for few, many in zip(small[name].shape, large[name].shape, strict=True))


def test_lines_run_puts_the_trace_back():
    import sys

    before = sys.gettrace()
    lines_run(lambda: None)
    assert sys.gettrace() is before


@pytest.mark.parametrize("pair", [("conv_flip_dA", "conv_div_m_twice"), ("conv_dA_overwrite", "conv_bias_mean"),
                                  ("conv_dA_last_q", "conv_dA_overwrite")], ids="+".join)  # fmt: skip
def test_two_mistakes_at_once_are_both_named(pair):
    result = check(5, **LOOPS.with_mistakes(combination(*(CATALOGUE[name] for name in pair))))
    assert set(pair) <= set(result.misconceptions)
