"""A batch on a dask cluster: the same rows, also where a worker is killed; and what is said without a cluster."""

import os
import re
import signal
import sys

import pytest

from course_lib import cli
from course_lib.classroom import batch, cluster, task
from course_lib.classroom.journal import Journal
from course_lib.classroom.submissions import find
from course_lib.workspace import COURSE, CourseError
from tests.grading.classes import handed_in, notebook, rows_of, settings, solution
from tests.grading.test_submissions import zipped

SLOW = "import time\ndef max_pool2d(x, kernel_size, stride, padding):\n    time.sleep(0.01)\n    return x"
NOBODY = "tcp://127.0.0.1:9"


@pytest.fixture
def folder(tmp_path):
    """Some students: right, slow, broken, without a notebook, and in a zip."""
    works = {f"student {number}": {"03.ipynb": solution(3)} for number in range(6)}
    works |= {"slow": {"11.ipynb": notebook(SLOW)}, "broken": {"03.ipynb": b"broken"}, "empty": {"essay.pdf": b""}}
    works["zip"] = {"work.zip": zipped({"a/03.ipynb": solution(3)}), "bad.zip": b"PK"}
    return handed_in(tmp_path / "class", works)


@pytest.fixture(scope="module")
def workers(zygote):
    """A cluster of two workers on this machine."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL") as found:
        yield found


def on_cluster(folder, report, workers, meanwhile=lambda done: None):
    """The rows by name of a batch on a cluster."""
    report.mkdir()
    with Journal(report / "journal.sqlite", fresh=True) as book:
        written = book.write
        book.write = lambda *row: (written(*row), meanwhile(row[0]))
        rows = batch.run(find(folder), settings(3, 11), book, scheduler=workers.scheduler_address)
    return {row["name"]: row for row in rows}


def test_a_killed_worker_loses_nothing(folder, tmp_path, workers):
    pids = [worker.pid for worker in workers.workers.values()]

    def kill(_):
        if pids:
            os.kill(pids.pop(), signal.SIGKILL)
            pids.clear()

    assert on_cluster(folder, tmp_path / "one", workers, kill) == rows_of(folder, tmp_path / "two", settings(3, 11))
    assert not pids


def _dies_for_eve(key, name, *rest):
    """As the workers' own, but for one student."""
    if name == "eve":
        os.kill(os.getpid(), signal.SIGKILL)
    return ELSEWHERE(key, name, *rest)


ELSEWHERE = task.elsewhere


def test_who_ends_the_workers_is_not_graded_and_costs_nobody_else(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(task, "elsewhere", _dies_for_eve)
    monkeypatch.setattr(cluster, "TRIES", 1)
    monkeypatch.setattr(workers.scheduler, "allowed_failures", 0)
    folder = handed_in(tmp_path / "class", {"eve": {"03.ipynb": b""}, "ada": {"03.ipynb": solution(3)}})
    rows = on_cluster(folder, tmp_path / "report", workers)
    assert [rows[name]["exercises"][0]["status"] for name in ("ada", "eve")] == ["graded", "not graded"]


def test_another_version_of_the_course_is_refused(workers, monkeypatch):
    monkeypatch.setattr(task, "version", lambda: "another")
    with pytest.raises(CourseError, match="they have another version of the course"):
        next(cluster.graded([], settings(3), workers.scheduler_address))


def test_a_cluster_without_workers_is_said(zygote, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    scheduler = {"cls": distributed.Scheduler, "options": {"dashboard_address": ":0"}}
    with (
        distributed.SpecCluster(scheduler=scheduler, workers={}) as empty,
        pytest.raises(CourseError, match="has no workers. Start some: dask worker tcp"),
    ):
        next(cluster.graded([], settings(3), empty.scheduler_address))


def test_a_scheduler_that_does_not_answer_is_one_sentence(folder, tmp_path, monkeypatch, capsys):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 0.5)
    words = ["grade", str(folder), "--out", str(tmp_path / "report"), "--scheduler", NOBODY]
    assert cli.main(words) == 1
    assert capsys.readouterr().err == (
        f"course: no dask scheduler answers at {NOBODY}. "
        f"Start it with dask scheduler, and workers with dask worker {NOBODY} --nthreads 1.\n"
    )


def test_without_dask_one_sentence_says_how_to_get_it(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "dask", None)
    assert cli.main(["grade", str(folder), "--out", str(tmp_path / "report"), "--scheduler", NOBODY]) == 1
    assert "needs dask. Install it: python -m pip install -r requirements-classroom.txt" in capsys.readouterr().err


def test_what_the_sentence_names_is_what_the_tests_run_with():
    pinned, tested = (
        set(re.findall(r"(?m)^[\w.-]+==.*$", (COURSE / f"requirements-{name}.txt").read_text(encoding="utf-8")))
        for name in ("classroom", "test")
    )
    assert {line.partition("==")[0] for line in pinned} == {"dask", "distributed", "rapidfuzz", "nbgrader"}
    assert pinned <= tested


def test_what_crosses_is_bytes_and_names(folder):
    """No path of the teacher's, and nothing that has to be unpickled."""
    kinds = (str, bytes, bool)
    for submission in find(folder):
        key, name, identifier, others, files = task.carried(submission)
        assert all(type(one) is str for one in (key, name, identifier, *others))
        assert all(type(value) in kinds for file in files for value in file)
        assert str(folder) not in repr((key, name, identifier, others, files))


def test_too_much_of_one_student_does_not_cross(tmp_path, monkeypatch):
    monkeypatch.setattr(task, "MOST_BYTES", 5)
    works = {"ada": {"03-1.ipynb": b"1234", "03-2.ipynb": b"1234", "03-3.ipynb": b"1"}}
    (found,) = find(handed_in(tmp_path / "class", works))
    files = task.carried(found)[-1]
    assert [(name, data) for name, _, data, _ in files] == [
        ("03-1.ipynb", b""),
        ("03-2.ipynb", b"1234"),
        ("03-3.ipynb", b"1"),
    ]
    assert files[0][-1] == task.TOO_MUCH
