"""Exercise 7: right implementations agree, every wrong one can be refused, and a suite scores the share of these."""

import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from course_lib import avg_pool_backward
from course_lib.exercises import check
from course_lib.exercises.engine import judge
from course_lib.exercises.ex07_design_the_tests import EXERCISE
from course_lib.exercises.faults import NOT_STARTED, OUR_FAULT
from course_lib.exercises.implementations import AVG_CALL, CALLS, CONV_CALL, MAX_CALL
from course_lib.exercises.mutants import AVG_MUTANTS, CONV_MUTANTS, MAX_MUTANTS
from course_lib.exercises.suites import MOST_TESTS, Suite, fails, gives
from tests.exercises.notebook_code import names_after, prose

ALL = (*CONV_MUTANTS, *MAX_MUTANTS, *AVG_MUTANTS)
MUTANTS = {
    "convolution": (CONV_CALL, CONV_MUTANTS),
    "max pooling": (MAX_CALL, MAX_MUTANTS),
    "average pooling": (AVG_CALL, AVG_MUTANTS),
}
X = np.array([[[[1.0, 8, 2, 7], [3, 4, 6, 5], [9, 0, 12, 11], [10, 13, 14, 15]]]])
SENT = np.array([[[[3.0, 5], [7, 2]]]])
TILES = {"kernel_size": 2, "stride": 2}


@cache
def solution():
    """The tests of the solution."""
    return names_after(7, "stub", without=("check", "hint"))["tests"]


def points(suite):
    """The share of the wrong implementations that a suite refuses, for each call."""
    verdicts = {found.name: found for found in check(7, tests=suite).verdicts}
    return [verdicts[name].points / verdicts[name].max_points for name in MUTANTS]


def verdict(name, suite):
    """The verdict on one property."""
    one = tuple(entry for entry in EXERCISE.properties if entry.name == name)
    return judge(replace(EXERCISE, properties=one), {"tests": suite}).verdicts[0]


def without_overlap():
    """A suite of tests whose windows lie side by side: one plane, distinct numbers, an upstream gradient of its own."""
    spread = np.kron(SENT / 4, np.ones((2, 2)))
    largest = np.zeros((1, 1, 4, 4))
    largest[0, 0, [0, 0, 3, 3], [1, 3, 1, 3]] = SENT.ravel()
    ones = np.ones((1, 1, 2, 2))
    expected = {"grad_input": np.kron(SENT, np.ones((2, 2))), "grad_bias": [17]}
    return [
        gives("max_pool2d_backward", largest, grad_output=SENT, x=X, **TILES),
        gives("avg_pool2d_backward", spread, grad_output=SENT, x=X, **TILES),
        gives("conv2d_backward", expected, grad_output=SENT, x=X, weight=ones, stride=2),
    ]


def test_the_solutions_suite_refuses_every_wrong_implementation():
    assert points(solution()) == [1, 1, 1]


def test_the_solution_gets_all_points():
    names = names_after(7, "stub")
    assert names["shown"]["check"].passed
    assert names["shown"]["check"].points == len(ALL) + 5


def test_an_untouched_notebook_says_not_started():
    result = names_after(7, "solution")["shown"]["check"]
    assert {found.kind for found in result.verdicts} == {NOT_STARTED}


def test_a_suite_without_overlap_is_true_and_scores_low():
    suite = without_overlap()
    assert verdict("right implementations pass", suite).passed
    assert max(points(suite)) < 0.5


def test_the_examples_of_the_notebook_are_true():
    suite = names_after(7, "solution")["examples"]
    assert verdict("right implementations pass", suite).passed


@pytest.mark.parametrize("mutant", ALL, ids=lambda mutant: mutant.name)
def test_every_wrong_implementation_is_refused_by_a_test_of_its_own_call(mutant):
    call = next(call for call, mutants in MUTANTS.values() if mutant in mutants)
    tests = [entry for entry in Suite("tests").read(solution(), Calls()) if entry.call is call]
    assert any(entry.run(mutant.run) for entry in tests)


class Calls:
    """What reads arrays in a check."""

    @staticmethod
    def value(subject, function, seconds=None):
        return function()


