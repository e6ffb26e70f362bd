"""Wrong solutions that others could have written are refused, and most are called by the right name."""

from functools import cache

import pytest

from course_lib.exercises.engine import judge
from course_lib.exercises.registry import find
from tests.exercises import wrong_avg_pool, wrong_conv, wrong_max_pool  # noqa: F401
from tests.exercises.solutions import WRONG as KNOWN


@cache
def result(number):
    """What the check says about one of them."""
    return judge(find(KNOWN[number].exercise), KNOWN[number].functions)


def described(number):
    """The line from which it was written."""
    return f"{KNOWN[number].exercise}: {KNOWN[number].described}"


@pytest.mark.parametrize("number", range(len(KNOWN)), ids=described)
def test_wrong_solution_is_refused(number):
    assert any(verdict.kind.startswith("wrong") for verdict in result(number).verdicts), result(number)


@pytest.mark.parametrize("number", range(len(KNOWN)), ids=described)
def test_wrong_solution_keeps_points_for_what_is_right(number):
    assert 0 < result(number).points < result(number).max_points


def test_nine_in_ten_wrong_solutions_are_called_by_the_right_name():
    named = [set(solution.names) <= set(result(number).misconceptions) for number, solution in enumerate(KNOWN)]
    unnamed = [described(number) for number, found in enumerate(named) if not found]
    assert len(named) >= 30
    assert sum(named) >= 0.9 * len(named), unnamed


@pytest.mark.parametrize("number", range(len(KNOWN)), ids=described)
def test_wrong_solution_gets_few_other_names(number):
    # Three mistakes overwrite in the same way; a first NaN is missed by most.
    twins = {"max_overwrite", "max_fancy_add", "max_unpool", "max_nan_first", "max_nan_lost", "max_nan_skipped"}
    assert len(set(result(number).misconceptions) - set(KNOWN[number].names) - twins) <= 1, result(number)
