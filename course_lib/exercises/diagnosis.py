"""Finding the known mistakes that reproduce an answer."""

from contextlib import suppress
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from course_lib.exercises.compare import same
from course_lib.exercises.faults import Fault
from course_lib.exercises.misconceptions.model import rule_sets

# More would be no help.
SHOWN = 3
# Runs of an operation with two mistakes, in one check: a number and no time, so that a slow machine says the same.
PATIENCE = 4000
NOTHING_FITS = "none in the catalogue gives this answer"


class Witness(NamedTuple):
    """One array of the learner's: what it answers, for which case."""

    judged: object
    case: object
    yours: np.ndarray


class Suspect(NamedTuple):
    """One mistake, or two at once, written in one style of code."""

    mistakes: tuple
    changes: dict


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
        One or two a misconception; where none fits one that says so, or none if the numbers cannot be compared.
    """
    found = _found(session, Witness(judged, case, yours))
    session.found += found
    if not found:
        # A wrong shape, or a NaN, says enough by itself.
        comparable = index is not None and np.isfinite(yours).all()
        return [], [("known mistake", NOTHING_FITS)] if comparable else []
    names = list(dict.fromkeys(entry.name for mistakes in found for entry in mistakes))
    return names, list(_details(session, judged, case, index, found))


def _found(session, failing):
    """The mistakes that fit: those that explain more before those that explain less, one mistake before two."""
    entries = [session.catalogue[name] for name in session.exercise.misconceptions]
    entries = [entry for entry in entries if entry.operation is failing.judged.operation]
    single, double = [(entry,) for entry in entries], combinations(entries, 2)
    suspects = [
        cache(lambda: list(_suspects(single, failing))),
        cache(lambda: list(_doubles(double, failing, session))),
    ]
    for witnesses in _evidence(session, failing):
        for some in suspects:
            fitting = [suspect for suspect in some() if all(_reproduces(suspect, one) for one in witnesses)]
            if fitting:
                return _chosen(fitting, session)
    return []


def _evidence(session, failing):
    """The learner's arrays that a mistake should explain too, the most first."""
    judged, case, _ = failing
    others = list(_witnesses(session, [(judged, other) for other in judged.cases if other is not case]))
    beside = list(_witnesses(session, [(values, other) for values in judged.beside for other in judged.cases]))
    right = [witness for witness in session.right if witness.judged.operation is judged.operation]
    levels = [*right, *beside, *others], [*beside, *others], others
    # Where a mistake is known already, another that explains this case and no other one is more likely a coincidence.
    return levels if session.found and others else (*levels, [])


def _witnesses(session, questions):
    """The answers that can be had."""
    for values, case in questions:
        with suppress(Fault):
            yield Witness(values, case, values.yours(session, case))


def _suspects(groups, failing):
    """Those groups of mistakes that reproduce the failing case."""
    for suspect in _in_every_style(groups):
        if _reproduces(suspect, failing):
            yield suspect


def _doubles(groups, failing, session):
    """Those pairs, as long as the check has patience."""
    for suspect in _in_every_style(groups):
        if session.patience == 0:
            return
        session.patience -= 1
        if _reproduces(suspect, failing):
            yield suspect


def _in_every_style(groups):
    """The groups of mistakes in every style of code."""
    return (Suspect(tuple(mistakes), changes) for mistakes in groups for changes in rule_sets(*mistakes))


def _reproduces(suspect, witness):
    """Whether the operation with some rules changed gives an answer."""
    judged, case, yours = witness
    try:
        with np.errstate(all="ignore"):
            wrong = judged.part(judged.operation.results_with(suspect.changes, case))
    # A mistake may be impossible in a case, as an index outside the plane: then it did not give the answer.
    except (ArithmeticError, LookupError, ValueError):
        return False
    return same(yours, np.asarray(wrong))


def _chosen(fitting, session):
    """Some of the fitting mistakes, each once: those that were found before, if there are any."""
    found = _without_twins(fitting)
    return [mistakes for mistakes in found if mistakes in session.found] or found[:SHOWN]


def _without_twins(fitting):
    """The mistakes, each once; of pairs that change the same rules in the same way only the first."""
    found, seen = [], set()
    for mistakes, changes in fitting:
        rules = frozenset((name, id(rule)) for name, rule in changes.items()) if len(mistakes) > 1 else mistakes[0].name
        if mistakes not in found and rules not in seen:
            found.append(mistakes)
        seen.add(rules)
    return found


def _details(session, judged, case, index, found):
    """What a verdict says about the mistakes, each alone or two at once; what is seen in the case is said once."""
    said = set()
    for mistakes in found:
        labels = ["known mistake"] if len(mistakes) == 1 else ["two known mistakes at once", "and"]
        for label, entry in zip(labels, mistakes, strict=True):
            seen = entry.shows(judged.operation, case, index) if entry.shows and index else ""
            yield from session.known(entry, "" if seen in said else seen, label)
            said.add(seen)
