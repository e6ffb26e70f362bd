"""``course release``: what it holds, what it says, and what it refuses."""

import json
import zipfile

import pytest

from course_lib import cli
from course_lib.classroom import contents, release, student_note
from course_lib.classroom.graded import as_graded
from course_lib.classroom.held_back import AVG_HELD_BACK, CONV_HELD_BACK, MAX_HELD_BACK
from course_lib.classroom.options import Options
from course_lib.exercises.registry import all_exercises, find
from course_lib.workspace import COURSE, CourseError
from tests.classroom.released import make

OPTIONS = """
title = "Vision, group B"
deadline = "Friday 12 March, 18:00"
contact = "Dr Li, room 4.12"
exercises = "3,7,11-12"
points = {3 = 10, 11 = 12.5}
"""


def refused(*words):
    """The sentence of a release that is refused."""
    with pytest.raises(CourseError) as caught:
        make(*words)
    return str(caught.value)


@pytest.fixture
def quick(monkeypatch):
    """A release of three small files, for what does not depend on its content."""
    files = {"start.py": b"pass\n", "notebooks/00_a.ipynb": b'{"cells": []}', "README.md": b"# A course\n"}
    monkeypatch.setattr(contents, "contents", lambda course, options: dict(files))
    monkeypatch.setattr(release, "guard", lambda *arguments: release_guard())
    return files


def release_guard():
    """A guard that looks for nothing but misplaced files."""
    from course_lib.classroom.scan import Guarded

    return Guarded(())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A whole release, with a title, points and four exercises."""
    scratch = tmp_path_factory.mktemp("release")
    (scratch / "class.toml").write_text(OPTIONS, encoding="utf-8")
    make(scratch / "course", "--options", scratch / "class.toml", "--solutions", "3")
    return scratch / "course"


def names(folder, pattern="*"):
    """The files of a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern) if path.is_file())


def test_release_holds_what_a_student_needs(folder):
    assert {"README.md", "LICENSE", "start.py", "course_command.py", "pyproject.toml", "requirements.txt"} <= set(
        names(folder)
    )
    assert names(folder, "notebooks/*") == names(COURSE, "notebooks/*.ipynb")


def test_release_holds_the_chosen_exercises_alone(folder):
    chosen = [find(number) for number in (3, 7, 11, 12)]
    assert names(folder, "exercises/*") == [f"exercises/{exercise.notebook}" for exercise in chosen]
    assert [name[23:25] for name in names(folder, "course_lib/exercises/ex[0-9]*")] == ["03", "07", "11", "12"]


def test_release_holds_the_published_solution_alone(folder):
    assert names(folder, "solutions/*") == ["solutions/03_one_window_by_hand.ipynb"]


@pytest.mark.parametrize(
    "name", ["sources", "tests", "tools", "benchmarks", "course_lib/classroom", "course_lib/interview"]
)
def test_release_lacks_what_is_the_teachers(name, folder):
    assert not (folder / name).exists()


def test_release_names_no_mistake_that_is_held_back_for_grading(folder):
    held_back = [mutant.name for group in (AVG_HELD_BACK, CONV_HELD_BACK, MAX_HELD_BACK) for mutant in group]
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.suffix in (".py", ".ipynb")]
    assert any("max_eqmask" in text for text in texts)
    assert [name for name in held_back if any(name in text for text in texts)] == []


