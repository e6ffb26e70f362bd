"""Every exercise is found by its file, and its data hold together."""

from pathlib import Path

import pytest

import course_lib
from course_lib.exercises import registry
from course_lib.exercises.exercise import Choice

ROOT = Path(course_lib.__file__).parents[1]
EXERCISES = registry.all_exercises()


def test_exercises_are_found_by_their_file():
    assert registry.module_names()[3] == "ex03_one_window_by_hand"
    assert registry.find(3).number == 3


def test_an_unknown_number_finds_nothing():
    assert registry.find(77) is None


@pytest.fixture(params=EXERCISES, ids=lambda exercise: exercise.name)
def exercise(request):
    """Each exercise."""
    return request.param


def test_file_name_and_number_agree(exercise):
    assert registry.module_names()[exercise.number] == f"ex{exercise.name}"


def test_the_source_of_the_notebook_has_the_exercises_name(exercise):
    assert (ROOT / "sources" / "exercises" / f"{exercise.name}.py").is_file()


def test_the_chapter_before_it_has_a_number(exercise):
    assert exercise.chapter in {f"{number:02}" for number in range(14)}


def test_there_are_three_hints_and_one_to_three_stars(exercise):
    assert len(exercise.hints) == 3
    assert 1 <= exercise.stars <= 3


def test_properties_use_answers_that_are_asked_for(exercise):
    asked = {answer.name for answer in exercise.answers}
    assert {name for judged in exercise.properties for name in judged.answers} == asked


def test_every_property_has_points(exercise):
    assert all(judged.points > 0 for judged in exercise.properties)


def test_wrong_options_are_among_the_misconceptions(exercise):
    for answer in exercise.answers:
        if isinstance(answer, Choice):
            wrong = {option.misconception for option in answer.options.values()} - {None}
            assert wrong <= set(exercise.misconceptions)
