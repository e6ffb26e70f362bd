"""A whole batch by the command: what is written, and what becomes of a batch that is killed."""

import csv
import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool

import pytest

from course_lib import cli
from course_lib.classroom import batch, grading, pages, task
from course_lib.classroom.box import landlock
from course_lib.classroom.journal import Journal
from course_lib.classroom.report import write
from course_lib.classroom.submissions import find
from course_lib.workspace import CourseError
from tests.grading.classes import handed_in, notebook, rows_of, settings, solution

SLOW = "import time\nmax_pool2d = time.sleep(2)"


@pytest.fixture
def folder(zygote, tmp_path):
    """Some students."""
    works = {
        "ada": {"03.ipynb": solution(3)},
        "=cmd|' calc'!A0": {"03.ipynb": solution(3)},
        "<b>bob</b>": {"03.ipynb": notebook("max_gradient = '<script>alert(1)</script>'")},
        "张 伟": {"03.ipynb": b"broken"},
        "eve": {"holiday.txt": b"", "picture.ipynb": notebook("x = 1")},
    }
    return handed_in(tmp_path / "class", works)


def files(report):
    """All that a report holds, but for the journal."""
    found = (path for path in report.rglob("*") if path.is_file() and "journal" not in path.name)
    return {path.relative_to(report).as_posix(): path.read_bytes() for path in found}


def grade(folder, report, *more):
    return cli.main(["grade", str(folder), "--out", str(report), "--exercises", "3", "--jobs", "1", *more])


def test_the_command_writes_a_report(folder, tmp_path, capsys):
    assert grade(folder, tmp_path / "report") == 0
    assert "5 submissions. Open" in capsys.readouterr().out
    assert len(files(tmp_path / "report")) == 7


def test_the_table_has_a_row_for_each_student(folder, tmp_path):
    grade(folder, tmp_path / "report")
    with open(tmp_path / "report" / "grades.csv", encoding="utf-8-sig", newline="") as file:
        rows = {row["Student"]: row for row in csv.DictReader(file)}
    assert rows["ada"]["Grade"] == rows["ada"]["Maximum Grade"] == "8"
    assert rows["张 伟"]["Exercise 3 status"] == "unreadable"
    assert rows["eve"]["Exercise 3 status"] == "nothing handed in"
    assert "answers no exercise" in rows["eve"]["Feedback comments"]


