"""Lists of students as systems export them, and whose a submission is."""

import pytest

from course_lib.classroom import handouts, roster
from course_lib.classroom.options import Options
from course_lib.classroom.submissions import Submission
from course_lib.workspace import CourseError

CLASS = (("4711", "Zhang, Wei"), ("", "Ada L'Ovelace"), ("17", "李明"), ("18", "Bo Li"), ("19", "Li Bo"))


@pytest.fixture
def table(tmp_path):
    """A file with a list."""

    def write(text):
        path = tmp_path / "roster.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "Name,ID\nBo Li,18\n",
        "\ufeffStudent;ID;Section\r\nBo Li;18;A\r\n",
        "Identifier,Full name,Status\nParticipant 18,Bo Li,No submission\n",
        "First name\tLast name\tID number\nBo\tLi\t18\n",
        "Student,ID\n    Points Possible,\nBo Li,18\n",
    ],
    ids=["plain", "Canvas", "Moodle", "two names", "points possible"],
)
def test_read_knows_the_columns_of(table, text):
    assert roster.read(table(text)) == (("18", "Bo Li"),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Group,ID\nA,18\n", "has no names. Its first line must name its columns"),
        ("", "has no names"),
        ("Name,ID\n", "holds no student"),
        ("Name\nBo Li\nLi Bo\n", "holds Li Bo twice"),
        ("Name,ID\nBo Li,18\nAda,18\n", "holds Ada twice"),
        ("Name\nBj\u00f6rn\n".encode("latin-1"), "is no text in UTF-8"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(table, text, sentence):
    with pytest.raises(CourseError, match=sentence):
        roster.read(table(text))


@pytest.mark.parametrize(
    ("name", "identifier", "place"),
    [
        ("Wei Zhang", "902", 0),
        ("zhangwei", "4711", 0),
        ("ADA LOVELACE", "", 1),
        ("ada l'ovelace", "1", 1),
        ("李明", "", 2),
        ("4711", "4711", 0),
        ("Bo Li", "19", 4),
        ("libo", "18", 3),
        ("Bo Li", "", None),
        ("Nobody", "3", None),
    ],
)
def test_a_submission_is_a_students_by_name_or_else_by_number(name, identifier, place):
    submission = Submission(f"{name}#{identifier}", name, identifier, ())
    if place is None:
        with pytest.raises(roster.NotInRoster):
            roster.of(submission, CLASS)
    else:
        assert roster.of(submission, CLASS) == CLASS[place]


def test_folders_have_plain_names_and_no_two_the_same():
    students = (("", "../Bo: Li?"), ("", "bo li"), ("7", "李明"), ("", "???"))
    assert handouts.folders(students) == ["Bo Li", "bo li 2", "李明 7", "student"]


@pytest.mark.parametrize(
    ("options", "secrets", "sentence"),
    [
        (Options(exercises=(5,)), (b"s" * 20,), "concerns exercises 2 and 3, and none of them is in this release"),
        (Options(exercises=(2,)), (), "needs --secret FILE"),
        (Options(exercises=(2,), nbgrader=True), (b"s" * 20,), "exclude each other"),
    ],
)
def test_own_numbers_that_nobody_could_grade_are_refused(table, options, secrets, sentence):
    with pytest.raises(CourseError, match=sentence):
        handouts.chosen(table("Name\nBo Li\n"), options, secrets)
