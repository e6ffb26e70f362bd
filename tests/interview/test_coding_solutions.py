"""Every coding task has three right solutions, which pass, and five wrong ones, which are refused.

A file of coding/<task>/ holds ``SEEDS``, the variants for which it is written, and the function. A wrong one may hold
``KNOWN``, the mistake of the catalogue that the diagnosis must name.
"""

import ast
import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from course_lib.exercises import faults
from course_lib.interview import questions
from course_lib.interview.coding import find, tasks
from course_lib.interview.coding.judging import judged, missing

FOLDER = Path(__file__).parent / "coding"
MANY = range(12)


def solutions(kind):
    """The files of a kind, with the task of each."""
    return [pytest.param(find(path.parent.name.replace("_", "-")), path, id=f"{path.parent.name}-{path.stem}")
            for path in sorted(FOLDER.glob(f"*/{kind}_*.py"))]  # fmt: skip


@cache
def written(path):
    """A solution's module."""
    spec = importlib.util.spec_from_file_location(f"solution_{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def result(task, path, seed, diagnosis=False):
    """What the checks say of a solution."""
    if missing(task):
        pytest.skip(missing(task))
    with np.errstate(all="ignore"):
        return judged(task, seed, getattr(written(path), task.variant(seed).function, None), diagnosis)


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task.name)
def test_task_has_three_right_and_five_wrong_solutions(task):
    names = [path.name for path in sorted((FOLDER / task.name.replace("-", "_")).glob("*.py"))]
    assert [name.split("_")[0] for name in names] == ["right"] * 3 + ["wrong"] * 5


def test_twenty_tasks_take_five_to_forty_minutes():
    minutes = [task.minutes for task in tasks()]
    assert (len(minutes), minutes[0], minutes[-1]) == (20, 5, 40)


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task.name)
def test_task_is_complete_and_its_variants_differ(task):
    assert task.topic in {question.topic for question in questions()}
    assert task.level in (1, 2, 3) and len(task.hints) == 3 and task.why.endswith(".")
    variants = [task.variant(seed) for seed in MANY]
    assert len({(one.statement, one.signature) for one in variants}) >= 4
    assert variants[0].statement == task.variant(0).statement
    for one in variants:
        ast.parse(one.skeleton)
        names = [judged.name for judged in one.properties]
        assert len(set(names)) == len(names) >= 3
        assert f"{one.signature}\n" in one.skeleton


@pytest.mark.parametrize(("task", "path"), solutions("right"))
def test_right_solution_passes_and_is_wrong_about_another_variant(task, path):
    # The second half: an answer that passes whatever the seed could be learnt by heart.
    seeds = written(path).SEEDS
    for seed in seeds:
        found = result(task, path, seed)
        assert found.passed, found
    assert not all(result(task, path, seed).passed for seed in MANY if seed not in seeds)


@pytest.mark.parametrize(("task", "path"), solutions("wrong"))
def test_wrong_solution_is_refused_and_its_mistake_named(task, path):
    solution = written(path)
    for seed in solution.SEEDS:
        found = result(task, path, seed, diagnosis=True)
        assert not found.passed
        assert all(verdict.kind != faults.OUR_FAULT for verdict in found.verdicts), found
        assert getattr(solution, "KNOWN", None) in (None, *found.misconceptions), found
