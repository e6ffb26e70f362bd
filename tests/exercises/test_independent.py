"""Solutions by another hand, who knew one line about each mistake and not the catalogue: what the checks make of them.

Each wrong one stands for the mistake after which it is filed. When they were first tried, before anything was mended,
all were refused and all were called by the right name; so the bounds are the counts.
"""

from functools import cache

import pytest

from course_lib.exercises.engine import judge
from course_lib.exercises.registry import find
from tests.exercises.independent.correct import CORRECT
from tests.exercises.independent.wrong_avg import WRONG_AVG
from tests.exercises.independent.wrong_conv import WRONG_CONV
from tests.exercises.independent.wrong_max import WRONG_MAX

WRONG = {(number, name): make for number, table in ((11, WRONG_MAX), (12, WRONG_AVG), (5, WRONG_CONV))
         for name, make in table.items()}  # fmt: skip
RIGHT = [(number, make) for number, makes in CORRECT.items() for make in makes]
# They overwrite in one and the same way.
TWINS = {"max_overwrite", "max_fancy_add", "max_unpool"}
# Whoever does not try for the star meets these as well.
STARS = {"max_nan_first", "max_nan_lost", "max_nan_skipped"}


def judged(number, functions):
    """The result for a learner's functions, in the order of the exercise's answers."""
    exercise = find(number)
    return judge(exercise, dict(zip((answer.name for answer in exercise.answers), functions, strict=False)))


@cache
def result(key):
    """The result for one of the wrong ones."""
    return judged(key[0], WRONG[key]())


def test_there_are_thirty_wrong_and_twenty_right_ones():
    assert (len(WRONG), len(RIGHT)) == (30, 20)


@pytest.mark.parametrize("key", WRONG, ids=str)
def test_wrong_solution_is_refused(key):
    assert not result(key).passed
    assert any(verdict.kind.startswith("wrong") and not verdict.star for verdict in result(key).verdicts), result(key)


def test_every_wrong_solution_is_called_by_the_right_name():
    unnamed = [key for key in WRONG if key[1] not in result(key).misconceptions]
    assert len(WRONG) - len(unnamed) >= 30, unnamed


@pytest.mark.parametrize("key", WRONG, ids=str)
def test_wrong_solution_gets_no_other_name(key):
    same = TWINS if key[1] in TWINS else {key[1]}
    assert set(result(key).misconceptions) <= same | STARS, result(key)


def test_scan_that_begins_with_the_first_element_is_seen_to_pass_over_nan():
    assert "max_nan_skipped" in result((11, "max_overwrite")).misconceptions


@pytest.mark.parametrize(("number", "make"), RIGHT, ids=lambda value: getattr(value, "__name__", str(value)))
def test_right_solution_passes(number, make):
    answer = judged(number, make())
    assert answer.passed, answer
    assert [verdict.name for verdict in answer.verdicts if not verdict.passed and not verdict.star] == []
