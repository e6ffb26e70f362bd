"""What each student gets besides the release: the exercises with numbers of their own, a folder for everyone."""

import re
from dataclasses import dataclass

from course_lib.classroom import contents, roster, sheets
from course_lib.exercises.registry import find
from course_lib.workspace import CourseError

ENDING = "-own-numbers"


@dataclass(frozen=True)
class Handouts:
    """For whom numbers are drawn, from what, and in which exercises.

    Attributes
    ----------
    students : tuple of (str, str)
        The number and the name of each; empty where nobody has numbers of their own.
    secret : bytes
    exercises : tuple of int
    """

    students: tuple = ()
    secret: bytes = b""
    exercises: tuple = ()


def chosen(path, options, secrets):
    """What the command line asks for.

    Parameters
    ----------
    path : path or None
        The list of students.
    options : Options
    secrets : tuple of bytes
        The class secret, if there is one.

    Raises
    ------
    CourseError
    """
    if path is None:
        return Handouts()
    exercises = tuple(number for number in options.exercises if number in sheets.DRAWN)
    known = " and ".join(map(str, sheets.DRAWN))
    if not exercises:
        raise CourseError(f"--own-numbers concerns exercises {known}, and none of them is in this release.")
    if not secrets:
        raise CourseError("--own-numbers needs --secret FILE: the numbers are drawn from it, and graded with it.")
    if options.nbgrader:
        raise CourseError("--own-numbers and nbgrader = true exclude each other: nbgrader has one notebook for all.")
    return Handouts(roster.read(path), secrets[0], exercises)


def files(released, handouts):
    """Every file, by its path.

    Parameters
    ----------
    released : dict of str to bytes
        The files of the release.
    handouts : Handouts

    Returns
    -------
    dict of str to bytes
    """
    found = {}
    for folder, student in zip(folders(handouts.students), handouts.students, strict=True):
        for exercise in map(find, handouts.exercises):
            own = sheets.numbers(exercise, handouts.secret, student)
            made = sheets.notebook(released[f"exercises/{exercise.notebook}"], exercise, student, own)
            found[f"{folder}/{exercise.notebook}"] = contents.written(made)
    return found


def folders(students):
    """A name for the folder of each student, no two alike."""
    found = []
    for number, name in students:
        words = f"{name} {number}".strip()
        plain = " ".join(re.sub(r"[^\w-]+", " ", words).split())[:80] or "student"
        taken = sum(one.casefold() == plain.casefold() for one in found)
        found.append(f"{plain} {taken + 1}" if taken else plain)
    return found
