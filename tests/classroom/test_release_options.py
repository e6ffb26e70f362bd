"""The options of a release, from a file and from the command line."""

import pytest

from course_lib.classroom.options import Options, read
from course_lib.workspace import CourseError


@pytest.fixture
def toml(tmp_path):
    """A file with options."""

    def write(text):
        path = tmp_path / "class.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_read_includes_everything_but_solutions_where_nothing_is_said():
    assert read() == Options(exercises=tuple(range(1, 13)))


def test_read_takes_all_from_a_file(toml):
    text = 'title = "B"\ndeadline = "Friday"\ncontact = "Dr Li"\nexercises = [3, "5-7"]\nsolutions = [3, "tasks"]\n'
    found = read(toml(text + "nbgrader = true\n[points]\n3 = 10\n"))
    assert found == Options("B", "Friday", "Dr Li", (3, 5, 6, 7), (3,), True, {3: 10}, True)


def test_command_line_outranks_the_file(toml):
    found = read(toml("exercises = [3]\nsolutions = [3]\n"), exercises="5,7-8", solutions="7")
    assert (found.exercises, found.solutions) == ((5, 7, 8), (7,))


@pytest.mark.parametrize(("text", "numbers"), [("1-4", (1, 2, 3, 4)), (" 7 , 3", (3, 7)), ("2–3,3", (2, 3)), ("", ())])
def test_numbers_are_lists_and_ranges(text, numbers):
    assert read(exercises=text).exercises == numbers


def test_tasks_stand_among_the_solutions():
    assert (read(solutions="1-2,tasks").solutions, read(solutions="1-2,tasks").worked) == ((1, 2), True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title = 3", "title must be one line of text"),
        ('title = "a\\nb"', "title must be one line of text"),
        ("titles = 'B'", r"must only set title, deadline, .*; got titles"),
        ("title =", "is no TOML file"),
        ("exercises = 3", "exercises must be a list of numbers"),
        ("exercises = [3.5]", "exercises must be a list of numbers"),
        ("exercises = [13]", "exercises must be from 1 to 12; got 13"),
        ("exercises = ['4-3']", "exercises must be numbers as 1-4,7; got '4-3'"),
        ("exercises = ['a']", "exercises must be numbers as 1-4,7; got 'a'"),
        ("exercises = [3]\nsolutions = [4]", "solutions must concern exercises of the release; got 4"),
        ("exercises = [3]\n[points]\n4 = 1", "points must concern exercises of the release; got 4"),
        ("points = 3", "points must be a table"),
        ("[points]\n3 = 'a'", "points of an exercise must be a number from 0; got 3 = 'a'"),
        ("[points]\n3 = -1", "points of an exercise must be a number from 0; got 3 = -1"),
        ("[points]\n3 = nan", "points of an exercise must be a number from 0"),
        ("nbgrader = 1", "nbgrader must be true or false"),
    ],
)
def test_what_makes_no_sense_is_refused(text, sentence, toml):
    with pytest.raises(CourseError, match=sentence):
        read(toml(text))


def test_a_file_that_is_not_there_is_one_line(tmp_path, capsys):
    from course_lib import cli

    assert cli.main(["release", "--to", str(tmp_path / "a"), "--options", str(tmp_path / "none.toml")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
