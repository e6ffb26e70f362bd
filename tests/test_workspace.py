"""The learner's folder: nothing in it is ever overwritten or lost."""

import json
import os
import subprocess
import sys

import pytest

from course_lib import workspace

NAME = "notebooks/02_routes.ipynb"
BESIDE = "notebooks/02_routes (new edition).ipynb"


def notebook(*sources, output=None):
    """The bytes of a small notebook."""
    outputs = [{"output_type": "stream", "name": "stdout", "text": output}] if output else []
    cells = [
        {"cell_type": "code", "source": source, "outputs": outputs, "metadata": {}, "execution_count": 1}
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


FIRST, SECOND, THIRD = notebook("first"), notebook("second"), notebook("third")
EDITED = notebook("first", "mine")
RUN = notebook("first", output="42")


class Course:
    """A course of one notebook, and a learner."""

    def __init__(self, folder):
        self.course, self.work = folder / "course", folder / "work"
        self.publish(FIRST)

    def publish(self, content, name=NAME):
        path = self.course / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def start(self):
        return workspace.fill(self.course, self.work)

    def save(self, content, name=NAME):
        (self.work / name).write_bytes(content)

    def read(self, name=NAME):
        return (self.work / name).read_bytes()

    def files(self):
        return {
            path.relative_to(self.work).as_posix(): path.read_bytes()
            for path in self.work.rglob("*")
            if path.is_file() and ".course" not in path.parts
        }


@pytest.fixture
def course(tmp_path):
    return Course(tmp_path)


def test_work_folder_is_named_by_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "mine"))
    assert workspace.work_folder() == tmp_path / "mine"


def test_work_folder_stands_in_the_course_by_default(monkeypatch):
    monkeypatch.setenv("COURSE_WORK", "")
    assert workspace.work_folder() == workspace.COURSE / "work"


def test_work_folder_is_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_WORK", "mine")
    assert workspace.work_folder() == tmp_path / "mine"


def test_work_folder_creates_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "mine"))
    workspace.work_folder()
    assert not list(tmp_path.iterdir())


def test_outside_work_note_is_silent_inside(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORK", str(tmp_path))
    assert workspace.outside_work_note(tmp_path / "notebooks") is None


@pytest.mark.parametrize(("named", "used"), [("work", "link"), ("link", "work")])
def test_outside_work_note_is_silent_through_a_link(monkeypatch, tmp_path, named, used):
    (tmp_path / "work" / "notebooks").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "work")
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / named))
    assert workspace.outside_work_note(tmp_path / used / "notebooks") is None


def test_outside_work_note_speaks_outside(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "work"))
    monkeypatch.chdir(tmp_path)
    assert workspace.outside_work_note().startswith("This notebook is open outside work/")


def test_outside_work_note_is_one_line(tmp_path):
    assert "\n" not in workspace.outside_work_note(tmp_path)


def test_fill_gives_every_file_once(course):
    course.publish(b"1 2 3", "exercises/data/numbers.txt")
    assert course.start() == []
    assert course.files() == {NAME: FIRST, "exercises/data/numbers.txt": b"1 2 3"}


def test_fill_leaves_what_jupyter_and_python_left(course):
    course.publish(b"", "notebooks/.ipynb_checkpoints/02_routes-checkpoint.ipynb")
    course.publish(b"", "notebooks/__pycache__/a.pyc")
    course.start()
    assert course.files() == {NAME: FIRST}


def test_fill_brings_a_deleted_notebook_back(course):
    course.start()
    (course.work / NAME).unlink()
    course.start()
    assert course.read() == FIRST


def test_fill_writes_nothing_at_a_second_start(course):
    course.start()
    before = {path: path.stat().st_mtime_ns for path in course.work.rglob("*")}
    course.start()
    assert {path: path.stat().st_mtime_ns for path in course.work.rglob("*")} == before


def test_fill_refreshes_an_untouched_notebook(course):
    course.start()
    course.publish(SECOND)
    assert course.start() == []
    assert course.files() == {NAME: SECOND}


def test_fill_keeps_an_edited_notebook_without_an_update(course):
    course.start()
    course.save(EDITED)
    assert course.start() == []
    assert course.files() == {NAME: EDITED}


def test_fill_puts_a_new_edition_beside_an_edited_notebook(course):
    course.start()
    course.save(EDITED)
    course.publish(SECOND)
    course.start()
    assert course.files() == {NAME: EDITED, BESIDE: SECOND}


def test_fill_says_that_a_new_edition_stands_beside(course):
    course.start()
    course.save(EDITED)
    course.publish(SECOND)
    (note,) = course.start()
    assert "02_routes (new edition).ipynb" in note
    assert "\n" not in note


def test_fill_puts_an_edition_beside_only_once(course):
    course.start()
    course.save(EDITED)
    course.publish(SECOND)
    course.start()
    (course.work / BESIDE).unlink()
    assert course.start() == []
    assert course.files() == {NAME: EDITED}


def test_fill_refreshes_an_untouched_edition_beside(course):
    course.start()
    course.save(EDITED)
    for edition in (SECOND, THIRD):
        course.publish(edition)
        course.start()
    assert course.files() == {NAME: EDITED, BESIDE: THIRD}


