"""Progress is one file: written in one move, under a lock, and never lost."""

import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time

import pytest

from course_lib.exercises import check, progress, record
from tests.exercises.conftest import RIGHT


def stored():
    """The content of the file."""
    return json.loads(record.path().read_bytes())


def plus_one(entry):
    """Counts."""
    return {**entry, "attempts": record.count(entry, "attempts") + 1}


def python(code):
    """A second kernel that runs code with the store at hand."""
    head = "from course_lib.exercises import record\n"
    return subprocess.Popen([sys.executable, "-c", head + textwrap.dedent(code)])


def test_update_stores_what_the_change_gives():
    entry, note = record.update(3, plus_one)
    assert (entry, note) == ({"attempts": 1}, "")
    assert stored() == {"schema": 1, "exercises": {"3": {"attempts": 1}}}


def test_update_makes_the_work_folder(work, monkeypatch):
    monkeypatch.setenv("COURSE_WORK", str(work / "new" / "folder"))
    record.update(3, plus_one)
    assert record.read()[0] == {"3": {"attempts": 1}}


def test_update_leaves_one_file_and_an_empty_lock(work):
    record.update(3, plus_one)
    files = {path.name: path.stat().st_size for path in work.iterdir() if path.is_file()}
    assert files.pop(".progress.lock") == 0
    assert list(files) == ["progress.json"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such bits")
def test_the_file_can_be_read_by_whom_the_learner_allows():
    old = os.umask(0o022)
    try:
        record.update(3, plus_one)
    finally:
        os.umask(old)
    assert stat.S_IMODE(record.path().stat().st_mode) == 0o644


def test_two_kernels_at_once_lose_nothing():
    counting = """
        for _ in range(60):
            record.update({number}, lambda entry: {{**entry, "attempts": record.count(entry, "attempts") + 1}})
            record.update(9, lambda entry: {{**entry, "attempts": record.count(entry, "attempts") + 1}})
    """
    kernels = [python(counting.format(number=number)) for number in (1, 2)]
    assert [kernel.wait(60) for kernel in kernels] == [0, 0]
    counts = {key: entry["attempts"] for key, entry in stored()["exercises"].items()}
    assert counts == {"1": 60, "2": 60, "9": 120}


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_kernel_killed_in_mid_write_leaves_the_old_content(work):
    record.update(3, plus_one)
    dying = python("""
        import os, signal
        os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
        record.update(3, lambda entry: {**entry, "attempts": 1000})
    """)
    assert dying.wait(30) == -signal.SIGKILL
    assert list(work.glob(".progress-*.part"))
    assert stored()["exercises"] == {"3": {"attempts": 1}}
    record.update(3, plus_one)
    assert stored()["exercises"] == {"3": {"attempts": 2}}
    assert not list(work.glob(".progress-*.part"))


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_kernels_killed_at_any_moment_leave_a_whole_file():
    for number in range(4):
        kernel = python('while True: record.update(3, lambda entry: {**entry, "text": "x" * 20000})')
        end = time.monotonic() + 30
        while not record.path().exists() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.1 + 0.007 * number)
        kernel.kill()
        kernel.wait(30)
        entries, note = record.read()
        assert (len(entries["3"]["text"]), note) == (20000, "")
        record.path().unlink()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"[]", b"null", b'"text"', b'{"exercises": [1]}', b"[" * 100_000, b'{"schema": NaN,'],
    ids=["empty", "cut off", "not UTF-8", "a list", "null", "text", "no table", "deep", "no JSON"],
)
def test_a_damaged_file_is_set_aside_with_one_sentence(work, content):
    record.path().write_bytes(content)
    assert "damaged" in record.read()[1]
    entry, note = record.update(3, plus_one)
    assert note == "progress.json was damaged: it is kept as progress (damaged 1).json, and a new one is begun."
    assert (work / "progress (damaged 1).json").read_bytes() == content
    assert stored()["exercises"] == {"3": {"attempts": 1}}


def test_a_second_damaged_file_gets_another_name(work):
    for _ in range(2):
        record.path().write_bytes(b"{")
        record.update(3, plus_one)
    assert (work / "progress (damaged 2).json").exists()


def test_check_says_so_and_judges_all_the_same():
    record.path().write_bytes(b"{")
    result = check(3, **RIGHT)
    assert result.passed
    assert result.notes[0].startswith("progress.json was damaged")


def test_what_another_version_wrote_is_kept():
    data = {"schema": 7, "theme": "dark", "exercises": {"3": {"attempts": 4, "medal": "gold"}, "x": {"y": 1}, "4": 5}}
    record.path().write_text(json.dumps(data))
    entry, note = record.update(3, plus_one)
    assert note == ""
    data["exercises"]["3"]["attempts"] = 5
    assert stored() == data


def test_an_older_file_without_a_schema_is_taken_over():
    record.path().write_text(json.dumps({"exercises": {"3": {"points": 4}}}))
    record.update(3, plus_one)
    assert stored() == {"schema": 1, "exercises": {"3": {"points": 4, "attempts": 1}}}


def test_a_newer_layout_is_left_as_it_is():
    content = json.dumps({"schema": 2, "exercises": [["3", 8]]})
    record.path().write_text(content)
    result = check(3, **RIGHT)
    assert result.passed
    assert result.notes[0].startswith("progress.json was written by a newer version of the course")
    assert "newer version" in repr(progress())
    assert record.path().read_text() == content


@pytest.mark.parametrize("value", ["8", -1, 2.5, None, [], True, 10**400])
def test_a_number_that_is_none_counts_as_nothing(value):
    record.path().write_text(json.dumps({"schema": 1, "exercises": {"3": {"points": value, "passed": value}}}))
    assert "not started" in repr(progress()) or "done" in repr(progress())
    assert check(3, max_gradient=RIGHT["max_gradient"]).points == 2


def test_a_folder_that_cannot_be_written_is_said_and_nothing_else_fails(work, monkeypatch):
    blocked = work / "a file"
    blocked.write_text("")
    monkeypatch.setenv("COURSE_WORK", str(blocked))
    result = check(3, **RIGHT)
    assert result.passed
    assert result.notes[0].startswith("Your progress was not saved: ")


def test_a_held_lock_ends_in_a_sentence(monkeypatch):
    from course_lib.exercises import lock

    monkeypatch.setattr(lock, "PAUSES", [0.01] * 3)
    with lock.locked(record.work_folder() / record.LOCK):
        _, note = record.update(3, plus_one)
    assert note == "Your progress was not saved: another notebook holds it."