def test_no_cell_is_a_formula(folder, tmp_path):
    grade(folder, tmp_path / "report")
    with open(tmp_path / "report" / "grades.csv", encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert any(cell.startswith("'=cmd") for cell in cells)


def test_no_page_runs_anything(folder, tmp_path):
    grade(folder, tmp_path / "report")
    pages = [data.decode() for name, data in files(tmp_path / "report").items() if name.endswith(".html")]
    assert len(pages) == 6
    assert not [page for page in pages if "<script" in page or "<b>bob" in page or "http:" in page]


def test_the_same_submissions_give_the_same_report(folder, tmp_path):
    for report in ("one", "two"):
        grade(folder, tmp_path / report)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_resume_grades_nothing_again(folder, tmp_path, monkeypatch):
    grade(folder, tmp_path / "report")
    before = files(tmp_path / "report")
    monkeypatch.setattr(grading, "grade", lambda *_: pytest.fail("graded again"))
    assert grade(folder, tmp_path / "report", "--resume") == 0
    assert files(tmp_path / "report") == before


def test_resume_grades_what_has_changed(folder, tmp_path):
    grade(folder, tmp_path / "report")
    (folder / "张 伟" / "03.ipynb").write_bytes(solution(3))
    grade(folder, tmp_path / "report", "--resume")
    assert b"unreadable" not in files(tmp_path / "report")["grades.csv"]


def test_a_journal_that_is_none_is_told_in_a_sentence(folder, tmp_path, capsys):
    (tmp_path / "journal.sqlite").write_bytes(b"no journal " * 99)
    assert grade(folder, tmp_path, "--resume") == 1
    assert "cannot be used (file is not a database): without --resume a new one is begun" in capsys.readouterr().err


def test_a_full_disk_is_told_in_a_sentence_and_loses_no_row(tmp_path):
    with Journal(tmp_path / "journal.sqlite", fresh=True) as book:
        book.write("ada", "", {"points": 1})
        book.base.execute("pragma max_page_count = 3")
        with pytest.raises(CourseError, match=r"is full\). What was graded is kept: .* with --resume"):
            book.write("bob", "", {"points": "2" * 99999})
    with Journal(tmp_path / "journal.sqlite", fresh=False) as book:
        assert (book.read("ada", ""), book.read("bob", "")) == ({"points": 1}, None)


def test_a_report_without_room_is_told_in_a_sentence(tmp_path):
    (tmp_path / "report.html").symlink_to("/dev/full")
    with pytest.raises(CourseError, match=r"report.html cannot be written .* What was graded is kept"):
        write(tmp_path, [], settings(3))


def test_who_is_gone_has_no_page_any_more(tmp_path):
    rows = [{**grading.not_graded(one, settings(3), ""), "level": ""} for one in _two_students(tmp_path)]
    (tmp_path / "students").mkdir()
    (tmp_path / "students" / "own.html").write_text("the teacher's")
    write(tmp_path, rows, settings(3))
    write(tmp_path, rows[:1], settings(3))
    assert sorted(files(tmp_path / "students")) == sorted(["own.html", pages.file_name(rows[0])])


def _two_students(folder):
    """Two submissions."""
    works = {"ada": {"03.ipynb": notebook("x = 1")}, "bob": {"03.ipynb": notebook("x = 1")}}
    return find(handed_in(folder / "class", works))


def test_a_secret_that_is_short_is_refused(folder, tmp_path, capsys):
    (tmp_path / "secret").write_text("abc")
    assert grade(folder, tmp_path / "report", "--secret", str(tmp_path / "secret")) == 1
    assert "must have 16 characters or more" in capsys.readouterr().err


def test_an_exercise_that_is_none_is_refused(folder, tmp_path, capsys):
    assert grade(folder, tmp_path / "report", "--exercises", "3,99") == 1
    assert "there is no exercise 99" in capsys.readouterr().err


def test_without_a_sandbox_nothing_is_graded(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(landlock, "version", lambda: 0)
    assert grade(folder, tmp_path / "report") == 1
    assert "Install bubblewrap (apt install bubblewrap)" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()


def test_what_the_grader_failed_on_is_tried_again(folder, tmp_path, monkeypatch):
    original = grading._exercise
    monkeypatch.setattr(grading, "_exercise", lambda *_: 1 / 0)
    assert grade(folder, tmp_path / "report") == 1
    assert b"not graded" in files(tmp_path / "report")["grades.csv"]
    monkeypatch.setattr(grading, "_exercise", original)
    assert grade(folder, tmp_path / "report", "--resume") == 0
    assert b"not graded" not in files(tmp_path / "report")["grades.csv"]


def test_several_at_a_time_give_the_same(folder, tmp_path):
    assert rows_of(folder, tmp_path / "one", settings(3)) == rows_of(folder, tmp_path / "two", settings(3), jobs=2)


def test_a_process_of_the_pool_that_dies_costs_only_its_own(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(task, "in_pool", _dies_for_eve)
    rows = rows_of(folder, tmp_path / "report", settings(3), jobs=2)
    assert {name: row["exercises"][0]["status"] for name, row in rows.items() if name in ("ada", "eve")} == {
        "ada": "graded",
        "eve": "not graded",
    }


class BrokenPool:
    """A pool that takes nothing, since a process of it has just died."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, *_):
        raise BrokenProcessPool


def test_who_was_to_start_when_the_pool_broke_still_waits(monkeypatch):
    monkeypatch.setattr(batch, "ProcessPoolExecutor", BrokenPool)
    waiting, lost = ["ada", "eve"], []
    assert list(batch._one_pool(waiting, None, 1, lost)) == []
    assert sorted([*waiting, *lost]) == ["ada", "eve"]


def _dies_for_eve(submission, chosen):
    """As the pool's own, but for one student."""
    if submission.name == "eve":
        os.kill(os.getpid(), signal.SIGKILL)
    return task.grade(task.ZYGOTE, submission, chosen)


def test_a_batch_that_is_killed_goes_on_where_it_was(zygote, tmp_path):
    works = {f"student {number:02}": {"03.ipynb": solution(3)} for number in range(12)}
    works["student 06"] = {"11.ipynb": notebook(SLOW)}
    folder = handed_in(tmp_path / "class", works)
    words = [
        sys.executable,
        "-m",
        "course_command",
        "grade",
        str(folder),
        "--exercises",
        "3,11",
        "--jobs",
        "1",
        "--out",
    ]
    process = subprocess.Popen([*words, str(tmp_path / "killed")])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and _written(tmp_path / "killed") < 6:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert 6 <= _written(tmp_path / "killed") < 12
    for report, more in (("killed", ["--resume"]), ("whole", [])):
        subprocess.run([*words, str(tmp_path / report), *more], check=True, capture_output=True)
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def _written(report):
    """How many rows a journal holds."""
    if not (report / "journal.sqlite").exists():
        return 0
    with Journal(report / "journal.sqlite", fresh=False) as book:
        return book.base.execute("select count(*) from rows").fetchone()[0]


def test_find_gives_one_order(folder):
    assert [one.name for one in find(folder)] == sorted([one.name for one in find(folder)], key=str.casefold)