def test_fill_keeps_an_edited_edition_beside(course):
    course.start()
    course.save(EDITED)
    course.publish(SECOND)
    course.start()
    course.save(notebook("second", "mine too"), BESIDE)
    course.publish(THIRD)
    course.start()
    assert course.files() == {
        NAME: EDITED,
        BESIDE: notebook("second", "mine too"),
        "notebooks/02_routes (new edition) (2).ipynb": THIRD,
    }


def test_fill_goes_on_with_an_edition_that_the_learner_moved_over(course):
    course.start()
    course.save(EDITED)
    course.publish(SECOND)
    course.start()
    os.replace(course.work / BESIDE, course.work / NAME)
    course.publish(THIRD)
    assert course.start() == []
    assert course.files() == {NAME: THIRD}


def test_fill_leaves_a_run_notebook_without_an_update(course):
    course.start()
    course.save(RUN)
    assert course.start() == []
    assert course.files() == {NAME: RUN}


def test_fill_leaves_a_run_notebook_when_only_outputs_were_published(course):
    course.start()
    course.save(RUN)
    course.publish(notebook("first", output="41"))
    assert course.start() == []
    assert course.files() == {NAME: RUN}


def test_fill_moves_a_run_notebook_for_a_new_edition(course):
    course.start()
    course.save(RUN)
    course.publish(SECOND)
    (note,) = course.start()
    assert course.files() == {NAME: SECOND, "earlier/" + NAME: RUN}
    assert "earlier" in note


def test_fill_moves_every_run_notebook_to_a_name_of_its_own(course):
    course.start()
    for published in (SECOND, THIRD):
        content = course.read()
        course.save(content + b"\n")
        course.publish(published)
        course.start()
    assert set(course.files()) == {NAME, "earlier/" + NAME, "earlier/notebooks/02_routes (2).ipynb"}


def test_fill_takes_a_changed_attachment_for_an_edit(course):
    changed = json.loads(FIRST)
    changed["cells"][0]["attachments"] = {"drawing.png": {"image/png": "AAAA"}}
    course.start()
    course.save(json.dumps(changed).encode())
    course.publish(SECOND)
    course.start()
    assert course.read() == json.dumps(changed).encode()


@pytest.mark.parametrize("broken", [b"", b"{", b'{"cells": 3}', b"\xff\xfe", b"[]"])
def test_fill_takes_a_broken_notebook_for_an_edited_one(course, broken):
    course.start()
    course.save(broken)
    course.publish(SECOND)
    course.start()
    assert course.files() == {NAME: broken, BESIDE: SECOND}


@pytest.mark.parametrize("record", [None, b"", b"{", b"[]", b'{"notebooks/02_routes.ipynb": {"bytes": "0"}}'])
def test_fill_takes_every_change_for_an_edit_without_a_record(course, record):
    course.start()
    path = course.work / workspace.RECORD
    path.unlink() if record is None else path.write_bytes(record)
    course.publish(SECOND)
    course.start()
    assert course.files() == {NAME: FIRST, BESIDE: SECOND}


def test_fill_knows_the_present_edition_without_a_record(course):
    course.start()
    (course.work / workspace.RECORD).unlink()
    course.start()
    course.publish(SECOND)
    course.start()
    assert course.files() == {NAME: SECOND}


def test_fill_keeps_a_file_that_the_learner_made(course):
    course.start()
    course.save(b"notes", "notebooks/notes.txt")
    course.publish(SECOND)
    course.start()
    assert course.read("notebooks/notes.txt") == b"notes"


def test_fill_keeps_a_notebook_that_the_course_gave_up(course):
    course.start()
    (course.course / NAME).unlink()
    course.start()
    assert course.files() == {NAME: FIRST}


def test_fill_gives_writable_copies_of_a_read_only_course(course):
    (course.course / NAME).chmod(0o444)
    course.start()
    assert (course.work / NAME).stat().st_mode & 0o200


def test_fill_ends_whole_after_being_killed_in_mid_write(course):
    program = f"""
import os, pathlib
from course_lib import workspace
os.replace = lambda *paths: os._exit(9)
workspace.fill(pathlib.Path({str(course.course)!r}), pathlib.Path({str(course.work)!r}))
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == 9
    assert NAME not in course.files()
    course.start()
    assert course.read() == FIRST


def test_fill_sweeps_old_parts(course):
    course.start()
    part = course.work / "notebooks" / (workspace.PART + "1-02_routes.ipynb")
    part.write_bytes(b"half")
    os.utime(part, (0, 0))
    course.start()
    assert course.files() == {NAME: FIRST}


def test_fill_loses_nothing_when_killed_before_the_record(course, monkeypatch):
    course.start()
    course.save(EDITED)
    course.publish(SECOND)
    with monkeypatch.context() as patch:
        patch.setattr(workspace, "write_record", lambda *arguments: None)
        course.start()
    course.start()
    assert course.files() == {NAME: EDITED, BESIDE: SECOND}


def test_fill_refuses_a_folder_that_cannot_be_written(course):
    course.work.write_text("a file where the folder should be")
    with pytest.raises(workspace.CourseError, match="work.*cannot be written.*COURSE_WORK"):
        course.start()


def test_workspace_imports_only_the_standard_library():
    program = """
import sys, types, pathlib
package = types.ModuleType("course_lib")
package.__path__ = [sys.argv[1]]
sys.modules["course_lib"] = package
import course_lib.workspace
print(sorted({name.split(".")[0] for name in sys.modules} & {"numpy", "torch", "matplotlib", "ipywidgets"}))
"""
    folder = str(workspace.COURSE / "course_lib")
    found = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
