"""Where things are, seen from the notebook that runs: chapters, exercises, solutions."""

import os
import tomllib
from pathlib import Path

from course_lib.exercises.display import Link
from course_lib.workspace import COURSE

CHAPTERS = "notebooks"
EXERCISES = "exercises"
SOLUTIONS = "solutions"
EDITION = "edition.toml"
TEACHER = "the person who gave it to you, your teacher for instance"


def chapter(number):
    """A link to the chapter with a number; its number alone where this copy of the course has no such chapter."""
    found = sorted((COURSE / CHAPTERS).glob(f"{number}_*.ipynb"))
    text = f"chapter {number}"
    return Link(text, sibling(CHAPTERS, found[0].name)) if found else text


def sibling(folder, name):
    """The address of a notebook in a folder beside the one in which this notebook lies."""
    # A learner's copies lie as the originals do, so that one address holds for both.
    return f"../{folder}/{name}"


def solution(exercise):
    """The solution's file, in the course or beside the notebook; None where this copy of the course has none."""
    here = Path.cwd()
    places = (here.parent / SOLUTIONS, here / SOLUTIONS, COURSE / SOLUTIONS)
    return next((place / exercise.notebook for place in places if (place / exercise.notebook).is_file()), None)


def has_solutions():
    """Whether this copy of the course has solutions at all."""
    return any((place / SOLUTIONS).is_dir() for place in (Path.cwd().parent, Path.cwd(), COURSE))


def whom_to_ask():
    """Whom the edition for a class names; else whoever gave it."""
    try:
        contact = tomllib.loads((COURSE / EDITION).read_text(encoding="utf-8")).get("contact")
    except (OSError, ValueError):
        return TEACHER
    return contact if isinstance(contact, str) and contact.strip() else TEACHER


def address(path):
    """A file's address from the notebook that runs; None where there is no way from here to there."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:
        # Windows, another drive.
        return None
