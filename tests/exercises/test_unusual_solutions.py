"""Right solutions are never refused, however unusual."""

import pytest

from course_lib.exercises.engine import judge
from course_lib.exercises.registry import find
from tests.exercises.unusual_solutions import SOLUTIONS

KNOWN = [solution for solution in SOLUTIONS if find(solution.exercise)]


@pytest.mark.parametrize("solution", KNOWN, ids=lambda solution: f"{solution.exercise}: {solution.described}")
def test_unusual_solution_passes(solution):
    result = judge(find(solution.exercise), solution.functions)
    assert result.passed, result
    assert [verdict.name for verdict in result.verdicts if not verdict.passed and not verdict.star] == []
    if solution.stars:
        assert result.points == result.max_points, result
