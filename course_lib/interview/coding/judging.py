"""Judging a candidate's function by the exercises' engine, with its diagnosis or without."""

import importlib.util
from dataclasses import replace

from course_lib.exercises import faults
from course_lib.exercises.engine import judge


def judged(task, seed, function, diagnosis=True):
    """What the checks say.

    Parameters
    ----------
    task : Task
    seed : int
        Which variant.
    function : callable
    diagnosis : bool
        Whether known mistakes are looked for. Without it a judgement takes a fraction of the time.

    Returns
    -------
    CheckResult
    """
    variant = task.variant(seed)
    catalogue = variant.catalogue()
    exercise = task.exercise(variant)
    if not diagnosis:
        exercise, catalogue = _without_mistakes(exercise), {}
    return judge(exercise, {variant.function: function}, catalogue)


def _without_mistakes(exercise):
    """An exercise in which no mistake is known."""
    return replace(exercise, misconceptions=())


def failing(result):
    """The names of the properties that do not pass, and nothing more."""
    return [verdict.name for verdict in result.verdicts if not verdict.passed]


def trouble(result):
    """Why the function gave no value, in a sentence: it raised, or did not end; "" if it always gave one."""
    without = (faults.ERROR, faults.OUT_OF_TIME, faults.STOPPED)
    return next((f"{verdict.message.rstrip('.')}." for verdict in result.verdicts if verdict.kind in without), "")


def missing(task):
    """Why a task cannot be done here, in a sentence; "" if it can."""
    if task.needs and importlib.util.find_spec(task.needs) is None:
        return f"{task.title} needs {task.needs}, which is not installed here."
    return ""
