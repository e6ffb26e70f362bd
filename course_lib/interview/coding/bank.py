"""All coding tasks: one module each in the folder ``tasks``."""

import importlib
import pkgutil
from functools import cache

from course_lib.interview.coding import tasks as folder
from course_lib.workspace import CourseError


@cache
def tasks():
    """Every task, the short ones first."""
    found = (_task(name) for name in names())
    return tuple(sorted(found, key=lambda task: (task.minutes, task.name)))


def names():
    """The name of every task."""
    return [found.name.replace("_", "-") for found in pkgutil.iter_modules(folder.__path__)]


def find(name):
    """The task with a name; no other one is loaded.

    Raises
    ------
    CourseError
        There is none.
    """
    if name not in names():
        raise CourseError(f"There is no coding task {name!r}. They are {', '.join(names())}.")
    return _task(name)


def _task(name):
    """The task of a module."""
    return importlib.import_module(f"{folder.__name__}.{name.replace('-', '_')}").TASK
