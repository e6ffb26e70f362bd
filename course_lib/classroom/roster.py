"""Who is in a class: a list of students, and which of them a submission comes from."""

import csv
import io
import re
import unicodedata
from pathlib import Path

from course_lib.workspace import CourseError

NAMES = ("name", "student", "full name", "display name", "姓名")
FIRST, LAST = ("first name", "given name", "vorname"), ("last name", "surname", "family name", "nachname")
IDS = ("id", "identifier", "student id", "sis user id", "id number", "username", "学号")
HEAD = "Its first line must name its columns, one of them Name or Student, and ID where students have numbers"
# Canvas puts this line under the heads of its gradebook.
NO_STUDENT = "points possible"


class NotInRoster(Exception):
    """Why it is not known whose a submission is, as a sentence for the teacher."""


def read(path):
    """The students of a file.

    Parameters
    ----------
    path : path
        A table with commas, semicolons or tabs, as a learning-management system exports it.

    Returns
    -------
    tuple of (str, str)
        The number and the name of each; the number is "" where there is none.

    Raises
    ------
    CourseError
    """
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise CourseError(f"{path} is no text in UTF-8: export it as CSV in UTF-8.") from None
    lines = [line for line in csv.reader(io.StringIO(text), _dialect(text)) if any(cell.strip() for cell in line)]
    heads = [cell.strip().casefold() for cell in lines[0]] if lines else []
    name, number = _name_of(heads), _first(heads, IDS)
    if name is None:
        raise CourseError(f"{path} has no names. {HEAD}.")
    found = [(_number(_cell(line, number)), name(line)) for line in lines[1:]]
    students = tuple((number, name) for number, name in found if name and NO_STUDENT not in name.casefold())
    return _without_doubles(path, students)


def _dialect(text):
    """With what the columns are separated: by what the first line has most of."""
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)

    class Dialect(csv.excel):
        delimiter = separator

    return Dialect


def _first(heads, known):
    """The number of the first column with a known name; None if there is none."""
    return next((heads.index(name) for name in known if name in heads), None)


def _name_of(heads):
    """What gives the name in a line; None where no column does."""
    whole, first, last = (_first(heads, known) for known in (NAMES, FIRST, LAST))
    if whole is not None:
        return lambda line: _cell(line, whole)
    if first is None or last is None:
        return None
    return lambda line: f"{_cell(line, first)} {_cell(line, last)}".strip()


def _cell(line, place):
    """A cell of a line; "" where the line is too short or there is no such column."""
    return line[place].strip().removeprefix("'") if place is not None and place < len(line) else ""


def _number(text):
    """A student's number; Moodle writes Participant before it."""
    return text.removeprefix("Participant ").strip()


def _without_doubles(path, students):
    """The students, if no two of them are one."""
    if not students:
        raise CourseError(f"{path} holds no student. {HEAD}.")
    for place, one in enumerate(students):
        if any(key(one) == key(other) for other in students[:place]):
            raise CourseError(f"{path} holds {one[1]} twice, and no number tells them apart.")
    return students


def key(student):
    """What a student's numbers are drawn from: the number where there is one, else the name."""
    number, name = student
    return number or min(spellings(name))


def spellings(name):
    """A name without spaces, capitals and signs, in every order of its words: systems write it in their own way.

    Examples
    --------
    >>> sorted(spellings("Zhang, Wei"))
    ['weizhang', 'zhangwei']
    """
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", name).casefold().replace("_", " "))
    return {"".join(words[place:] + words[:place]) for place in range(len(words))} or {""}


def of(submission, students):
    """The student who has handed in a submission: by the name, and where that does not decide by the number.

    Parameters
    ----------
    submission : Submission
    students : tuple of (str, str)

    Raises
    ------
    NotInRoster
    """
    given = spellings(submission.name)
    same = [one for one in students if given & spellings(one[1])]
    if len(same) != 1:
        numbers = {submission.identifier, submission.name} - {""}
        same = [one for one in same or students if one[0] in numbers]
    if len(same) != 1:
        why = "more than one line" if same else "no line"
        raise NotInRoster(f"{why} of the roster fits {submission.name}: its own numbers are not known")
    return tuple(same[0])
