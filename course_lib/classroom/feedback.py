"""From the results of checks to plain data: what a student may read, and what is counted.

What a hidden case shows stays hidden: a verdict about one says in a word how it fails, and names known mistakes.
"""

import re

from course_lib.classroom.graded import earned_beside
from course_lib.exercises import faults
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.properties import Star, Together, Values

HIDDEN = {
    faults.WRONG_SHAPE: "an array has the wrong shape",
    faults.WRONG_VALUE: "a value is wrong",
    faults.NOT_USABLE: "what is returned cannot be used",
    faults.ERROR: "there is an error",
    faults.OUT_OF_TIME: "the time runs out",
    faults.NOT_STARTED: "there is no answer",
}
MISTAKES = "known mistake", "two known mistakes at once", "and"
UNEARNED = "this counts only beside a right value: who computes nothing changes nothing"


def verdicts(exercise, public, hidden):
    """The verdicts of an exercise as dicts.

    Parameters
    ----------
    exercise : Exercise
    public : CheckResult
        On the cases that everybody can see.
    hidden : CheckResult or None
        On the hidden ones.
    """
    behind = {verdict.name: verdict for verdict in hidden.verdicts} if hidden is not None else {}
    found = [_combined(verdict, behind.get(verdict.name), exercise) for verdict in public.verdicts]
    judged = dict(zip((one.name for one in exercise.properties), exercise.properties, strict=True))
    right = any(one["passed"] and _asks_for_values(judged[one["name"]]) for one in found)
    passed = {one["name"] for one in found if one["passed"]}
    return [_earned(one, judged[one["name"]], right, passed) for one in found]


def _combined(verdict, behind, exercise):
    """One verdict: what fails in public is told in full, what fails in a hidden case is not."""
    if not verdict.passed or behind is None or behind.passed:
        details = [[label, getattr(text, "text", text)] for label, text in verdict.details]
        return _row(verdict, verdict.passed, verdict.points, verdict.kind, verdict.message, details)
    why = HIDDEN.get(behind.kind, "it fails")
    message = f"right in the cases of check({exercise.typed}), but not in all hidden ones: {why}"
    names = [re.match(r"\w*", str(text))[0] for label, text in behind.details if label in MISTAKES]
    details = [["known mistake", f"{name}. {CATALOGUE[name].sentence}"] for name in names if name in CATALOGUE]
    return _row(verdict, False, 0, behind.kind, message, details)


def _row(verdict, passed, points, kind, message, details):
    """A verdict as a dict."""
    return {
        "name": verdict.name,
        "passed": passed,
        "points": points,
        "max_points": verdict.max_points,
        "kind": kind,
        "message": message,
        "details": details,
        "star": verdict.star,
    }


def _asks_for_values(judged):
    """Whether a property is about right values."""
    return isinstance(judged, (Values, Together, Star))


def _earned(row, judged, right, passed):
    """A verdict; one that doing nothing would earn counts only beside a right value."""
    missing = [name for name in getattr(judged, "only_beside", ()) if name not in passed]
    if row["passed"] and missing:
        message = f"this counts only beside: {', '.join(missing)}"
        return {**row, "passed": False, "points": 0, "kind": faults.NOT_USABLE, "message": message}
    if row["passed"] and earned_beside(judged) and not right:
        return {**row, "passed": False, "points": 0, "kind": faults.NOT_USABLE, "message": UNEARNED}
    return row


def misconceptions(*results):
    """The names of the mistakes that were found, each once."""
    return list(dict.fromkeys(name for result in results if result is not None for name in result.misconceptions))
