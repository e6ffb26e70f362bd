"""What a teacher chooses about a release: on the command line, or in a small TOML file."""

import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path

from course_lib.exercises.registry import module_names
from course_lib.workspace import CourseError

TASKS = "tasks"
TEXTS = ("title", "deadline", "contact")


@dataclass(frozen=True)
class Options:
    """What a release holds and says.

    Attributes
    ----------
    title, deadline, contact : str
        What students read: the name of the class, until when, and whom they ask. "" leaves it out.
    exercises : tuple of int
        The exercises that are included.
    solutions : tuple of int
        The exercises whose solutions are included.
    worked : bool
        Whether the answers of the chapters' tasks are, too.
    points : dict of int to int or float
        What an exercise counts, where that is not what its check gives.
    nbgrader : bool
        Whether the cells of exercises carry nbgrader's metadata.
    own : tuple of int
        The exercises in which each student has other numbers.
    """

    title: str = ""
    deadline: str = ""
    contact: str = ""
    exercises: tuple = ()
    solutions: tuple = ()
    worked: bool = False
    points: dict = field(default_factory=dict)
    nbgrader: bool = False
    own: tuple = ()


def read(path=None, exercises=None, solutions=None):
    """The options of a file, with those of the command line in their place.

    Parameters
    ----------
    path : Path, optional
        A TOML file.
    exercises, solutions : str, optional
        Numbers as "1-4,7"; among the solutions also "tasks", which means the answers of the chapters' tasks.

    Returns
    -------
    Options

    Raises
    ------
    CourseError
        If the file or a number makes no sense.
    """
    values = load(path) if path else {}
    included = exercises if exercises is not None else values.get("exercises", list(module_names()))
    shown = solutions if solutions is not None else values.get("solutions", [])
    chosen, (solved, worked) = numbers("exercises", included), with_tasks(shown)
    texts = {name: text(name, values.get(name, "")) for name in TEXTS}
    given = points(values.get("points", {}))
    for name, found in (("solutions", solved), ("points", given)):
        if strange := [number for number in found if number not in chosen]:
            raise CourseError(
                f"{name} must concern exercises of the release; got {strange[0]}, which is not among them."
            )
    nbgrader = values.get("nbgrader", False)
    if type(nbgrader) is not bool:
        raise CourseError(f"nbgrader must be true or false; got {nbgrader!r}.")
    return Options(**texts, exercises=chosen, solutions=solved, worked=worked, points=given, nbgrader=nbgrader)


def load(path):
    """The values of a TOML file, none of them unknown."""
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} is no TOML file: {error}.") from error
    known = [entry.name for entry in fields(Options) if entry.name not in ("worked", "own")]
    if strange := [name for name in values if name not in known]:
        raise CourseError(f"{path} must only set {', '.join(known)}; got {strange[0]}.")
    return values


def with_tasks(value):
    """Numbers of solutions, and whether "tasks" is among them."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list):
        return numbers("solutions", value), False
    plain = [part for part in parts if str(part).strip() != TASKS]
    return numbers("solutions", plain), len(plain) < len(parts)


def numbers(name, value):
    """Exercises in order, from a list of numbers or from text as "1-4,7"."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, int | str) for part in parts):
        raise CourseError(f"{name} must be a list of numbers, or text as '1-4,7'; got {value!r}.")
    found = {number for part in parts if str(part).strip() for number in span(name, str(part))}
    if strange := sorted(found - set(module_names())):
        known = module_names()
        raise CourseError(f"{name} must be from {min(known)} to {max(known)}; got {strange[0]}.")
    return tuple(sorted(found))


def span(name, part):
    """The numbers of one part: 7, or 1-4."""
    match = re.fullmatch(r"\s*(\d{1,3})\s*(?:[-–]\s*(\d{1,3})\s*)?", part)
    if not match or (match[2] and int(match[2]) < int(match[1])):
        raise CourseError(f"{name} must be numbers as 1-4,7; got {part!r}.")
    return range(int(match[1]), int(match[2] or match[1]) + 1)


def text(name, value):
    """One line that students read."""
    if type(value) is not str or "\n" in value.strip():
        raise CourseError(f"{name} must be one line of text in quotation marks; got {value!r}.")
    return value.strip()


def points(table):
    """The points of exercises, by their numbers."""
    if not isinstance(table, dict):
        raise CourseError(f"points must be a table as [points] with lines as 3 = 10; got {table!r}.")
    for number, value in table.items():
        if type(value) not in (int, float) or not 0 <= value < 1e6:
            raise CourseError(f"points of an exercise must be a number from 0; got {number} = {value!r}.")
    return {number: table[str(number)] for key in table for number in numbers("points", key)}
