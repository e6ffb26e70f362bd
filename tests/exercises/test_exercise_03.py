"""Exercise 3: the solution passes, and every known mistake is refused and named."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import course_lib
from course_lib.exercises import check
from course_lib.exercises.compare import same
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.misconceptions.model import combination
from course_lib.exercises.registry import find
from tests.exercises.conftest import RIGHT

EXERCISE = find(3)
ARRAYS = EXERCISE.properties[:3]
CHOICE = EXERCISE.answers[3]
SOURCE = Path(course_lib.__file__).parents[1] / "sources" / "exercises" / f"{EXERCISE.name}.py"


def wrong_answers():
    """(property, mistake) for each mistake that gives another array than the right one."""
    for judged in ARRAYS:
        for name in EXERCISE.misconceptions:
            entry = CATALOGUE[name]
            if entry.operation is judged.operation:
                wrong = judged.part(entry.results(judged.cases[0]))
                if not same(wrong, judged.expected(judged.cases[0])):
                    yield pytest.param(judged.name, name, wrong, id=f"{judged.name}-{name}")


def wrong_pairs():
    """(property, two mistakes) for each pair that gives an array that no single one gives."""
    for judged in ARRAYS:
        (case,) = judged.cases
        entries = [CATALOGUE[name] for name in EXERCISE.misconceptions if CATALOGUE[name].operation is judged.operation]
        known = [judged.part(entry.results(case)) for entry in entries] + [judged.expected(case)]
        for pair in combinations(entries, 2):
            changes = combination(*pair)
            if changes is not None:
                wrong = judged.part(judged.operation.results_with(changes, case))
                if not any(same(wrong, other) for other in known):
                    names = [entry.name for entry in pair]
                    yield pytest.param(judged.name, names, wrong, id=f"{judged.name}-{'+'.join(names)}")


def test_the_right_answers_get_all_points():
    result = check(3, **RIGHT)
    assert result.passed
    assert (result.points, result.max_points, result.misconceptions) == (8, 8, ())


@pytest.mark.parametrize("name", RIGHT)
def test_each_right_answer_alone_gets_its_points(name):
    result = check(3, **{name: RIGHT[name]})
    assert (result.points, result.passed) == (2, False)


@pytest.mark.parametrize(("name", "mistake", "wrong"), list(wrong_answers()))
def test_every_mistake_is_refused_and_named(name, mistake, wrong):
    result = check(3, **{name: wrong})
    assert not next(verdict for verdict in result.verdicts if verdict.name == name).passed
    assert mistake in result.misconceptions


@pytest.mark.parametrize(("name", "mistakes", "wrong"), list(wrong_pairs()))
def test_two_mistakes_at_once_are_refused_and_both_are_named(name, mistakes, wrong):
    result = check(3, **{name: wrong})
    assert result.points == 0
    assert len(result.misconceptions) >= 2
    named = set(result.misconceptions)
    # Where two pairs give one array, and more than are shown, either may be named.
    assert set(mistakes) <= named or "two known mistakes at once" in repr(result)


def test_every_mistake_of_the_list_can_happen_in_it():
    shown = {parameters.values[1] for parameters in wrong_answers()}
    shown |= {option.misconception for option in CHOICE.options.values()}
    assert set(EXERCISE.misconceptions) <= shown


@pytest.mark.parametrize(
    ("letter", "mistake"), [(letter, option.misconception) for letter, option in CHOICE.options.items()]
)
def test_every_wrong_option_is_refused_and_named(letter, mistake):
    result = check(3, tie_rule=letter)
    assert result.misconceptions == ((mistake,) if mistake else ())
    assert result.verdicts[3].passed is (mistake is None)


def test_exactly_one_option_is_right():
    assert [option.misconception for option in CHOICE.options.values()].count(None) == 1


def test_a_wrong_choice_does_not_tell_the_right_one():
    text = repr(check(3, tie_rule="a"))
    assert CHOICE.options["c"].text not in text
    assert "'c'" not in text


def test_a_wrong_array_shows_one_expected_element_and_no_more():
    details = dict(check(3, tie_gradient=np.zeros((2, 3))).verdicts[2].details)
    assert "expected" not in details
    assert "[[0, 6, 0], [0, 0, 0]]" not in repr(check(3, tie_gradient=np.zeros((2, 3))))


def test_the_expected_arrays_are_those_worked_by_hand():
    for judged in ARRAYS:
        np.testing.assert_array_equal(judged.expected(judged.cases[0]), RIGHT[judged.name])


def test_the_notebook_says_what_the_exercise_says():
    prose = " ".join(SOURCE.read_text(encoding="utf-8").replace("\n#", " ").split())
    assert EXERCISE.heading in prose
    assert EXERCISE.task in prose
    for letter, option in CHOICE.options.items():
        assert f"**{letter}** {option.text}" in prose


def test_the_notebook_uses_the_windows_of_the_cases():
    source = SOURCE.read_text(encoding="utf-8")
    names = {}
    exec(source[source.index("window = ") : source.index("# %% [markdown] name")], {"np": np}, names)
    np.testing.assert_array_equal(names["window"], EXERCISE.properties[0].cases[0].fresh()["x"][0, 0])
    np.testing.assert_array_equal(names["tied_window"], EXERCISE.properties[2].cases[0].fresh()["x"][0, 0])
    assert names["upstream"] == EXERCISE.properties[0].cases[0].fresh()["grad_output"].item()
