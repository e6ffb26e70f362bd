"""A release is used as a student uses it: its own files alone, in a Python that has nothing else of the course."""

import asyncio
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib.exercises.conclusions import Conclusion
from course_lib.exercises.exercise import Choice
from course_lib.exercises.fill_in import RightFormula, RightIndices
from course_lib.exercises.registry import all_exercises, all_tasks
from course_lib.workspace import COURSE
from tests.classroom.released import environment, make, python
from tools.execute import OwnPython

RIGHT = (
    "max_gradient=[[0, 6], [0, 0]], average_gradient=[[1.5, 1.5], [1.5, 1.5]], tie_gradient=[[0, 6, 0], [0, 0, 0]], "
    'tie_rule="c"'
)
KEYS = """
from course_lib.exercises.conclusions import Conclusion
from course_lib.exercises.exercise import Choice
from course_lib.exercises.fill_in import RightFormula, RightIndices
from course_lib.exercises.registry import all_exercises, all_tasks
for exercise in [*all_exercises(), *all_tasks()]:
    print([answer for answer in exercise.answers if isinstance(answer, Choice | Conclusion)],
          [judged.right for judged in exercise.properties if isinstance(judged, RightFormula | RightIndices)])
"""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A folder for what the tests need beside the release."""
    return tmp_path_factory.mktemp("release works")


@pytest.fixture(scope="module")
def folder(scratch):
    """A release in a folder with spaces in its name."""
    (scratch / "class.toml").write_text('contact = "Dr Li, room 4.12"\ndeadline = "Friday"\n', encoding="utf-8")
    make(scratch / "my course", "--options", scratch / "class.toml")
    return scratch / "my course"


@pytest.fixture
def student(folder, scratch):
    """Runs a program in the release; its output must not be an error."""

    def run(code, *words):
        done = python(folder, scratch / "site", code, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_release_is_what_is_imported(student, folder):
    assert student("import course_lib; print(course_lib.__file__)").strip() == str(folder / "course_lib/__init__.py")


def test_check_of_exercise_3_gives_all_points(student):
    assert "8 of 8 points" in student(f"from course_lib.exercises import check; print(check(3, {RIGHT}))")


def test_check_names_the_mistake_of_a_wrong_choice(student):
    text = student("from course_lib.exercises import check; print(check(3, tie_rule='b'))")
    assert "known mistake: max_eqmask" in text


def test_reveal_says_whom_to_ask(student):
    text = " ".join(student("from course_lib.exercises import reveal; print(reveal(3))").split())
    assert "This copy of the course has no solutions. Ask Dr Li, room 4.12." in text


def test_reveal_shows_no_worked_answer_of_a_task(student):
    text = " ".join(student("from course_lib.exercises import reveal; print(reveal('13'))").split())
    assert "Ask Dr Li, room 4.12." in text


def test_keys_are_opened_to_what_they_were(student):
    expected = [
        (
            [answer for answer in exercise.answers if isinstance(answer, Choice | Conclusion)],
            [judged.right for judged in exercise.properties if isinstance(judged, RightFormula | RightIndices)],
        )
        for exercise in [*all_exercises(), *all_tasks()]
    ]
    assert student(KEYS).splitlines() == [f"{answers} {rights}" for answers, rights in expected]


def test_keys_are_not_written_in_the_modules(folder):
    for path in sorted((folder / "course_lib/exercises").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if re.fullmatch(r"(ex|ch)\d\d_\w+", path.stem):
            # An option has its words, and then the sealed meaning; so has a statement.
            assert len(re.findall(r"\b(?:Option|Statement)\(", text)) == len(
                re.findall(r"\b(?:Option|Statement)\((?:'[^'\n]*'|\"[^\"\n]*\"), (?:named|opened)\(", text)
            ), path


def test_right_formulas_are_not_written_in_the_modules(folder):
    for exercise in [*all_exercises(), *all_tasks()]:
        (module,) = (COURSE / "course_lib/exercises").glob(f"**/??{exercise.name}.py")
        published = (folder / module.relative_to(COURSE)).read_text(encoding="utf-8")
        for judged in exercise.properties:
            if isinstance(judged, RightFormula | RightIndices):
                one = re.escape(judged.name)
                key = rf'"{one}",\s*(\d,\s*)?(\("{one}",\),\s*)?"{re.escape(judged.right)}"'
                assert re.search(key, module.read_text(encoding="utf-8")), "the pattern finds the key where it is"
                assert not re.search(key, published), (exercise.name, judged.name)


def test_every_module_of_a_release_can_be_imported(student, folder):
    code = """
import importlib, sys
from pathlib import Path
paths = [path.with_suffix("") for path in Path("course_lib").rglob("*.py")]
names = sorted(".".join(path.parts).removesuffix(".__init__") for path in paths)
for name in names:
    if "triton" not in name and "cuda" not in name:
        importlib.import_module(name)
print(len(names))
"""
    pytest.importorskip("torch")
    assert int(student(code)) > 100


@pytest.mark.parametrize("name", ["release", "grade", "test"])
def test_the_teachers_commands_say_that_they_are_elsewhere(name, folder, scratch):
    done = python(folder, scratch / "site", f"import sys; from course_lib.cli import main; sys.exit(main(['{name}']))")
    assert done.returncode == 1
    assert re.fullmatch(r"course: .* not part of this edition; .* in the course's repository\.\n", done.stderr)


def test_start_says_that_the_tests_are_elsewhere(folder):
    done = subprocess.run([sys.executable, "start.py", "test"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "start.py: the tests are not part of this edition; they are in the course's repository.\n"


def test_doctor_is_content(student):
    text = student("import sys; from course_lib.cli import main; sys.exit(main(['doctor']))")
    assert "Everything that the course needs works." in text


def solved(path):
    """An exercise of the work folder with the answers of exercise 3 typed in."""
    made = nbformat.read(path, as_version=4)
    (stub,) = (cell for cell in made.cells if cell.id == "answers")
    stub.source = RIGHT.replace(", average", "\naverage").replace(", tie", "\ntie")
    return made


async def executed(made, path, variables):
    """A notebook with the outputs of a run without a browser."""
    client = NotebookClient(made, timeout=100, startup_timeout=100, kernel_manager_class=OwnPython)
    client.comm_open_handlers = {}
    await client.async_execute(cwd=str(path.parent), env=variables)
    return made


def test_an_exercise_of_the_work_folder_runs_and_is_solved(student, folder, scratch):
    student("from course_lib import workspace; workspace.fill()")
    path = folder / "work/exercises/03_one_window_by_hand.ipynb"
    variables = environment(folder, scratch / "site")
    made = asyncio.run(executed(solved(path), path, variables))
    (check,) = (cell for cell in made.cells if cell.id == "check")
    assert "8 of 8 points" in check.outputs[0].data["text/plain"]
    assert json.loads((folder / "work/progress.json").read_text())["exercises"]["3"]["passed"] is True


def test_pages_of_a_release_can_be_written(student, scratch):
    pytest.importorskip("mistune")
    code = "import sys; from course_lib.cli import main; sys.exit(main(['html', '--to', sys.argv[1]]))"
    assert "pages are in" in student(code, str(scratch / "pages"))
    assert os.path.exists(scratch / "pages/exercises/03_one_window_by_hand.html")
