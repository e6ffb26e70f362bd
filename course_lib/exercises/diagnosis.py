"""Finding the known mistakes that reproduce an answer."""

from itertools import combinations

import numpy as np

from course_lib.exercises.compare import same
from course_lib.exercises.faults import Fault
from course_lib.exercises.misconceptions.model import combination

NOTHING_FITS = "none in the catalogue gives this answer"


def diagnose(judged, session, case, yours, index):
    """The misconceptions that reproduce a wrong answer.

    Parameters
    ----------
    judged : Values
        The property that fails.
    session : Session
    case : Case
        The smallest case that fails.
    yours : ndarray
        The learner's array for it.
    index : tuple of int or None
        Where it first differs; None where the shape does.

    Returns
    -------
    names : list of str
    details : list
        One a misconception, or one that says that none fits.
    """
    entries = [session.catalogue[name] for name in session.exercise.misconceptions]
    entries = [entry for entry in entries if entry.operation is judged.operation]
    single = [(entry,) for entry in entries if _reproduces(judged, entry.changes, case, yours)]
    found = single or [
        pair for pair in combinations(entries, 2) if _reproduces(judged, combination(*pair), case, yours)
    ]
    if len(found) > 1 and len(judged.cases) > 1:
        found = _narrowed(judged, session, case, found)
    if not found:
        return [], [("known mistake", NOTHING_FITS)]
    names = list(dict.fromkeys(entry.name for pair in found for entry in pair))
    return names, [detail for pair in found for detail in _details(session, judged, case, index, pair)]


def _rules(entries):
    """The changed rules of one mistake or of two."""
    return entries[0].changes if len(entries) == 1 else combination(*entries)


def _reproduces(judged, changes, case, yours):
    """Whether the operation with some rules changed gives the answer; never if the rules are not to be had."""
    if changes is None:
        return False
    try:
        with np.errstate(all="ignore"):
            wrong = judged.part(judged.operation.results_with(changes, case))
    # A mistake may be impossible in a case, as an index outside the plane: then it did not give the answer.
    except (ArithmeticError, IndexError, ValueError):
        return False
    return same(yours, np.asarray(wrong))


def _narrowed(judged, session, case, found):
    """Those that fit the other cases too; all of them if none does, or if the others cannot be had."""
    left = found
    for other in judged.cases:
        if other is not case:
            try:
                yours = judged.yours(session, other)
            except Fault:
                break
            left = [entries for entries in left if _reproduces(judged, _rules(entries), other, yours)]
    return left or found


def _details(session, judged, case, index, entries):
    """What a verdict says about one mistake, or about two at once."""
    labels = ["known mistake"] if len(entries) == 1 else ["two known mistakes at once", "and"]
    for label, entry in zip(labels, entries, strict=True):
        seen = entry.shows(judged.operation, case, index) if entry.shows and index else ""
        yield from session.known(entry, seen, label)
