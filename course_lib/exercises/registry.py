"""Finding exercises: every module ``exNN_name.py`` of this package is one, and every ``tasks/chNN_name.py`` a task."""

import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def module_names():
    """The module of each exercise by its number, in order; nothing is loaded."""
    return {int(number): name for number, name in _modules(FOLDER, "ex")}


@cache
def task_names():
    """The module of each chapter's task by the chapter's number, as text, in order; nothing is loaded."""
    return {number: f"tasks.{name}" for number, name in _modules(FOLDER / "tasks", "ch")}


def _modules(folder, prefix):
    """The modules of a folder that have a number of two digits behind the prefix: number and name, in order."""
    found = (re.fullmatch(rf"{prefix}(\d\d)_\w+", module.name) for module in pkgutil.iter_modules([str(folder)]))
    return sorted((match[1], match[0]) for match in found if match)


def find(number):
    """The exercise with a number, or the task of a chapter, whose number is text; None if there is none."""
    name = {**module_names(), **task_names()}.get(number)
    return importlib.import_module(f"course_lib.exercises.{name}").EXERCISE if name else None


def all_exercises():
    """Every exercise, in order."""
    return [find(number) for number in module_names()]


def all_tasks():
    """The task of every chapter that has one, in order."""
    return [find(number) for number in task_names()]
