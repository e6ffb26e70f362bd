"""Reads the bank, and refuses an entry that a drill could not use, in one sentence.

A file of ``bank`` has a ``topic`` and its ``[[question]]`` tables. Each of them has

======================  =========================================================================================
field                   meaning
======================  =========================================================================================
name                    small letters and hyphens; once in the bank
ask                     the question
level                   1, 2 or 3
chapter                 two digits
exercise                a number; may be left out
source                  ``NN · cell``, the cell that measures the fact, or ``command: …``
answer                  the model answer, spoken in a minute
must, good, excellent   the rubric: ``[text, group, …]``, each group phrases of which one must be said, ``a|b|c``
follow_ups              in an interviewer's order: ``about`` (as ``must 4``), ``ask``, ``answer``
wrong                   answers often heard: ``[answer, why it is wrong]``
check                   ``expression`` and ``expected``; may be left out
======================  =========================================================================================
"""

import functools
import re
import tomllib
from pathlib import Path

from course_lib.interview.question import GRADES, Check, FollowUp, Point, Question, WrongAnswer
from course_lib.workspace import CourseError

BANK = Path(__file__).parent / "bank"
NEEDED = {
    "name": str, "ask": str, "level": int, "chapter": str, "source": str, "answer": str,
    "must": list, "good": list, "excellent": list, "follow_ups": list, "wrong": list,
}  # fmt: skip
OPTIONAL = {"exercise": int, "check": dict}
FOLLOW_UP = {"about": str, "ask": str, "answer": str}
FEWEST = {"must": 2, "good": 1, "excellent": 1, "follow_ups": 2, "wrong": 1}
SOURCE = re.compile(r"\d\d · [\w-]+|command: .+")


class BankError(CourseError):
    """An entry of the bank that cannot be used: one sentence with its file and its question."""


@functools.cache
def questions(bank=BANK):
    """Every question.

    Parameters
    ----------
    bank : Path
        The folder of the files.

    Returns
    -------
    tuple of Question
        In the order of the files' names, and of each file.

    Raises
    ------
    BankError
        An entry breaks the rules above.
    """
    found = {}
    for path in sorted(bank.glob("*.toml")):
        for question in _file(path):
            if question.name in found:
                raise BankError(f"{path.name}: the name {question.name!r} is taken; every question has its own.")
            found[question.name] = question
    return tuple(found.values())


def _file(path):
    """The questions of one file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BankError(f"{path.name} is not TOML: {error}.") from None
    if not isinstance(content.get("topic"), str) or set(content) != {"topic", "question"}:
        raise BankError(f"{path.name} must have a topic and its [[question]] tables, and nothing else.")
    return [_question(entry, content["topic"], path.name) for entry in content["question"]]


def _question(entry, topic, file):
    """One entry as a `Question`."""
    where = f"{file}, question {entry.get('name', '?')!r}"
    try:
        _types(entry)
        _values(entry)
        points = tuple(_point(grade, row) for grade in GRADES for row in entry[grade])
        return Question(
            name=entry["name"],
            topic=topic,
            points=points,
            follow_ups=tuple(_follow_up(row, points) for row in entry["follow_ups"]),
            wrong=tuple(_wrong(row) for row in entry["wrong"]),
            check=_check(entry.get("check")),
            exercise=entry.get("exercise"),
            answer=" ".join(entry["answer"].split()),
            **{name: entry[name] for name in ("ask", "level", "chapter", "source")},
        )
    except ValueError as error:
        raise BankError(f"{where}: {error}.") from None


def _types(entry):
    """Refuses a field that is missing, unknown, or of another type."""
    kinds = NEEDED | OPTIONAL
    for name in NEEDED:
        if name not in entry:
            raise ValueError(f"{name} is missing")
    for name, value in entry.items():
        if name not in kinds:
            raise ValueError(f"there is no field {name}")
        if type(value) is not kinds[name]:
            raise ValueError(f"{name} must be {_kind(kinds[name])}; got {value!r}")


def _kind(kind):
    """How a type is called in TOML."""
    return {str: "a string", int: "an integer", list: "an array", dict: "a table"}[kind]


def _values(entry):
    """Refuses a field whose value breaks a rule."""
    for name, kind in NEEDED.items():
        if kind is str and not entry[name].strip():
            raise ValueError(f"{name} is empty")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry["name"]):
        raise ValueError("name must be small letters, digits and hyphens")
    if entry["level"] not in (1, 2, 3):
        raise ValueError(f"level must be 1, 2 or 3; got {entry['level']}")
    if not re.fullmatch(r"\d\d", entry["chapter"]):
        raise ValueError(f"chapter must be two digits; got {entry['chapter']!r}")
    if not SOURCE.fullmatch(entry["source"]):
        raise ValueError(f"source must be 'NN · cell' or 'command: …'; got {entry['source']!r}")
    for name, fewest in FEWEST.items():
        if len(entry[name]) < fewest:
            raise ValueError(f"{name} must have at least {fewest}; got {len(entry[name])}")


def _strings(row, name, fewest):
    """Refuses a row that is no list of strings."""
    if not isinstance(row, list) or len(row) < fewest or not all(isinstance(text, str) and text for text in row):
        raise ValueError(f"{name} must be rows of at least {fewest} strings; got {row!r}")


def _point(grade, row):
    """One line of the rubric."""
    _strings(row, grade, 2)
    text, *groups = row
    keys = tuple(tuple(phrase.strip() for phrase in group.split("|")) for group in groups)
    if not all(phrase for group in keys for phrase in group):
        raise ValueError(f"{grade} has an empty phrase in {row!r}")
    return Point(grade, text, keys)


def _wrong(row):
    """One answer that is often heard."""
    _strings(row, "wrong", 2)
    if len(row) != 2:
        raise ValueError(f"wrong must be pairs of an answer and its reason; got {row!r}")
    return WrongAnswer(*row)


def _table(row, fields, name):
    """Refuses a table that has not exactly these fields."""
    if not isinstance(row, dict) or set(row) != set(fields):
        raise ValueError(f"{name} must have {', '.join(fields)}; got {row!r}")


def _follow_up(row, points):
    """One question that comes next."""
    _table(row, FOLLOW_UP, "follow_ups")
    if not all(isinstance(value, str) and value for value in row.values()):
        raise ValueError(f"follow_ups must be strings; got {row!r}")
    grade, _, number = row["about"].partition(" ")
    graded = [point for point in points if point.grade == grade]
    if not number.isdecimal() or not 1 <= int(number) <= len(graded):
        raise ValueError(f"there is no point {row['about']!r} for a follow-up to be about")
    return FollowUp(graded[int(number) - 1], row["ask"], row["answer"])


def _check(row):
    """What a run must find, or None."""
    if row is None:
        return None
    _table(row, ("expression", "expected"), "check")
    if not isinstance(row["expression"], str):
        raise ValueError(f"the expression of check must be a string; got {row['expression']!r}")
    return Check(row["expression"], row["expected"])
