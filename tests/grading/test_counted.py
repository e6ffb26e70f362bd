"""Points as they count in a class: what the options of a release say is what the grades are."""

import csv

import pytest

from course_lib import cli
from course_lib.classroom import counted, options, student_note
from course_lib.workspace import CourseError
from tests.grading.classes import handed_in, notebook, solution

TOML = "exercises = [1, 3]\ntitle = 'Vision'\n[points]\n3 = 5\n1 = 32\n"


@pytest.fixture(scope="module")
def report(zygote, tmp_path_factory):
    """The report of a class whose exercises count otherwise."""
    root = tmp_path_factory.mktemp("counted")
    wrong = notebook("max_gradient = [[6, 6], [6, 6]]")
    works = {"ada": {"03.ipynb": solution(3), "01.ipynb": solution(1)}, "bob": {"03.ipynb": wrong}}
    (root / "class.toml").write_text(TOML)
    folder = handed_in(root / "class", works)
    words = ["grade", str(folder), "--out", str(root / "report"), "--jobs", "1", "--options"]
    assert cli.main([*words, str(root / "class.toml")]) == 0
    return root


@pytest.fixture
def rows(report):
    """The rows of the table by student."""
    with open(report / "report" / "grades.csv", encoding="utf-8-sig", newline="") as file:
        return {row["Student"]: row for row in csv.DictReader(file)}


def test_the_exercises_are_those_of_the_options(rows):
    assert [name for name in rows["ada"] if name.endswith(" status")] == ["Exercise 1 status", "Exercise 3 status"]


def test_points_are_those_of_the_options(rows):
    assert (rows["ada"]["Exercise 3"], rows["ada"]["Exercise 3 of"]) == ("5", "5")


def test_what_a_person_gives_counts_by_the_same_measure(rows):
    # Exercise 1 has 13 points for answers and 3 for the student's own words.
    assert (rows["ada"]["Exercise 1"], rows["ada"]["Exercise 1 to mark"]) == ("26", "6")
    assert (rows["ada"]["Grade"], rows["ada"]["Maximum Grade"]) == ("31", "31")


def test_the_students_page_says_what_points_count(report):
    (page,) = (path for path in (report / "report" / "students").iterdir() if path.name.startswith("ada"))
    text = page.read_text(encoding="utf-8")
    assert "5 of 5" in text
    assert "All 8 points of this exercise count 5 in this class." in text


def test_the_release_itself_is_as_good_as_its_options(report, tmp_path):
    (tmp_path / "edition.toml").write_text(student_note.edition(options.read(report / "class.toml")))
    found = counted.read(tmp_path)
    assert (found.exercises, found.points, found.title) == ((1, 3), {1: 32, 3: 5}, "Vision")


def test_numbers_on_the_command_line_come_first(report, tmp_path):
    words = ["grade", str(report / "class"), "--out", str(tmp_path), "--jobs", "1", "--exercises", "3"]
    assert cli.main([*words, "--options", str(report / "class.toml")]) == 0
    assert "Exercise 1" not in (tmp_path / "grades.csv").read_text(encoding="utf-8-sig")


def test_what_is_not_graded_has_no_points():
    one = {"number": 3, "points": None, "max_points": 8, "to_mark": 0}
    (row,) = counted.rows([{"exercises": [one]}], {3: 4})
    assert (row["exercises"][0]["points"], row["exercises"][0]["max_points"]) == (None, 4)


@pytest.mark.parametrize("points", [{}, {3: 8}])
def test_points_that_are_those_of_the_check_change_nothing(points):
    rows = [{"exercises": [{"number": 3, "points": 7, "max_points": 8, "to_mark": 0}]}]
    assert counted.rows(rows, points) == rows


def test_points_have_two_places():
    (row,) = counted.rows([{"exercises": [{"number": 3, "points": 7, "max_points": 8, "to_mark": 0}]}], {3: 5})
    assert row["exercises"][0]["points"] == 4.38


@pytest.mark.parametrize(("text", "why"), [
    ("points = 3", r"points must be a table as \[points\]"),
    ("[points]\n3 = 'many'", "points of an exercise must be a number from 0; got 3 = 'many'"),
    ("exercises = [99]", "exercises must be from 1 to 12; got 99"),
    ("exercises = [3]\n[points]\n5 = 1", "points must concern exercises of the release; got 5"),
    ("weights = 1", "class.toml must only set .*; got weights"),
    ("[points", "class.toml is no TOML file"),
])  # fmt: skip
def test_a_bad_file_is_one_sentence(tmp_path, text, why):
    (tmp_path / "class.toml").write_text(text)
    with pytest.raises(CourseError, match=why):
        counted.read(tmp_path / "class.toml")


@pytest.mark.parametrize(("make", "why"), [
    (lambda path: path / "nothing.toml", "cannot be read: No such file or directory"),
    (lambda path: path, "is no release: there is no edition.toml in it"),
])  # fmt: skip
def test_a_file_that_is_not_there_is_one_sentence(tmp_path, make, why):
    with pytest.raises(CourseError, match=why):
        counted.read(make(tmp_path))
