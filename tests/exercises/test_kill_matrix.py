"""Every exercise refuses every mistake that can happen in it, and names it; the page in docs says so."""

from functools import cache

import pytest

from course_lib.exercises.exercise import Function
from course_lib.exercises.judged import Plain
from course_lib.exercises.registry import find
from tools import kill_matrix

FOUND = cache(kill_matrix.everything)
OF_TASKS = cache(kill_matrix.of_tasks)


@pytest.fixture(scope="module")
def found():
    """All cells of exercises and of tasks."""
    return [*FOUND(), *OF_TASKS()]


def can_be_made(number):
    """Whether the answers of an exercise or a task can be made with a mistake: functions only where we have them."""
    return number in (5, 11, 12) or not any(isinstance(answer, Function | Plain) for answer in find(number).answers)


def test_every_mistake_of_an_exercise_can_be_made_in_it(found):
    assert {1, 2, 3, 4, 5, 11, 12, "01"} <= {cell.exercise for cell in found if can_be_made(cell.exercise)}
    assert [cell for cell in found if cell.made == 0 and can_be_made(cell.exercise)] == []


def test_every_mistake_is_refused_in_every_style(found):
    assert [cell for cell in found if cell.refused < cell.made] == []


def test_every_mistake_is_called_by_its_name_in_every_style(found):
    assert [cell for cell in found if cell.named < cell.made] == []


def test_page_is_current():
    assert kill_matrix.PAGE.read_text(encoding="utf-8") == kill_matrix.page(FOUND())
