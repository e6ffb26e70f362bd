"""Right solutions are never refused, however unusual."""

import pytest

from course_lib.exercises.engine import judge
from course_lib.exercises.registry import find
from tests.exercises import unusual_avg_pool, unusual_conv, unusual_max_pool  # noqa: F401
from tests.exercises.solutions import RIGHT


def test_there_are_twenty_of_them():
    assert len(RIGHT) >= 20


@pytest.mark.parametrize("solution", RIGHT, ids=lambda solution: f"{solution.exercise}: {solution.described}")
def test_unusual_solution_passes(solution):
    result = judge(find(solution.exercise), solution.functions)
    assert result.passed, result
    assert [verdict.name for verdict in result.verdicts if not verdict.passed and not verdict.star] == []
    if solution.stars:
        assert result.points == result.max_points, result
