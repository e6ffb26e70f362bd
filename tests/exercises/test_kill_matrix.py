"""Every exercise refuses every mistake that can happen in it, and names it; the page in docs says so."""

from functools import cache

import pytest

from tools import kill_matrix

FOUND = cache(kill_matrix.everything)


@pytest.fixture(scope="module")
def found():
    """All cells."""
    return FOUND()


def test_every_mistake_of_an_exercise_can_be_made_in_it(found):
    assert [cell for cell in found if cell.made == 0 and cell.exercise in (1, 2, 3, 4, 5, 11, 12)] == []


def test_every_mistake_is_refused_in_every_style(found):
    assert [cell for cell in found if cell.refused < cell.made] == []


def test_every_mistake_is_called_by_its_name_in_every_style(found):
    assert [cell for cell in found if cell.named < cell.made] == []


def test_page_is_current(found):
    assert kill_matrix.PAGE.read_text(encoding="utf-8") == kill_matrix.page(found)
