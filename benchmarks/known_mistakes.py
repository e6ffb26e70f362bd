"""Notebooks with one known mistake each, as students could hand them in: what they need of the course is in them."""

import base64
import functools
import json
import subprocess
import sys
import zlib
from pathlib import Path

from course_lib.exercises import registry
from course_lib.exercises.misconceptions import CATALOGUE
from tests.grading.classes import notebook
from tools.wrong_answers import FUNCTIONS, wrong_answers

# The sandbox has nothing of the course: the modules come along in the notebook, in front of the stand-ins.
LOADER = """
import base64, importlib.abc, importlib.machinery, json, sys, zlib

class Given(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    texts = json.loads(zlib.decompress(base64.b64decode("{packed}")))

    def find_spec(self, name, path, target=None):
        known = name in self.texts
        return importlib.machinery.ModuleSpec(name, self, is_package=self.texts[name][0]) if known else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = "/empty/" + module.__name__
        exec(compile(self.texts[module.__name__][1], module.__name__, "exec"), module.__dict__)

def with_mistake():
    sys.meta_path.insert(0, Given())
    from course_lib.exercises import {module} as exercise
    from course_lib.exercises.misconceptions import CATALOGUE
    changes = CATALOGUE["{mistake}"].forms[0]
    return exercise.{maker}.with_mistakes(changes)
"""
MAKERS = {5: "LOOPS", 11: "POOL", 12: "POOL"}
NEEDED = """
import sys, {modules}
import course_lib.exercises.misconceptions
names = [name for name in sys.modules if name.split(".")[0] == "course_lib"]
print("\\n".join(f"{{name}} {{sys.modules[name].__file__}}" for name in names))
"""


def known_mistakes(numbers):
    """The exercise, the mistake and the bytes of a notebook for each known mistake that can be made."""
    for number in numbers:
        made = {}
        for wrong in wrong_answers(registry.find(number)):
            made.setdefault(wrong.mistake, wrong.answers)
        for mistake, answers in made.items():
            maker = _with_functions if number in FUNCTIONS else _with_values
            yield number, mistake, maker(number, mistake, answers)


def _with_values(number, mistake, answers):
    """A notebook whose answers are plain values."""
    return notebook(*(f"import numpy as np\n{name} = {_written(value)}" for name, value in answers.items()))


def _written(value):
    """A value as code."""
    return repr(value.tolist() if hasattr(value, "tolist") else value)


def _with_functions(number, mistake, answers):
    """A notebook whose answers are functions with changed rules."""
    assert CATALOGUE[mistake].forms
    module = registry.module_names()[number]
    cells = [LOADER.format(packed=_packed(), module=module, mistake=mistake, maker=MAKERS[number])]
    cells.append("found = with_mistake()\n" + "\n".join(f"{name} = found[{name!r}]" for name in answers))
    return notebook(*cells)


@functools.cache
def _packed():
    """The modules that the functions need, as text without line breaks."""
    modules = ", ".join(f"course_lib.exercises.{registry.module_names()[number]}" for number in MAKERS)
    words = [sys.executable, "-c", NEEDED.format(modules=modules)]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    paths = {name: Path(path) for name, path in (line.split(" ", 1) for line in lines)}
    texts = {name: (path.name == "__init__.py", path.read_text(encoding="utf-8")) for name, path in paths.items()}
    return base64.b64encode(zlib.compress(json.dumps(texts).encode(), 9)).decode()
