"""Finding exercises: every module ``exNN_name.py`` of this package is one."""

import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def module_names():
    """The module of each exercise by its number, in order; nothing is loaded."""
    found = (re.fullmatch(r"ex(\d\d)_\w+", module.name) for module in pkgutil.iter_modules([str(FOLDER)]))
    return {int(match[1]): match[0] for match in sorted(filter(None, found), key=lambda match: match[0])}


def find(number):
    """The exercise with a number; None if there is none."""
    name = module_names().get(number)
    return importlib.import_module(f"course_lib.exercises.{name}").EXERCISE if name else None


def all_exercises():
    """Every exercise, in order."""
    return [find(number) for number in module_names()]
