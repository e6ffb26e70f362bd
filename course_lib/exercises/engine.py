"""Judging answers: every property of an exercise gets its verdict, whatever was given."""

import difflib
from dataclasses import replace

from course_lib.exercises import faults
from course_lib.exercises.faults import PASSED, Fault, type_name
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.result import CheckResult, Verdict
from course_lib.exercises.session import Session

REPEATING = (faults.ERROR, faults.NOT_USABLE)


def judge(exercise, given, catalogue=CATALOGUE):
    """The result of a check.

    Parameters
    ----------
    exercise : Exercise
    given : dict of str to object
        What the learner gave, by the names of the answers.
    catalogue : dict of str to Misconception

    Returns
    -------
    CheckResult
    """
    session = Session(exercise, given, catalogue)
    judged = [_verdict(entry, session) for entry in exercise.properties]
    names = [name for _, found in judged for name in found]
    verdicts = _without_repetition([verdict for verdict, _ in judged])
    return CheckResult(
        title=exercise.heading,
        verdicts=tuple(verdicts),
        misconceptions=tuple(dict.fromkeys(names)),
        notes=(*unknown_names(exercise, given), *session.notes),
        printed=session.calls.printed.text(),
    )


def _verdict(judged, session):
    """The verdict on one property, and the names of the misconceptions that it names."""
    try:
        cases = judged.judge(session)
    except Fault as fault:
        return _failed(judged, fault), fault.misconceptions
    except Exception as error:
        # A check never raises in a learner's notebook. The tests look for this kind.
        message = f"not judged: the course itself raised {type_name(error)}. Please report it"
        return _failed(judged, Fault(faults.OUR_FAULT, message, [("error", faults.clean(repr(error)))])), ()
    message = f"passed {cases} case{'s' if cases > 1 else ''}"
    return Verdict(judged.name, True, judged.points, judged.points, PASSED, message, star=has_star(judged)), ()


def _failed(judged, fault):
    """The verdict for a fault."""
    details, star = fault.details, has_star(judged)
    # Where a score is a share, a fault says how much of it is earned.
    points = getattr(fault, "points", 0)
    return Verdict(judged.name, False, points, judged.points, fault.kind, fault.message, details, star)


def has_star(judged):
    """Whether a property goes beyond the task."""
    return getattr(judged, "star", False)


def _without_repetition(verdicts):
    """The verdicts; where one function fails under several properties in the same way, that is said once."""
    first = {}
    for verdict in verdicts:
        before = first.setdefault(verdict.message, verdict.name)
        again = verdict.kind in REPEATING and before != verdict.name
        yield replace(verdict, message=f"the same as under {before}", details=()) if again else verdict


def unknown_names(exercise, given):
    """One sentence for each answer that the exercise does not ask for."""
    known = [answer.name for answer in exercise.answers]
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            advice = f"Did you mean {near[0]}?" if near else f"Its answers are {', '.join(known)}."
            yield f"{exercise.label} has no answer called {faults.clean(name, 60)}. {advice}"