def test_release_has_no_dead_link(folder):
    pages = [*folder.glob("*.md"), *folder.glob("docs/*.md"), *folder.glob("*/*.ipynb")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        cells = json.loads(text)["cells"] if page.suffix == ".ipynb" else [{"cell_type": "markdown", "source": text}]
        prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        links = [match[2].partition("#")[0] for match in contents.LINK.finditer(prose) if ":" not in match[2]]
        assert [link for link in links if not (page.parent / link).exists()] == [], page


def test_release_says_in_a_chapter_which_exercise_is_missing(folder):
    text = (folder / "notebooks/06_how_does_a_shared_kernel_learn.ipynb").read_text(encoding="utf-8")
    assert "(not in this edition)" in text
    assert "05_convolution_by_hand" not in text


def test_release_gives_points_and_deadline_under_the_title(folder):
    notebook = json.loads((folder / "exercises/03_one_window_by_hand.ipynb").read_text(encoding="utf-8"))
    lines = "".join(notebook["cells"][0]["source"]).splitlines()
    assert lines[0] == "# Exercise 3 ★ One window by hand"
    assert lines[2] == "**Points:** 10 (all 8 of the check count 10). **Hand in by:** Friday 12 March, 18:00."


def test_an_exercise_says_what_the_grading_gives_beyond_its_check():
    exercise = find(7)
    checked, beyond = student_note.most(exercise), student_note.more(exercise, Options())
    line = student_note.terms(exercise, Options())
    assert line == f"**Points:** {checked + beyond} (the check gives up to {checked}, and the grading {beyond} more)."
    graded = sum(judged.points for judged in as_graded(exercise).properties)
    assert student_note.worth(exercise, Options()) == graded
    assert student_note.worth(exercise, Options(nbgrader=True)) == checked


def test_readme_tells_students_what_the_teacher_set(folder):
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# Where Does the Gradient Go? Vision, group B\n")
    assert "**Hand in by:** Friday 12 March, 18:00." in text
    assert "ask Dr Li, room 4.12." in text
    assert "](exercises/11_max_pooling_workshop.ipynb) | 03 | 12.5 |" in text
    assert "kernel_gradient" not in text


def test_modules_of_exercises_hold_no_worked_answer(folder):
    tasks = sorted((folder / "course_lib/exercises/tasks").glob("ch*.py"))
    assert len(tasks) == 6
    assert all('worked=""' in path.read_text(encoding="utf-8") for path in tasks)


def test_release_publishes_worked_answers_of_tasks_when_asked():
    files = contents.library(COURSE, Options(worked=True))
    assert b"missing is c" in files["course_lib/exercises/tasks/ch13_could_i_explain_it_in_60_seconds.py"]


def test_release_refuses_a_folder_that_is_not_empty_and_loses_nothing(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert cli.main(["release", "--to", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"course: {tmp_path} is not empty. Nothing was written: name a new folder.\n"
    assert names(tmp_path) == ["mine.txt"]


def test_release_refuses_a_file(tmp_path):
    (tmp_path / "a").write_text("mine")
    assert "is a file" in refused(tmp_path / "a")


def test_release_refuses_a_zip_that_is_there(tmp_path):
    (tmp_path / "a.zip").write_text("mine")
    assert "a.zip is there already" in refused(tmp_path / "a", "--zip")
    assert (tmp_path / "a.zip").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "build/release", "course_lib/a"])
def test_release_refuses_the_courses_own_folder(name):
    assert "Nothing was written" in refused(COURSE / name)


def test_release_refuses_where_there_is_nothing_to_compare_with(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "COURSE", tmp_path / "course")
    assert "no solutions to compare with" in refused(tmp_path / "a")


def test_release_fills_an_empty_folder(tmp_path, quick):
    (tmp_path / "a").mkdir()
    make(tmp_path / "a")
    assert set(names(tmp_path / "a", "**/*")) == set(quick)


def test_release_that_leaks_is_not_written(tmp_path, quick):
    quick["solutions/05.ipynb"] = b'{"cells": []}'
    sentence = refused(tmp_path / "a", "--zip")
    assert sentence.startswith("Nothing was written") and "solutions/05.ipynb" in sentence
    assert list(tmp_path.iterdir()) == []


def test_release_whose_exercise_holds_a_solution_is_not_written(tmp_path, monkeypatch):
    (path,) = (COURSE / "solutions").glob("11_*.ipynb")
    pasted = next(
        cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["id"] == "solution-backward"
    )

    def with_leak(course, name):
        made = json.loads((course / name).read_text(encoding="utf-8"))
        made["cells"].append({**pasted, "metadata": {}})
        return made

    monkeypatch.setattr(contents, "notebook", with_leak)
    assert "exercise 11" in refused(tmp_path / "a", "--exercises", "11")
    assert list(tmp_path.iterdir()) == []


def test_zip_holds_the_release_under_its_name(tmp_path, quick):
    make(tmp_path / "class b", "--zip")
    with zipfile.ZipFile(tmp_path / "class b.zip") as archive:
        assert sorted(archive.namelist()) == sorted(f"class b/{name}" for name in quick)
        assert archive.getinfo("class b/start.py").external_attr >> 16 & 0o111


def test_zip_is_the_same_for_the_same_content(tmp_path, quick):
    for folder in ("a", "b"):
        make(tmp_path / folder / "course", "--zip")
    assert (tmp_path / "a/course.zip").read_bytes() == (tmp_path / "b/course.zip").read_bytes()


def test_secret_that_is_short_is_refused(tmp_path):
    (tmp_path / "key").write_bytes(b"abc\n")
    assert "too short for a class secret" in refused(tmp_path / "a", "--secret", tmp_path / "key")


def test_contents_are_the_same_each_time():
    options = Options(exercises=(3,), title="A")
    assert contents.contents(COURSE, options) == contents.contents(COURSE, options)


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda exercise: exercise.name)
def test_nbgrader_locks_all_but_stubs_and_finds_one_score(exercise):
    options = Options(exercises=(exercise.number,), nbgrader=True, points={exercise.number: 10})
    made = contents.exercise_notebook(contents.notebook(COURSE, f"exercises/{exercise.notebook}"), exercise, options)
    cells = json.loads(made)["cells"]
    marks = [cell["metadata"]["nbgrader"] for cell in cells if "nbgrader" in cell["metadata"]]
    assert [cell["metadata"].get("tags") for cell in cells if "nbgrader" not in cell["metadata"]].count(
        ["stub"]
    ) == len(cells) - len(marks)
    assert len({mark["grade_id"] for mark in marks}) == len(marks)
    assert all(mark["locked"] for mark in marks)
    assert [mark["points"] for mark in marks if mark["grade"]] == [10]
