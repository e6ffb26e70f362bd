"""Exercise 11: what each property judges, and that what is right keeps its points."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.exercises import check, faults
from course_lib.exercises.ex11_max_pooling_workshop import EXERCISE, POOL
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.misconceptions.model import combination
from tests.exercises.learners import max_pool2d


def with_mistake(name):
    """The verdicts for functions with one mistake, by property."""
    result = check(11, **POOL.with_mistakes(CATALOGUE[name].changes))
    return result, {verdict.name: verdict for verdict in result.verdicts}


def all_cases():
    """Every case of every property, once."""
    judged = [each.judged if hasattr(each, "judged") else each for each in EXERCISE.properties]
    parts = [part for each in judged for part in getattr(each, "parts", (each,))]
    return {case.name: case for part in parts for case in part.cases}.values()


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_expected_arrays_are_those_of_the_loops(case):
    given, expected = case.fresh(), POOL.operation.results(case)
    geometry = given["kernel_size"], given["stride"], given["padding"]
    y, indices = loops.max_pool(given["x"], *geometry, return_indices=True)
    np.testing.assert_array_equal(expected["y"], y)
    gradient = loops.max_pool_backward(given["grad_output"], indices, given["x"].shape)
    np.testing.assert_array_equal(expected["grad_input"], gradient)


@pytest.mark.parametrize(
    ("mistake", "lost"),
    [
        ("max_overwrite", {"overlap"}),
        ("max_eqmask", {"ties", "NaN"}),
        ("max_tie_last", {"ties", "NaN"}),
        ("max_zero_pad", {"forward at borders", "borders"}),
        ("max_pad_offset", {"borders", "rectangular windows"}),
        ("max_channel_mix", {"batch and channels"}),
        ("max_square_only", {"rectangular windows"}),
        ("max_index_uint8", {"large planes"}),
        ("max_recompute_fp16", {"values close together"}),
        ("max_int_dx", {"integers"}),
        ("max_stale_buffer", {"a second backward"}),
        ("max_nan_first", {"NaN"}),
    ],
)
def test_a_mistake_costs_the_points_of_what_it_breaks_and_no_others(mistake, lost):
    _, verdicts = with_mistake(mistake)
    assert {name for name, verdict in verdicts.items() if not verdict.passed} == lost


def test_the_exercise_passes_without_its_star():
    result, verdicts = with_mistake("max_nan_first")
    assert result.passed
    assert (result.points, result.max_points) == (22, 24)
    assert verdicts["NaN"].star


def test_overwriting_is_named_with_the_windows_that_the_element_wins():
    _, verdicts = with_mistake("max_overwrite")
    said = [text for label, text in verdicts["overlap"].details if label == "known mistake"]
    assert [text.partition(".")[0] for text in said] == ["max_overwrite", "max_fancy_add", "max_unpool"]
    assert ["Here it wins 2 windows" in text for text in said] == [True, False, False]


def test_what_was_right_elsewhere_rules_mistakes_out():
    # A search for the smallest finds the first NaN too, and so does one by columns: the other arrays know better.
    result, _ = with_mistake("max_nan_first")
    assert result.misconceptions == ("max_nan_first",)


@pytest.mark.parametrize(
    "pair",
    [("max_zero_pad", "max_overwrite"), ("max_eqmask", "max_overwrite"), ("max_zero_pad", "max_tie_last"),
     ("max_pad_offset", "max_overwrite"), ("max_channel_mix", "max_zero_pad"), ("max_stride_is_k", "max_eqmask")],
    ids="+".join,
)  # fmt: skip
def test_two_mistakes_at_once_are_both_named(pair):
    changes = combination(*(CATALOGUE[name] for name in pair))
    result = check(11, **POOL.with_mistakes(changes))
    assert not result.passed
    assert set(pair) <= set(result.misconceptions)


def test_functions_for_ints_alone_lose_the_rectangular_windows_only():
    def forward(x, kernel_size, stride, padding):
        if isinstance(kernel_size, tuple):
            raise TypeError("one int, please")
        y, (indices, shape) = _right(x, kernel_size, stride, padding)
        return y, (indices, shape)

    result = check(11, max_pool2d=forward, max_pool2d_backward=_right_backward)
    assert [verdict.name for verdict in result.verdicts if not verdict.passed] == ["rectangular windows"]
    assert result.verdicts[6].message == "max_pool2d raised TypeError: one int, please"


def _right(x, kernel_size, stride, padding):
    """The course's own, as a learner's."""
    y, indices = loops.max_pool(x, kernel_size, stride, padding, return_indices=True)
    return y, (indices, x.shape)


def _right_backward(grad_output, cache):
    return loops.max_pool_backward(grad_output, *cache)


def test_the_forward_alone_gets_its_points():
    result = check(11, max_pool2d=_right)
    assert result.points == 3
    kinds = {verdict.kind for verdict in result.verdicts if not verdict.name.startswith("forward")}
    assert kinds == {faults.NOT_STARTED}


def test_a_mistake_is_explained_once_and_named_again():
    result, _ = with_mistake("max_stride_is_k")
    text = " ".join(repr(result).split())
    assert text.count(CATALOGUE["max_stride_is_k"].sentence) == 1
    assert "max_stride_is_k, as above" in text


def test_a_cache_that_is_not_used_is_no_mistake():
    def backward(grad_output, cache):
        return _right_backward(grad_output, cache)

    saved = []

    def forward(x, kernel_size, stride, padding):
        y, cache = _right(x, kernel_size, stride, padding)
        saved.append(cache)
        return y, len(saved) - 1

    assert check(11, max_pool2d=forward, max_pool2d_backward=lambda g, n: backward(g, saved[n])).passed


def test_the_practice_solution_passes():
    from tests.exercises.learners import max_pool2d_backward

    result = check(
        11,
        max_pool2d=lambda x, k, s, p: max_pool2d(x.astype(float), k, s, p if isinstance(p, int) else p[0]),
        max_pool2d_backward=max_pool2d_backward,
    )
    failed = [verdict.name for verdict in result.verdicts if not verdict.passed]
    assert failed == ["rectangular windows", "NaN"]
