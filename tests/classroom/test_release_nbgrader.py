"""A course that runs nbgrader takes exercises as they are released: nbgrader's own commands, where it is installed."""

import csv
import json
import os
import shutil
import subprocess
import sys

import pytest

from course_lib.classroom import contents
from course_lib.classroom.options import Options
from course_lib.exercises.registry import find
from course_lib.workspace import COURSE

pytest.importorskip("nbgrader")
BOX = shutil.which("bwrap")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BOX is None, reason="nbgrader runs what students wrote: only in bubblewrap"),
]
NAME = find(3).notebook
ANSWERS = {"ada": "b", "eve": "c\n)"}
# Nbgrader's commands one after another in one Python: each would need seconds to start.
COMMANDS = """
import contextlib, json, sys
from jupyter_core.application import NoStart
from nbgrader.apps import NbGraderApp

for words in json.loads(sys.argv[1]):
    app = NbGraderApp.instance()
    app.initialize(words)
    # So ends a command whose subcommand has done the work; where that fails, it exits.
    with contextlib.suppress(NoStart):
        app.start()
    for one in (app, app.subapp):
        type(one).clear_instance()
"""
# nbclient may miss the reply of a kernel and wait for ever (jupyter/nbconvert#1921): it is made to look again.
CONFIG = """
import time
from queue import Empty
import jupyter_client.channels as channels

c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.course_id = "course"
c.Exchange.root = {root!r} + "/exchange"
c.ExecutePreprocessor.timeout = 60
whole = channels.AsyncZMQSocketChannel.get_msg

async def get_msg(self, timeout=None):
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        step = 0.2 if end is None else max(0, min(0.2, end - time.monotonic()))
        try:
            return await whole(self, step)
        except Empty:
            if end is not None and time.monotonic() >= end:
                raise

channels.AsyncZMQSocketChannel.get_msg = get_msg
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of nbgrader with one assignment, and what became of two submissions."""
    root = tmp_path_factory.mktemp("nbgrader")
    (root / "nbgrader_config.py").write_text(CONFIG.format(root=str(root)))
    options = Options(exercises=(3,), nbgrader=True, points={3: 10})
    source = contents.exercise_notebook(contents.notebook(COURSE, f"exercises/{NAME}"), find(3), options)
    put(root / "source/one" / NAME, source)
    nbgrader(root, ["generate_assignment", "one"])
    for student, letter in ANSWERS.items():
        put(root / "submitted" / student / "one" / NAME, solved((root / "release/one" / NAME).read_bytes(), letter))
    export = ["export", "--to", str(root / "grades.csv")]
    nbgrader(root, ["autograde", "one"], ["generate_feedback", "one"], export)
    return root


def put(path, data):
    """Write a file into a folder that may be new."""
    path.parent.mkdir(parents=True)
    path.write_bytes(data)


def nbgrader(root, *commands):
    """Some commands of nbgrader, in a box without a network that can write into the course of nbgrader alone."""
    box = [BOX, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    box += ["--bind", str(root), str(root), "--chdir", str(root)]
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "TMPDIR", "HOME")
    places = {name: str(root / "jupyter") for name in folders}
    (root / "jupyter").mkdir(exist_ok=True)
    # nbgrader calls alembic by its name.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    own = {"COURSE_WORK": str(root / "work"), "PYTHONPATH": str(COURSE), "PATH": path}
    variables = {**os.environ, **places, **own}
    command = [*box, sys.executable, "-c", COMMANDS, json.dumps(commands)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]


def solved(data, letter):
    """The exercise with all gradients right, and a letter."""
    made = json.loads(data)
    (stub,) = (cell for cell in made["cells"] if cell["id"] == "answers")
    stub["source"] = (
        "max_gradient, average_gradient = [[0, 6], [0, 0]], [[1.5, 1.5], [1.5, 1.5]]\n"
        f'tie_gradient = [[0, 6, 0], [0, 0, 0]]\ntie_rule = "{letter[0]}"{letter[1:]}'
    )
    (points,) = (cell for cell in made["cells"] if cell["id"] == "points")
    # A locked cell is restored before it is run.
    points["source"] = "100"
    return json.dumps(made).encode()


def test_generate_assignment_leaves_the_stub_of_the_course(course):
    made = json.loads((course / "release/one" / NAME).read_text(encoding="utf-8"))
    (stub,) = ("".join(cell["source"]) for cell in made["cells"] if cell["id"] == "answers")
    assert stub.endswith("tie_rule = ...")


def test_autograde_gives_the_share_of_the_points(course):
    with open(course / "grades.csv", encoding="utf-8", newline="") as file:
        rows = {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in csv.DictReader(file)}
    assert rows["ada"] == (7.5, 10)
    # A cell that is no Python leaves nothing to check.
    assert rows["eve"] == (0, 10)


def test_feedback_is_written_for_each_student(course):
    for student in ANSWERS:
        assert (course / "feedback" / student / "one" / NAME).with_suffix(".html").exists()