@pytest.mark.parametrize("name", CALLS)
def test_three_right_implementations_agree(name, rng):
    call = CALLS[name]
    arguments = {"x": rng.integers(-3, 3, (2, 3, 6, 7)).astype(float), "stride": (2, 1), "padding": 1}
    if "weight" in call.arguments:
        arguments |= {"weight": rng.normal(size=(4, 3, 3, 2)), "grad_output": rng.normal(size=(2, 4, 3, 8))}
    else:
        arguments |= {"kernel_size": (3, 2), "grad_output": rng.normal(size=(2, 3, 3, 8))}
    results = [call.run(compute, dict(arguments)) for compute in call.right.values()]
    assert len(results) == 3
    for other in results[1:]:
        for part, array in results[0].items():
            # Sums of up to 100 terms of size one, in another order.
            np.testing.assert_allclose(other[part], array, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "test",
    [
        fails("conv2d_backward", grad_output=np.ones((1, 1, 3, 2)), x=X, weight=np.ones((1, 1, 2, 2))),
        fails("conv2d_backward", grad_output=np.ones((1, 1, 3, 3)), x=X, weight=np.ones((1, 2, 2, 2))),
        fails("conv2d_backward", grad_output=np.ones((1, 1, 1, 1)), x=X, weight=np.ones((1, 1, 5, 5))),
        fails("max_pool2d_backward", grad_output=np.ones((1, 1, 2, 3)), x=X, **TILES),
        fails("max_pool2d_backward", grad_output=SENT, x=X[0], **TILES),
        fails("avg_pool2d_backward", grad_output=SENT, x=X, kernel_size=2, stride=0),
        fails("avg_pool2d_backward", grad_output=np.ones((1, 1, 4, 4)), x=X, kernel_size=2, stride=2, padding=2),
    ],
    ids=["upstream", "channels", "kernel", "pool upstream", "axes", "stride", "padding"],
)
def test_right_implementations_refuse_what_makes_no_sense(test):
    assert verdict("right implementations pass", [test]).passed


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        (gives("max_pool2d_backward", np.zeros((1, 1, 4, 4)), grad_output=SENT, x=X, **TILES),
         "it fails on a right implementation of max_pool2d_backward (by vectorised): element (0, 0, 0, 1) of "
         "grad_input is 3, and the test expects 0"),
        (gives("max_pool2d_backward", np.zeros((4, 4)), grad_output=SENT, x=X, **TILES),
         "grad_input has shape (1, 1, 4, 4), and the test expects (4, 4)"),
        (gives("max_pool2d_backward", X, grad_output=X, x=X, **TILES), "it is refused: grad_output must have shape"),
        (fails("max_pool2d_backward", grad_output=SENT, x=X, **TILES), "(by vectorised): it is not refused"),
        (gives("max_pool", X, x=X), "its call must be conv2d_backward or max_pool2d_backward or avg_pool2d_backward"),
        (gives("max_pool2d_backward", X, x=X), "takes grad_output, x, kernel_size, stride, padding"),
        (gives("conv2d_backward", X, x=X, weight=X, grad_output=X), "expected must be a dict with some of grad_input"),
        (gives("conv2d_backward", {"y": X}, x=X, weight=X, grad_output=X), "expected must hold some of grad_input, "),
        (gives("conv2d_backward", {}, x=X, weight=X, grad_output=X), "expected must hold an array"),
        (gives("max_pool2d_backward", np.zeros((1, 1, 80, 80)), x=np.zeros((1, 1, 80, 80)), grad_output=X, **TILES),
         "x has 6400 elements: a test needs few, at most 500"),
        (gives("max_pool2d_backward", X, x=X, grad_output=SENT, kernel_size=21, stride=2),
         "kernel_size must be from 0 to 20: a small input shows the same"),
        (gives("max_pool2d_backward", X, x=np.ones((1, 1, 20, 20)), grad_output=np.ones((1, 1, 20, 20)), kernel_size=6,
               stride=1), "it asks for 14400 products: a smaller input shows the same, at most 10000"),
        (gives("max_pool2d_backward", X, x=X, grad_output=SENT, kernel_size=2.0, stride=2),
         "kernel_size must be a whole number or a pair of them"),
        (gives("max_pool2d_backward", "X", x=X, grad_output=SENT, **TILES), "grad_input must be an array; got a str."),
        ("max", "it must be what gives(...) or fails(...) returns"),
        ({"call": "conv2d_backward"}, "its arguments must be a dict"),
    ],
    ids=["value", "shape", "refused", "not refused", "call", "arguments", "which", "name", "empty", "large", "kernel",
         "many", "float", "text", "no test", "no arguments"],
)  # fmt: skip
def test_a_test_that_is_not_true_scores_nothing_and_is_told_why(test, sentence):
    suite = [*solution(), test]
    found = verdict("right implementations pass", suite)
    assert found.message == "1 of 22 tests scores nothing, since it is not true of what is right"
    ((label, text),) = found.details
    assert label == "tests[21]"
    assert sentence in text


