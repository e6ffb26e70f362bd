"""Exercise 12: what each property judges, and that what is right keeps its points."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.exercises import check, faults
from course_lib.exercises.ex12_average_pooling_workshop import EXERCISE, POOL
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.misconceptions.model import combination


def all_cases():
    """Every case of every property, once."""
    judged = [each.judged if hasattr(each, "judged") else each for each in EXERCISE.properties]
    parts = [part for each in judged for part in getattr(each, "parts", (each,))]
    return {case.name: case for part in parts for case in part.cases}.values()


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_expected_arrays_are_those_of_the_loops(case):
    given, expected = case.fresh(), POOL.operation.results(case)
    names = "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"
    geometry = {name: given[name] for name in names if name in given}
    x = given["x"].astype(np.float64)
    # A few roundings, in another order of summation.
    np.testing.assert_allclose(expected["y"], loops.avg_pool(x, **geometry), rtol=1e-14, atol=1e-14)
    gradient = loops.avg_pool_backward(given["grad_output"], x.shape, **geometry)
    np.testing.assert_allclose(expected["grad_input"], gradient, rtol=1e-14, atol=1e-14)


def with_mistake(name):
    """The verdicts for functions with one mistake, by property."""
    result = check(12, **POOL.with_mistakes(CATALOGUE[name].changes))
    return result, {verdict.name: verdict for verdict in result.verdicts}


@pytest.mark.parametrize(
    ("mistake", "lost"),
    [
        ("avg_overwrite", {"overlap"}),
        ("avg_dedup", {"overlap"}),
        ("avg_divisor_mismatch", {"borders, padding not counted", "rectangular windows"}),
        ("avg_divisor_mismatch2", {"borders, padding counted", "rectangular windows"}),
        ("avg_channel_mix", {"batch and channels"}),
        ("avg_square_only", {"rectangular windows"}),
        ("avg_int_dx", {"integers"}),
        ("avg_stale_buffer", {"a second backward"}),
        ("avg_ceil_ignored", set()),
    ],
)
def test_a_mistake_costs_the_points_of_what_it_breaks_and_no_others(mistake, lost):
    _, verdicts = with_mistake(mistake)
    assert {name for name, verdict in verdicts.items() if not verdict.passed} - {"ceil_mode"} == lost


def right(x, kernel_size, stride, padding, count_include_pad):
    """The course's own, as a learner's without the star."""
    geometry = kernel_size, stride, padding
    y = loops.avg_pool(x.astype(float), *geometry, count_include_pad=count_include_pad)
    return y, (x.shape, geometry, count_include_pad)


def right_backward(grad_output, cache):
    shape, geometry, include = cache
    return loops.avg_pool_backward(grad_output, shape, *geometry, count_include_pad=include)


def test_the_exercise_passes_without_ceil_mode_which_is_not_started():
    result = check(12, avg_pool2d=right, avg_pool2d_backward=right_backward)
    assert result.passed
    assert (result.points, result.max_points) == (21, 24)
    assert result.verdicts[-1].kind == faults.NOT_STARTED


def test_a_ceil_mode_that_changes_nothing_is_named():
    result = check(
        12,
        avg_pool2d=lambda x, k, s, p, include, ceil_mode=False: right(x, k, s, p, include),
        avg_pool2d_backward=right_backward,
    )
    assert result.passed
    assert result.misconceptions == ("avg_ceil_ignored",)


@pytest.mark.parametrize("included", [True, False])
def test_a_flag_that_is_ignored_in_both_passes_is_no_mismatch(included):
    def ignoring(x, kernel_size, stride, padding, count_include_pad):
        return right(x, kernel_size, stride, padding, included)

    result = check(12, avg_pool2d=ignoring, avg_pool2d_backward=right_backward)
    assert result.misconceptions == ("avg_pad_always_counts" if included else "avg_pad_never_counts",)


@pytest.mark.parametrize("pair", [("avg_overwrite", "avg_divisor_mismatch"), ("avg_not_divided", "avg_overwrite")],
                         ids="+".join)  # fmt: skip
def test_two_mistakes_at_once_are_both_named(pair):
    result = check(12, **POOL.with_mistakes(combination(*(CATALOGUE[name] for name in pair))))
    assert set(pair) <= set(result.misconceptions)
