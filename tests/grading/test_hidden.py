"""Hidden cases: right answers pass them, known mistakes do not, and nobody draws them without the secret."""

import numpy as np
import pytest

from course_lib.classroom import hidden
from course_lib.classroom.graded import as_graded
from course_lib.exercises import engine, registry
from course_lib.exercises.misconceptions import CATALOGUE
from tests.exercises.notebook_code import names_after

NUMBERS = (5, 11, 12)


def drawn(number, secret=b"s", student=""):
    return hidden.with_hidden_cases(registry.find(number), hidden.generator(secret, number, student))


def arrays(exercise):
    """All numbers of the hidden cases."""
    return [case.arguments["x"].tolist() for judged in exercise.properties for case in getattr(judged, "cases", ())]


def all_cases(properties):
    """The cases of properties, those inside others included."""
    for one in properties:
        yield from getattr(one, "cases", ())
        yield from all_cases(getattr(one, "parts", ()))
        yield from all_cases([one.judged] if hasattr(one, "judged") else ())


@pytest.mark.parametrize("number", NUMBERS)
def test_the_solution_passes_hidden_cases(number):
    names = names_after(number, "stub", without=("check",))
    answers = {answer.name: names[answer.name] for answer in registry.find(number).answers}
    for secret in (b"one", b"two", b"three"):
        result = engine.judge(drawn(number, secret), answers)
        assert result.points == result.max_points, result


def test_the_cases_that_count_lines_have_other_numbers():
    """Else who knows them by heart needs no loop."""
    exercises = (
        as_graded(registry.find(5)),
        hidden.with_hidden_cases(as_graded(registry.find(5)), np.random.default_rng(0)),
    )
    public, drawn = ([one.judged for one in exercise.properties[-1].judged.parts[1:]] for exercise in exercises)
    assert len(public) == len(drawn) == 4
    for one, other in zip(public, drawn, strict=True):
        assert one.large.arguments["x"].tolist() != other.large.arguments["x"].tolist()


@pytest.mark.parametrize("number", (11, 12))
def test_every_mistake_of_arrays_fails_hidden_cases(number):
    exercise = drawn(number)
    judged = next(one for one in exercise.properties if hasattr(one, "operation"))
    entries = [CATALOGUE[name] for name in exercise.misconceptions]
    entries = [entry for entry in entries if entry.operation is judged.operation and "nan" not in entry.name]
    cases = list(all_cases(exercise.properties))
    passed = [entry.name for entry in entries if all(_agrees(judged.operation, entry, case) for case in cases)]
    assert passed == []


def _agrees(operation, entry, case):
    """Whether a mistake gives what is right in a case."""
    right = operation.results(case)
    try:
        wrong = entry.results(case)
        return all(_equal(wrong[name], right[name]) for name in ("y", "grad_input"))
    except (ArithmeticError, LookupError, ValueError):
        return False


def _equal(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return a.shape == b.shape and np.allclose(a, b, equal_nan=True)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_same_secret_draws_the_same(number):
    assert arrays(drawn(number)) == arrays(drawn(number))


@pytest.mark.parametrize("number", NUMBERS)
def test_another_secret_draws_others(number):
    assert arrays(drawn(number)) != arrays(drawn(number, b"t"))


def test_another_student_draws_others():
    assert arrays(drawn(11, student="a")) != arrays(drawn(11, student="b"))


def test_like_keeps_what_a_case_is_there_for(rng):
    plane = (1, 1, 4, 4)
    assert (hidden.like(-np.arange(1.0, 5), plane, rng) < 0).all()
    assert hidden.like(np.array([1, 2]), plane, rng).dtype.kind == "i"
    assert np.ptp(hidden.like(np.array([1, 1.00001]), plane, rng)) < 1e-3
    assert len(np.unique(hidden.like(np.arange(4.0), plane, rng))) == 16
    assert len(np.unique(hidden.like(np.zeros(4), plane, rng))) < 16
    assert not np.isfinite(hidden.like(np.full(4, np.nan), plane, rng)).any()


def test_a_hidden_case_keeps_its_geometry(rng):
    case = registry.find(11).properties[4].cases[2]
    given = hidden.hidden_case(case, rng).arguments
    assert {name: given[name] for name in ("kernel_size", "stride", "padding")} == {
        name: case.arguments[name] for name in ("kernel_size", "stride", "padding")
    }