def test_a_test_that_is_not_true_kills_nothing():
    assert points([gives("max_pool2d_backward", X, grad_output=SENT, x=X, **TILES)]) == [0, 0, 0]


def test_survivors_get_a_hint_and_not_the_answer():
    found = verdict("max pooling", without_overlap())
    assert found.message.endswith(f"{found.max_points - found.points} survive")
    assert 0 < found.points < found.max_points
    assert {label for label, _ in found.details} == {"a survivor asks"}
    assert all(mutant.name not in repr(found) for mutant in MAX_MUTANTS)


def test_no_tests_score_nothing():
    result = check(7, tests=[])
    assert result.points == 0
    assert result.verdicts[0].message == "tests holds no test"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [(solution, "tests must be a list of tests; got a value of type _lru_cache_wrapper"),
     ([1] * 81, "tests must hold at most 80 tests; got 81")],
)  # fmt: skip
def test_what_is_no_suite_has_its_sentence(given, sentence):
    assert verdict("convolution", given).message == sentence


def test_hostile_tests_never_raise():
    class Array(np.ndarray):
        def __array_finalize__(self, other):
            raise RuntimeError("no")

    recursive = {}
    recursive["arguments"] = recursive
    hostile = [
        recursive, {"call": [], "arguments": {}}, {"call": "conv2d_backward", "arguments": {1: X}}, None,
        gives("conv2d_backward", {1: X}, x=X, weight=X, grad_output=X),
        gives("max_pool2d_backward", X, x=X * np.nan, grad_output=SENT, kernel_size=(2, 2, 2), stride=2),
        gives("max_pool2d_backward", X, x=X, grad_output=SENT, kernel_size=10**30, stride=2),
        gives("max_pool2d_backward", X, x=X, grad_output=SENT, kernel_size=2, stride=2, padding=10**9),
        gives("conv2d_backward", {"grad_input": X}, x=X, weight=X, grad_output=X, padding=10**9),
        fails("conv2d_backward", x=X, weight=X, grad_output=X, padding=10**9, stride=10**9),
    ]  # fmt: skip
    result = check(7, tests=hostile)
    assert OUR_FAULT not in {found.kind for found in result.verdicts}


def test_the_largest_suite_is_judged_in_time():
    x, geometry = np.arange(400.0).reshape(1, 1, 20, 20), {"kernel_size": 5, "stride": 1, "padding": 2}
    expected = avg_pool_backward(x, x.shape, *geometry.values())
    # Nothing is killed here, so that every test is run on everything.
    large = gives("avg_pool2d_backward", expected, grad_output=x, x=x, **geometry)
    begin = time.process_time()
    result = check(7, tests=[{**large, "arguments": dict(large["arguments"])} for _ in range(MOST_TESTS // 4)])
    assert result.verdicts[0].passed
    # A quarter of what may be given in a quarter of the ten seconds that a learner waits at most. Processor time: a
    # busy machine takes longer by the clock.
    assert time.process_time() - begin < 2.5


def test_the_notebook_says_what_the_exercise_says():
    assert EXERCISE.heading in prose(7)
    assert EXERCISE.task in prose(7)
    assert f"about {EXERCISE.lines} lines" in prose(7)
    for name, call in CALLS.items():
        assert f'`"{name}"`' in prose(7)
        assert ", ".join(call.arguments[:2]) in prose(7)
