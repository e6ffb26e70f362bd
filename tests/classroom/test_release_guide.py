"""What the teacher's guide says of chapters, exercises, mistakes and commands is so."""

import argparse
import importlib
import re

import pytest

from course_lib import cli
from course_lib.classroom.options import read
from course_lib.classroom.student_note import most
from course_lib.exercises.engine import has_star
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.registry import all_exercises, all_tasks, find
from course_lib.workspace import COURSE

GUIDE = (COURSE / "docs/teachers_guide.md").read_text(encoding="utf-8")
CHAPTERS = sorted((COURSE / "sources/chapters").glob("*.py"))
MEETINGS = re.findall(r"^### Meeting (\d+): (.+?)\n(.*?)(?=^##)", GUIDE, re.MULTILINE | re.DOTALL)


def plain(text):
    """A text without its line breaks and comment signs."""
    return " ".join(re.sub(r"^# ?", "", text, flags=re.MULTILINE).split())


def source(path):
    """A chapter's title, its minutes and its objectives."""
    text = path.read_text(encoding="utf-8")
    title = re.search(r"^# # \d\d · (.+)$", text, re.MULTILINE)[1]
    goals = text.partition("**You will be able to**")[2].partition("**Time:**")[0]
    minutes = re.search(r"\*\*Time:\*\* about (\d+) minutes", text)[1]
    return title, minutes, [plain(goal) for goal in re.split(r"^# \d\. ", goals, flags=re.MULTILINE)[1:]]


def exercises_of(text):
    """The exercises and tasks of a meeting: number as it is found, and the rest of the line."""
    graded = re.findall(
        r"^\* \[Exercise (\d+)\]\(\.\./exercises/(\w+\.ipynb)\), (.+): (\d+) points(.*)$", text, re.MULTILINE
    )
    tasks = re.findall(r"^\* Task (\d\d), (.+), at the end of the chapter: (\d+) points$", text, re.MULTILINE)
    return graded, tasks


def test_meetings_are_numbered():
    assert [int(number) for number, _, _ in MEETINGS] == list(range(1, len(MEETINGS) + 1))


def test_every_chapter_stands_in_one_meeting_in_order():
    assert re.findall(r"^\[Chapter \d\d\]\(\.\./notebooks/(\w+)\.ipynb\)", GUIDE, re.MULTILINE) == [
        path.stem for path in CHAPTERS
    ]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_guide_gives_title_minutes_and_objectives_of(path):
    title, minutes, goals = source(path)
    ((_, heading, text),) = [meeting for meeting in MEETINGS if f"/{path.stem}.ipynb" in meeting[2]]
    assert title in heading
    own = text.partition(f"/{path.stem}.ipynb")[2].partition("[Chapter ")[0].partition("**To do**")[0]
    assert own.startswith(f"), {minutes} minutes.")
    assert [plain(goal) for goal in re.split(r"^\* ", own, flags=re.MULTILINE)[1:]] == goals


def test_every_exercise_stands_in_one_meeting_with_its_points():
    found = [line for _, _, text in MEETINGS for line in exercises_of(text)[0]]
    assert sorted(int(number) for number, *_ in found) == [exercise.number for exercise in all_exercises()]
    for number, notebook, title, points, rest in found:
        exercise = find(int(number))
        stars = sum(judged.points for judged in exercise.properties if has_star(judged))
        assert (notebook, title, int(points)) == (exercise.notebook, exercise.title, most(exercise))
        assert rest == (f", {stars} of them for stars" if stars else "")


def test_every_task_stands_in_the_meeting_of_its_chapter():
    found = [(line, text) for _, _, text in MEETINGS for line in exercises_of(text)[1]]
    assert sorted(number for (number, *_), _ in found) == [task.number for task in all_tasks()]
    for (number, title, points), text in found:
        assert (title, int(points)) == (find(number).title, most(find(number)))
        assert f"/{find(number).notebook}" in text


def test_exercises_come_no_earlier_than_their_chapters():
    seen = set()
    for _, _, text in MEETINGS:
        seen |= set(re.findall(r"^\[Chapter (\d\d)\]", text, re.MULTILINE))
        assert {find(int(number)).chapter for number, *_ in exercises_of(text)[0]} <= seen


@pytest.mark.parametrize(("number", "_", "text"), MEETINGS, ids=[f"meeting {number}" for number, _, _ in MEETINGS])
def test_mistakes_of_a_meeting_can_happen_there_and_are_told_as_the_check_does(number, _, text):
    graded, tasks = exercises_of(text)
    known = {name for line in graded for name in find(int(line[0])).misconceptions}
    known |= {name for line in tasks for name in find(line[0]).misconceptions}
    for name, sentence in re.findall(r"^\* `(\w+)`: (.+?)(?=^\*|^$)", text, re.MULTILINE | re.DOTALL):
        assert name in known
        assert plain(sentence) == plain(CATALOGUE[name].sentence)


def test_table_of_meetings_says_what_the_meetings_say():
    rows = re.findall(r"^\| (\d+) \| ([\d, ]+) \| (\d+) \| (.+) \| (\d+) \|$", GUIDE, re.MULTILINE)
    expected = []
    for number, _, text in MEETINGS:
        chapters = re.findall(r"^\[Chapter (\d\d)\]\(.+\), (\d+) minutes", text, re.MULTILINE)
        graded, tasks = exercises_of(text)
        names = [line[0] for line in graded] + [f"task {line[0]}" for line in tasks]
        points = sum(int(line[3]) for line in graded)
        minutes = sum(int(each) for _, each in chapters)
        expected.append((number, ", ".join(name for name, _ in chapters), str(minutes), ", ".join(names), str(points)))
    assert rows == expected


def test_options_that_the_guide_shows_are_read(tmp_path):
    (block,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    (tmp_path / "class.toml").write_text(block, encoding="utf-8")
    assert read(tmp_path / "class.toml").exercises == (3, 5, 11, 12)


@pytest.mark.parametrize("line", re.findall(r"^ {4,}course (.+)$", GUIDE, re.MULTILINE))
def test_commands_that_the_guide_shows_are_understood(line):
    name, *words = line.split()
    parser = argparse.ArgumentParser(exit_on_error=False)
    importlib.import_module(cli.COMMANDS[name].module).add_arguments(parser)
    parser.parse_args(words)


def test_options_that_the_guide_names_exist():
    parsers = {name: argparse.ArgumentParser() for name in ("release", "grade")}
    for name, parser in parsers.items():
        importlib.import_module(cli.COMMANDS[name].module).add_arguments(parser)
    known = {word for parser in parsers.values() for action in parser._actions for word in action.option_strings}
    assert set(re.findall(r"`(--\w[\w-]*)", GUIDE)) <= known
