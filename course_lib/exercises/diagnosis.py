"""Finding the known mistakes that reproduce an answer."""

from contextlib import suppress
from itertools import combinations

import numpy as np

from course_lib.exercises.compare import same
from course_lib.exercises.faults import Fault
from course_lib.exercises.misconceptions.model import combination

# More would be no help.
SHOWN = 3
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
    entries = [(entry,) for entry in entries if entry.operation is judged.operation]
    others = _other_answers(judged, session, case)
    found = _found(judged, entries, (case, yours), others)
    if not found:
        return [], [("known mistake", NOTHING_FITS)]
    names = list(dict.fromkeys(entry.name for mistakes in found for entry in mistakes))
    return names, [detail for mistakes in found for detail in _details(session, judged, case, index, mistakes)]


def _other_answers(judged, session, case):
    """The learner's arrays for the other cases, as (case, array); none for those that cannot be had."""
    found = []
    for other in judged.cases:
        if other is not case:
            with suppress(Fault):
                found.append((other, judged.yours(session, other)))
    return found


def _found(judged, single, failing, others):
    """What fits the failing case: one mistake before two, and what fits the other cases too before what does not."""
    pairs = [(*first, *second) for first, second in combinations(single, 2)]
    for answers in ([failing, *others], [failing]):
        for candidates in (single, pairs):
            fitting = [mistakes for mistakes in candidates if _fits(judged, mistakes, answers)]
            if fitting:
                return fitting[:SHOWN]
    return []


def _fits(judged, mistakes, answers):
    """Whether mistakes reproduce all the answers."""
    changes = _rules(mistakes)
    return changes is not None and all(_reproduces(judged, changes, case, yours) for case, yours in answers)


def _rules(mistakes):
    """The changed rules of one mistake or of two; None for two that cannot be made at once."""
    return mistakes[0].changes if len(mistakes) == 1 else combination(*mistakes)


def _reproduces(judged, changes, case, yours):
    """Whether the operation with some rules changed gives the answer."""
    try:
        with np.errstate(all="ignore"):
            wrong = judged.part(judged.operation.results_with(changes, case))
    # A mistake may be impossible in a case, as an index outside the plane: then it did not give the answer.
    except (ArithmeticError, IndexError, ValueError):
        return False
    return same(yours, np.asarray(wrong))


def _details(session, judged, case, index, mistakes):
    """What a verdict says about one mistake, or about two at once."""
    labels = ["known mistake"] if len(mistakes) == 1 else ["two known mistakes at once", "and"]
    for label, entry in zip(labels, mistakes, strict=True):
        seen = entry.shows(judged.operation, case, index) if entry.shows and index else ""
        yield from session.known(entry, seen, label)
