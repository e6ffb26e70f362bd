"""What points count in this class, where that is not what a check gives: the [points] of a release's options."""

from pathlib import Path

from course_lib.classroom import options
from course_lib.classroom.graded import to_mark
from course_lib.classroom.table import tidy
from course_lib.exercises import registry
from course_lib.workspace import CourseError

EDITION, SCALED = "edition.toml", ("points", "max_points", "to_mark")


def read(path):
    """The options of a release.

    Parameters
    ----------
    path : str or None
        The file that the release was made with, or the folder of the release, which holds what of it concerns grades.

    Returns
    -------
    Options

    Raises
    ------
    CourseError
    """
    if path is None:
        return options.Options()
    found = Path(path).expanduser()
    if found.is_dir() and not (found / EDITION).is_file():
        raise CourseError(f"{path} is no release: there is no {EDITION} in it.")
    found = found / EDITION if found.is_dir() else found
    try:
        return options.read(found)
    except OSError as error:
        raise CourseError(f"the options in {path} cannot be read: {error.strerror or error}.") from error


def rows(graded, points):
    """The rows with points as they count; those of single properties stay as the check gives them.

    Parameters
    ----------
    graded : list of dict
        As `course_lib.classroom.task.grade` gives them.
    points : dict of int to int or float
        What all points of an exercise count, those included that a person gives.
    """
    if not points:
        return graded
    return [{**row, "exercises": [_counted(one, points) for one in row["exercises"]]} for row in graded]


def _counted(one, points):
    """One exercise."""
    whole = one["max_points"] + to_mark(registry.find(one["number"]))
    if points.get(one["number"], whole) == whole:
        return one
    scale = points[one["number"]] / whole
    shown = {name: None if one[name] is None else tidy(one[name] * scale) for name in SCALED}
    return {**one, **shown, "counts": [points[one["number"]], whole]}
