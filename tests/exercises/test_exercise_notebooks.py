"""Every exercise unsolved says *not started*, and its solution passes with all points."""

import re

import pytest

from course_lib.exercises import faults
from course_lib.exercises.registry import all_exercises, find
from tests.exercises.notebook_code import ROOT, names_after, prose

# Those whose checks are quick; each of the others has a test of its own.
NUMBERS = [number for number in (1, 2, 3, 4, 5, 11, 12) if find(number)]


@pytest.mark.parametrize("number", NUMBERS)
def test_unsolved_notebook_runs_and_says_not_started(number):
    shown = names_after(number, "solution")["shown"]
    assert {verdict.kind for verdict in shown["check"].verdicts} == {faults.NOT_STARTED}
    assert (shown["check"].points, shown["check"].passed, shown["check"].started) == (0, False, False)
    assert "3 hints wait" in repr(shown["hint"])


@pytest.mark.parametrize("number", NUMBERS)
def test_solved_notebook_runs_and_gets_all_points(number):
    result = names_after(number, "stub")["shown"]["check"]
    assert result.passed, result
    assert result.points == result.max_points, result


@pytest.mark.parametrize("number", NUMBERS)
def test_notebook_says_what_the_exercise_says(number):
    assert find(number).heading in prose(number)
    assert find(number).task in prose(number)


@pytest.mark.parametrize("number", NUMBERS)
def test_notebook_asks_every_question_with_the_same_options(number):
    for answer in find(number).answers:
        for letter, option in getattr(answer, "options", {}).items():
            assert f"**{letter}** {option.text}" in prose(number)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_question_has_one_right_option(number):
    for answer in find(number).answers:
        if hasattr(answer, "options"):
            assert [option.misconception for option in answer.options.values()].count(None) == 1


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda exercise: exercise.name)
def test_readme_calls_the_exercise_as_its_notebook_does(exercise):
    row = f"| {exercise.number} | [{exercise.title}](exercises/{exercise.notebook}) | {exercise.chapter} |"
    assert row in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda exercise: exercise.name)
def test_notebook_links_to_the_chapter_that_it_needs(exercise):
    links = re.findall(r"\[chapter (\d\d)\]\(\.\./notebooks/(\w+)\.ipynb\)", prose(exercise.number))
    assert exercise.chapter in [number for number, _ in links]
    assert all(name.startswith(f"{number}_") for number, name in links)
