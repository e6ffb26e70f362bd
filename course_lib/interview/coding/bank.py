"""All coding tasks: one module each in the folder ``tasks``."""

import importlib
import pkgutil
from functools import cache

from course_lib.interview.coding import tasks as folder
from course_lib.workspace import CourseError


@cache
def tasks():
    """Every task, the short ones first."""
    modules = [
        importlib.import_module(f"{folder.__name__}.{found.name}") for found in pkgutil.iter_modules(folder.__path__)
    ]
    return tuple(sorted((module.TASK for module in modules), key=lambda task: (task.minutes, task.name)))


def find(name):
    """The task with a name.

    Raises
    ------
    CourseError
        There is none.
    """
    for task in tasks():
        if task.name == name:
            return task
    raise CourseError(f"There is no coding task {name!r}. They are {', '.join(task.name for task in tasks())}.")
