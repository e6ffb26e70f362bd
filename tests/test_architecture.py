"""Who may import whom, and that every backend offers the same names."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import course_lib
from course_lib import numpy_ops

PACKAGE = Path(course_lib.__file__).parent
LEVELS = [
    {"arguments", "geometry", "threads"},
    {"loops", "numpy_ops"},
    {"torch_ops"},
    {"dispatch"},
    {"gradcheck", "routing", "experiments", "exercises"},
    {"figures"},
    {"widgets"},
    {"classroom", "interview", "site"},
]
ONLY = {"torch": {"torch_ops", "experiments"}, "matplotlib": {"figures"}, "ipywidgets": {"widgets"},
        "anywidget": {"widgets"}}  # fmt: skip
# The command line and the work folder serve all rooms and belong to none.
OUTSIDE = {"__init__", "cli", "doctor", "lab", "workspace"}


def _imports(path):
    """Every module a file imports, whole names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _room(path):
    """The module or folder of course_lib that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _level(room):
    return next((number for number, rooms in enumerate(LEVELS) if room in rooms), None)


FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_room_has_a_level():
    assert {_room(path) for path in FILES} - OUTSIDE <= set().union(*LEVELS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_point_one_way(path):
    room = _room(path)
    used = {name.split(".")[1] for name in _imports(path) if name.startswith("course_lib.")} - {room} - OUTSIDE
    if room in OUTSIDE:
        return
    wrong = {other for other in used if _level(other) is not None and _level(other) > _level(room)}
    assert not wrong, f"{room} imports {wrong}, which stands above it"


def test_loops_and_numpy_ops_never_import_each_other():
    for path in FILES:
        other = {"loops": "numpy_ops", "numpy_ops": "loops"}.get(_room(path))
        assert other is None or not any(f"course_lib.{other}" in name for name in _imports(path)), path


@pytest.mark.parametrize("library", ONLY)
def test_only_its_room_imports_a_library(library):
    users = {_room(path) for path in FILES if any(name.split(".")[0] == library for name in _imports(path))}
    assert users - OUTSIDE <= ONLY[library]


def test_nothing_imports_the_solutions():
    assert not [path for path in FILES if any(name.split(".")[0] == "solutions" for name in _imports(path))]


@pytest.mark.parametrize("name", ["loops", "torch_ops"])
def test_backends_have_the_same_names_and_signatures(name):
    if name == "torch_ops":
        pytest.importorskip("torch")
    backend = importlib.import_module(f"course_lib.{name}")
    assert sorted(backend.__all__) == sorted(numpy_ops.__all__)
    for name in numpy_ops.__all__:
        assert inspect.signature(getattr(backend, name)) == inspect.signature(getattr(numpy_ops, name)), name


def test_the_front_door_opens_every_operation():
    assert set(numpy_ops.__all__) <= set(course_lib.__all__)


def _in_a_fresh_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_loads_none_of_the_large_libraries():
    large = ["torch", "matplotlib", "ipywidgets", "anywidget", "scipy", "sklearn", "IPython"]
    code = f"import sys, course_lib; print([name for name in {large} if name in sys.modules])"
    assert _in_a_fresh_python(code) == "[]"


IMPORT_TIMES = """
import time
start = time.process_time(); import numpy; middle = time.process_time(); import course_lib; end = time.process_time()
print((end - start) / (middle - start))
"""


def test_import_takes_little_more_than_numpy():
    # The least of five, in time of the processor: a busy machine only adds to it.
    assert min(float(_in_a_fresh_python(IMPORT_TIMES)) for _ in range(5)) < 1.5
