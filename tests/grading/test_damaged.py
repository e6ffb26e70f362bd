"""Damaged notebooks: each gets a row, and none is the grader's fault or worth more than the whole one."""

import pytest

from course_lib.classroom import grading
from course_lib.classroom.submissions import find
from tests.grading.classes import exercise_of, handed_in, settings, solution
from tests.grading.mutations import damaged

COUNT = 60


@pytest.fixture
def found(tmp_path, rng):
    """A class whose notebooks of exercise 3 were damaged."""
    works = {f"student {number:02}": {"03_work.ipynb": damaged(solution(3), rng)} for number in range(COUNT)}
    return find(handed_in(tmp_path / "class", works))


def test_every_damaged_notebook_gets_a_row(zygote, found):
    rows = [exercise_of(grading.grade(zygote, one, settings(3)), 3) for one in found]
    statuses = {row["status"] for row in rows}
    assert len(rows) == COUNT
    assert statuses <= {"graded", "unreadable", "nothing handed in"}
    assert {"graded", "unreadable"} <= statuses
    assert all(0 <= row["points"] <= 8 for row in rows)
    assert all(row["reason"] for row in rows if row["status"] == "unreadable")
