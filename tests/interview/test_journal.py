"""The journal: every line is kept, whatever happens to the next."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from course_lib.interview import journal
from course_lib.workspace import COURSE

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def written(work):
    """An attempt with a line and a rating, written to the folder."""
    attempt = journal.begin("max-route")
    journal.write(attempt, "line", NOW, text="−∞, naïve", seconds=3.5)
    journal.write(attempt, "rated", NOW, rating=2)
    return attempt


def test_read_gives_what_was_written(work):
    attempt = written(work)
    assert journal.read() == ([attempt], "")
    assert (attempt.lines, attempt.seconds, attempt.rating, attempt.time) == (["−∞, naïve"], 3.5, 2, NOW)


def test_read_of_no_file_is_empty(work):
    assert journal.read() == ([], "")


def test_write_makes_the_work_folder(work, monkeypatch):
    monkeypatch.setenv("COURSE_WORK", str(work / "new" / "folder"))
    written(work)
    assert (work / "new" / "folder" / journal.FILE).exists()


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_read_passes_over_a_line_that_was_cut_short(work, cut):
    attempt = written(work)
    path = work / journal.FILE
    path.write_bytes(path.read_bytes()[:-cut])
    (found,), note = journal.read()
    assert (found.lines, found.rating) == (attempt.lines, 2 if cut == 1 else None)
    assert note == ("" if cut == 1 else "interview.jsonl: 1 damaged lines were passed over.")


def test_write_begins_a_line_of_its_own_behind_one_that_was_cut_short(work):
    attempt = written(work)
    path = work / journal.FILE
    path.write_bytes(path.read_bytes()[:-9])
    journal.write(attempt, "rated", NOW, rating=3)
    assert journal.read()[0][0].rating == 3


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b"[]", b"3", b"null", b'{"attempt": 1, "question": 2, "what": "line"}', b'{"what": "line"}',
     b'{"attempt": "a", "question": "b", "what": "rated", "rating": 9, "time": "2026-01-01"}',
     b'{"attempt": "a", "question": "b", "what": "rated", "rating": 1, "time": "yesterday"}', b"[" * 100_000],
)  # fmt: skip
def test_read_passes_over_a_line_that_is_no_event(work, line):
    attempt = written(work)
    path = work / journal.FILE
    path.write_bytes(line + b"\n" + path.read_bytes())
    attempts, note = journal.read()
    assert (attempts, note) == ([attempt], "interview.jsonl: 1 damaged lines were passed over.")


BEGAN = {"what": "began", "time": "2026-01-01T00:00:00+00:00", "seed": 1, "minutes": 15, "file": "drill/a.py"}
RATED = {"what": "rated", "time": "2026-01-01T00:00:00+00:00", "rating": 3}
HUGE = float("inf")


@pytest.mark.parametrize(
    "event",
    [RATED | {"rating": HUGE}, {"what": "ticked", "points": [HUGE]}, RATED | {"time": "0001-01-01T00:00:00+23:00"},
     RATED | {"time": "9999-01-01T00:00:00+00:00"}, BEGAN | {"time": "9999-12-31T23:59:59-23:00"},
     BEGAN | {"seed": -1}, BEGAN | {"minutes": HUGE}, BEGAN | {"minutes": float("nan")},
     BEGAN | {"file": "../../../../etc/hostname"}, BEGAN | {"file": "/etc/hostname"},
     BEGAN | {"file": "drill/../interview.jsonl"},
     {"what": "line", "text": "", "seconds": HUGE}, {"what": "time", "seconds": -1}],
    ids=str,
)  # fmt: skip
def test_read_passes_over_an_event_that_no_drill_has_written(work, event):
    attempt = journal.begin("code max-pool-backward")
    journal.write(attempt, "hint", NOW)
    line = json.dumps({"attempt": attempt.key, "question": attempt.question, **event}).replace("Infinity", "1e999")
    with open(work / journal.FILE, "a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert journal.read() == ([attempt], "interview.jsonl: 1 damaged lines were passed over.")


@pytest.mark.parametrize("event", [BEGAN, BEGAN | {"file": ""}, RATED], ids=str)
def test_read_takes_an_event_that_a_drill_has_written(work, event):
    (work / journal.FILE).write_text(json.dumps({"attempt": "a", "question": "b", **event}), encoding="utf-8")
    (attempt,), note = journal.read()
    assert note == "" and (attempt.seed or attempt.rating)


def test_read_ignores_an_event_of_a_newer_course(work):
    attempt = written(work)
    event = {"attempt": attempt.key, "question": attempt.question, "what": "sung", "time": NOW.isoformat()}
    with open(work / journal.FILE, "a", encoding="utf-8") as file:
        file.write(json.dumps(event) + "\n")
    assert journal.read() == ([attempt], "")


def test_write_keeps_a_line_with_what_is_no_text(work):
    journal.write(journal.begin("max-route"), "line", NOW, text="half \udcff byte", seconds=1)
    assert journal.read()[0][0].lines == ["half ? byte"]


WRITER = """
import sys
from datetime import UTC, datetime
from course_lib.interview import journal
attempt = journal.begin("max-route")
for number in range(40):
    journal.write(attempt, "line", datetime.now(UTC), text=f"{sys.argv[1]} {number}", seconds=number)
"""


def test_write_of_two_at_once_loses_nothing(work):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, name], cwd=COURSE) for name in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    attempts, note = journal.read()
    assert sorted(len(attempt.lines) for attempt in attempts) == [40, 40]
    assert note == ""
