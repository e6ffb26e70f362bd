"""Wrong implementations that only the grader has: the solution refuses them, and what refuses all others may not."""

import numpy as np
import pytest

from course_lib.classroom.graded import as_graded
from course_lib.classroom.held_back import AVG_HELD_BACK, CONV_HELD_BACK, MAX_HELD_BACK, properties
from course_lib.exercises import engine, registry
from course_lib.exercises.suites import gives
from course_lib.workspace import COURSE
from tests.exercises.test_exercise_07 import points, solution

EXERCISE = registry.find(7)
HELD_BACK = (*CONV_HELD_BACK, *MAX_HELD_BACK, *AVG_HELD_BACK)
GAINS = ("conv_dW_gains", "max_gains", "avg_gains")


def only_gains(test):
    """A test with no negative number in its upstream gradient, and with what is right then."""
    if "expected" not in test:
        return test
    call = next(one.call for one in properties(EXERCISE) if one.call.name == test["call"])
    arguments = {**call.defaults, **{name: np.abs(value) if name == "grad_output" else value
                                     for name, value in test["arguments"].items()}}  # fmt: skip
    arrays = {name: np.asarray(value, float) for name, value in arguments.items() if np.ndim(value) == 4}
    arguments |= arrays
    (expected,) = [dict(zip(call.results, call.right["loops"](**arguments), strict=True))]
    return gives(test["call"], expected, **arguments)


@pytest.fixture(scope="module")
def friendly():
    """The solution's suite with upstream gradients that are never negative."""
    return [only_gains(test) for test in solution()]


def verdicts(suite):
    """The verdicts of the grader's own properties."""
    result = engine.judge(as_graded(EXERCISE), {"tests": suite, "environment": {}})
    return {found.name: found for found in result.verdicts if "held back" in found.name}


def test_the_solutions_suite_refuses_all_that_is_held_back():
    found = verdicts(solution())
    assert [one.passed for one in found.values()] == [True] * 3
    assert sum(one.points for one in found.values()) == len(HELD_BACK)


def test_a_suite_may_refuse_all_of_the_check_and_not_what_is_held_back(friendly):
    assert points(friendly) == [1, 1, 1]
    assert [one.max_points - one.points for one in verdicts(friendly).values()] == [1, 1, 1]


def test_a_survivor_is_hinted_at_and_not_named(friendly):
    text = repr(verdicts(friendly))
    assert "Are there negative numbers" in text
    assert [name for name in GAINS if name in text] == []


@pytest.mark.parametrize("held", HELD_BACK, ids=lambda held: held.name)
def test_what_is_held_back_is_unlike_all_of_the_check(held):
    call = next(one.call for one in properties(EXERCISE) if held in one.mutants)
    public = next(one.mutants for one in EXERCISE.properties if getattr(one, "call", None) is call)
    given = arguments(call)
    for other in public:
        assert any(outcome(held.run, one) != outcome(other.run, one) for one in given), other.name


def arguments(call):
    """Arguments that tell implementations apart: strides, borders, ties, several samples and channels."""
    rng = np.random.default_rng(3)
    x, kernel, stride, padding = rng.integers(-3, 3, (2, 3, 6, 7)).astype(float), (3, 2), (2, 1), (1, 0)
    if "weight" in call.arguments:
        given = {"weight": rng.normal(size=(4, 3, *kernel)), "grad_output": rng.normal(size=(2, 4, 3, 6))}
    else:
        given = {"kernel_size": kernel, "grad_output": rng.normal(size=(2, 3, 3, 6))}
    usual = {**given, "x": x, "stride": stride, "padding": padding}
    return usual, {**usual, "grad_output": 0 * given["grad_output"]}


def outcome(run, given):
    """What an implementation gives, rounded; or what it raises."""
    try:
        with np.errstate(all="ignore"):
            return {name: np.round(array, 9).tolist() for name, array in run(given).items()}
    except (ArithmeticError, LookupError, ValueError) as error:
        return type(error).__name__


def test_only_exercise_7_has_something_held_back():
    assert [one.number for one in registry.all_exercises() if properties(one)] == [7]


def test_the_documents_say_how_many_there_are():
    text = (COURSE / "docs/grading.md").read_text(encoding="utf-8")
    assert "Twelve of the wrong ones are held back" in text
    assert len(HELD_BACK) == 12
