"""Looking for hidden cases and the class secret in what students read: the pages of feedback."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from course_lib.classroom import hidden
from course_lib.classroom.graded import as_graded
from course_lib.classroom.scan import Finding, Guarded, said
from course_lib.classroom.unpack import TAG
from course_lib.exercises import registry
from course_lib.exercises.compare import number_text

NUMBER = re.compile(r"(?<![\w.])-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|inf)(?!\w)")
# Between the numbers of an array stand no words.
WORD = re.compile(r"(?<![\w.])(?!nan\b|inf\b)[^\W\d]\w*")
# So many numbers in a row, so many of them different and not 0, are no chance. Beyond the longest run nobody looks.
RUN, DIFFERENT, LONGEST = 6, 4, 60


@dataclass(frozen=True)
class HiddenNumbers:
    """What a page may not hold of the hidden cases of one exercise: runs of their inputs and of what is right.

    It is asked as a `course_lib.classroom.marks.Mark` is.
    """

    owner: int
    runs: frozenset
    what: str = "numbers of a hidden case"

    def is_in(self, text, runs):
        """Whether a text gives any of them away."""
        return not self.runs.isdisjoint(runs_of_numbers(text))


@lru_cache(maxsize=8)
def runs_of_numbers(text):
    """Every run of numbers in a text, as they are written."""
    parts = (list(map(number_text, NUMBER.findall(part))) for part in WORD.split(TAG.sub(" ", text)))
    return frozenset().union(*map(_runs, parts))


def _runs(numbers):
    """Every run of six, or of as many as it takes: many that are equal, or zero, stand on every page."""
    found = (_run(numbers[place : place + LONGEST]) for place in range(len(numbers) - RUN + 1))
    return frozenset(filter(None, found))


def _run(numbers):
    """The shortest run at the beginning that says something; empty where there is none."""
    seen = set()
    for length, number in enumerate(numbers, 1):
        seen |= {number} - {"0"}
        if length >= RUN and len(seen) >= DIFFERENT:
            return tuple(numbers[:length])
    return ()


def of_class(settings, students=("",)):
    """What the pages of a class may not hold.

    Parameters
    ----------
    settings : Settings
    students : iterable of str
        The keys of the submissions where each student has hidden cases of their own.

    Returns
    -------
    Guarded
    """
    if not settings.secret:
        return Guarded(())
    marks = (_of_exercise(number, settings, students) for number in settings.exercises)
    return Guarded(tuple(mark for mark in marks if mark.runs), (settings.secret,))


def _of_exercise(number, settings, students):
    """The hidden numbers of one exercise, without those that everybody knows."""
    exercise = as_graded(registry.find(number), settings.secret)
    drawn = (hidden.generator(settings.secret, number, student) for student in students)
    secret = (_of_properties(hidden.with_hidden_cases(exercise, rng).properties) for rng in drawn)
    return HiddenNumbers(number, frozenset().union(*secret) - _of_properties(exercise.properties))


def _of_properties(properties):
    """The runs in the cases of properties: in what they give, and in what is right."""
    found = set()
    for judged in properties:
        for case in getattr(judged, "cases", ()):
            found |= set().union(*map(_runs_of_array, _arrays(judged, case)))
        inner = [*getattr(judged, "parts", ()), *filter(None, [getattr(judged, "judged", None)])]
        found |= _of_properties(inner)
    return frozenset(found)


def _arrays(judged, case):
    """The arrays of a case: what it gives, and what is right."""
    if isinstance(case, np.ndarray):
        return [case]
    operation = getattr(judged, "operation", None)
    right = operation.results(case).values() if operation is not None else ()
    return [*case.fresh().values(), *right]


def _runs_of_array(array):
    """The runs in an array, along its rows and down its columns."""
    array = np.asarray(array)
    if array.ndim < 2 or array.dtype.kind not in "iuf":
        return set()
    orders = array.ravel(), array.swapaxes(-1, -2).ravel()
    return set().union(*(_runs([number_text(one) for one in order]) for order in orders))


def leaks(report, guarded):
    """What the pages of feedback in a report give away, each once.

    Parameters
    ----------
    report : path
        The folder that ``course grade --out`` wrote.
    guarded : Guarded
        As `of_class` gives it.

    Returns
    -------
    list of Finding

    Notes
    -----
    Arrays of fewer than six numbers cannot be told from others, nor the arrays of exercise 6, which have no cases.
    """
    pages = sorted((Path(report) / "students").glob("*.html"))
    return [
        Finding(page.name, what)
        for page in pages
        for what in dict.fromkeys(said(page.name, page.read_bytes(), guarded))
    ]
