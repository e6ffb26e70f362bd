"""The command: which question, in what order, and how it ends."""

import argparse
import os
import re
import subprocess
import sys

import pytest

from course_lib import cli
from course_lib.interview import command, hunt, journal, questions, schedule
from course_lib.workspace import COURSE, CourseError

ENTER = [""] * 4


def drill(desk, *words):
    """The exit status of ``course drill`` with these words."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(words), desk)


def rated():
    """The names of the questions that were rated."""
    return [attempt.question for attempt in journal.read()[0] if attempt.rating]


def test_drill_asks_as_many_as_it_is_told(work, candidate):
    desk = candidate(*ENTER * 3)
    assert drill(desk, "--count", "3") == 0
    assert len(set(rated())) == 3
    assert "3 questions asked." in desk.said


def test_drill_asks_what_is_due_before_what_is_new(work, candidate):
    pytest.importorskip("fsrs")
    first = candidate(*ENTER * 2)
    drill(first, "--count", "2")
    later = candidate(*ENTER * 3)
    later.wait(days=2)
    drill(later, "--count", "3")
    assert rated()[2:4] == rated()[:2]
    assert rated()[4] not in rated()[:4]


def test_drill_says_when_the_next_comes_if_nothing_is_due(work, candidate):
    pytest.importorskip("fsrs")
    drill(candidate(*ENTER), "--question", "im2col")
    desk = candidate(*ENTER)
    drill(desk, "--question", "im2col")
    assert "Nothing more is due; the next comes in 10 minutes." in desk.said


def test_drill_asks_a_named_question_although_it_is_not_due(work, candidate):
    for _ in range(2):
        drill(candidate(*ENTER), "--question", "im2col")
    assert rated() == ["im2col"] * 2


@pytest.mark.parametrize("words", [["--topic", "TIES"], ["--level", "3"], ["--topic", "ties", "--level", "1"]])
def test_drill_asks_only_what_was_chosen(work, candidate, words):
    drill(candidate(*ENTER), *words, "--count", "1")
    (question,) = [question for question in questions() if question.name == rated()[0]]
    assert "--topic" not in words or "Ties" in question.topic
    assert "--level" not in words or str(question.level) == words[-1]


@pytest.mark.parametrize("words", [["--topic", "cooking"], ["--question", "none"]])
def test_drill_refuses_a_choice_of_nothing(work, candidate, words):
    with pytest.raises(CourseError, match=r"There is no such question\. course drill --list shows them all\."):
        drill(candidate(), *words)


@pytest.mark.parametrize(("stop", "status"), [(KeyboardInterrupt, 130), (EOFError, 0)])
def test_drill_ends_with_a_sentence_and_its_status(work, candidate, stop, status):
    desk = candidate("a line", stop())
    assert drill(desk) == status
    assert desk.said[-1].endswith("What you entered is kept, and course drill goes on from there.")
    assert journal.read()[0][0].lines == ["a line"]


def test_drill_goes_on_with_what_was_broken_off(work, candidate):
    drill(candidate("a line"))
    (name,) = [attempt.question for attempt in journal.read()[0]]
    desk = candidate("", *ENTER)
    drill(desk, "--count", "1")
    (found,), _ = journal.read()
    assert (found.question, found.lines, found.rating is None) == (name, ["a line"], False)
    assert "  > a line" in desk.said


def test_drill_drops_what_was_broken_off_if_told_so(work, candidate):
    drill(candidate("a line"))
    drill(candidate("n", *ENTER), "--count", "1")
    drill(candidate(*ENTER), "--count", "1")
    dropped, *others = journal.read()[0]
    assert (dropped.lines, dropped.rating, dropped.dropped) == (["a line"], None, True)
    assert [attempt.rating for attempt in others] == [1, 1]


def test_drill_lists_every_question_and_asks_none(work, candidate):
    desk = candidate()
    assert drill(desk, "--list") == 0
    assert [line.split()[0] for line in desk.said] == [question.name for question in questions()]
    assert not desk.prompts


def test_drill_lists_every_hunt_and_plays_none(work, candidate):
    drill(candidate(""), "--hunt", hunt.hunts()[0].name)
    desk = candidate()
    assert drill(desk, "--hunt", "--list") == 0
    assert [line.split()[0] for line in desk.said] == [entry.name for entry in hunt.hunts()]
    assert [line.endswith("new") for line in desk.said] == [False] + [True] * (len(hunt.hunts()) - 1)
    assert not desk.prompts


def test_drill_without_the_library_says_how_to_get_it_and_asks(work, candidate, monkeypatch, capsys):
    monkeypatch.setattr(schedule, "fsrs", None)
    monkeypatch.setattr("course_lib.interview.drill.fsrs", None)
    assert drill(candidate(*ENTER * 2), "--count", "2") == 0
    assert len(set(rated())) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "python -m pip install fsrs" in error


def test_drill_says_that_lines_were_damaged(work, candidate, capsys):
    (work / journal.FILE).write_text("{\n")
    drill(candidate(*ENTER), "--count", "1")
    assert "interview.jsonl: 1 damaged lines were passed over." in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "-1", "many", "1.5", "1000000", "²"])
def test_drill_refuses_a_count_that_is_none(count, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["drill", "--count", count])
    assert re.fullmatch(r"course drill: .*\. See course drill --help\.\n", capsys.readouterr().err)


BARE = """
import sys
for name in ("torch", "fsrs", "genanki", "matplotlib", "ipywidgets", "IPython"):
    sys.modules[name] = None
from course_lib import cli
sys.exit(cli.main(["drill", "--question", "max-route"]))
"""


def test_drill_works_with_neither_torch_nor_the_library(work):
    done = subprocess.run(
        [sys.executable, "-c", BARE], input="It adds them.\n\n1\n\n\n", capture_output=True, text=True, timeout=60,
        cwd=COURSE, env=os.environ | {"COURSE_WORK": str(work)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, schedule.WITHOUT + "\n")
    assert rated() == ["max-route"]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_drill_works_on_a_console_of_any_encoding(work, encoding):
    done = subprocess.run(
        [sys.executable, "-P", str(COURSE / "course_command.py"), "drill", "--question", "empty-window"],
        input=b"minus \xff infinity\n\n\n\n\n", capture_output=True, timeout=60,
        env=os.environ | {"COURSE_WORK": str(work), "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert rated() == ["empty-window"]


def test_drill_says_in_one_line_that_the_work_folder_cannot_be_used(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "file"))
    assert cli.main(["drill"]) == 1
    assert re.fullmatch(r"course: [^\n]+file[^\n]*\n", capsys.readouterr().err)
