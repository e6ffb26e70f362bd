"""What a check judges. Each property takes a `Session` and returns how many cases passed, or raises a `Fault`."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_lib.exercises import faults
from course_lib.exercises.compare import (
    SHOWN,
    first_difference,
    index_text,
    minus,
    number_text,
    rows_text,
    same,
    shape_text,
)
from course_lib.exercises.diagnosis import Witness, diagnose
from course_lib.exercises.faults import Fault
from course_lib.exercises.misconceptions import Operation


@dataclass(frozen=True)
class Values:
    """An answer gives the right array for every case.

    Attributes
    ----------
    name : str
    points : int
    answers : tuple of str
        The names of the answers that it needs.
    operation : Operation
        What is right, and what its misconceptions change.
    cases : tuple of Case
        The smallest first.
    part : callable
        From the named results of the operation to the array that is judged.
    run : callable or None
        From a session and a case to the learner's array, with `Session.call`. None means that the first answer is the
        array itself: then it is the only case, and a verdict shows one element of what is expected and not the rest.
    remark : callable or None
        From a case, the learner's array and the expected one, of one shape, to a sentence; "" for nothing.
    array : str
        What the sentences call the array; "" where there is only one.
    beside : tuple of Values
        Other arrays of the same answers: a mistake that explains these too is named before one that does not.
    """

    name: str
    points: int
    answers: tuple
    operation: Operation
    cases: tuple
    part: Callable
    run: Callable | None = None
    remark: Callable | None = None
    array: str = ""
    beside: tuple = ()

    def judge(self, session):
        """The number of cases, all right."""
        for name in self.answers:
            session.answer(name)
        for case in self.cases:
            before = len(session.changed)
            try:
                self._judge_case(session, case)
            except Fault as fault:
                changes = [("note", sentence) for sentence in session.changed[before:]]
                raise fault.around(("case", case.name), changes) from None
        return len(self.cases)

    def yours(self, session, case):
        """The learner's array."""
        return (
            self.run(session, case)
            if self.run
            else _without_leading_ones(session.answer(self.answers[0]), self.expected(case))
        )

    def expected(self, case):
        """The right array."""
        return np.asarray(self.part(self.operation.results(case)))

    def _judge_case(self, session, case):
        """Raises the fault of one case, if it has one."""
        yours, expected = self.yours(session, case), self.expected(case)
        if same(yours, expected):
            session.right.append(Witness(self, case, yours))
            return
        of_array = f" of {self.array}" if self.array else ""
        if yours.shape != expected.shape:
            kind, message, details, index = *_wrong_shape(yours, expected, of_array), None
        else:
            index = first_difference(yours, expected)
            kind, message, details = _wrong_value(yours, expected, index, of_array, whole=self.run is not None)
            if self.remark and np.isfinite(yours).all() and (remark := self.remark(case, yours, expected)):
                details.append(("note", remark))
        names, found = diagnose(self, session, case, yours, index)
        raise Fault(kind, message, details + found, names)


def _without_leading_ones(yours, expected):
    """An array that was computed with batch and channel axes of one is taken without them."""
    extra = yours.ndim - expected.ndim
    return yours.reshape(yours.shape[extra:]) if extra > 0 and set(yours.shape[:extra]) == {1} else yours


def _wrong_shape(yours, expected, of_array):
    """The verdict for another shape."""
    message = f"wrong shape{of_array}: yours {shape_text(yours.shape)}, expected {shape_text(expected.shape)}"
    right = yours.size == expected.size and same(yours.reshape(expected.shape), expected)
    return faults.WRONG_SHAPE, message, [("note", "The elements are right, and in the right order.")] if right else []


def _wrong_value(yours, expected, index, of_array, whole):
    """The verdict for another value, at the first index that differs; with whole arrays where they are small."""
    where = index_text(index) + of_array
    message = f"wrong value: {where} is {number_text(yours[index])}, expected {number_text(expected[index])}"
    details = [("yours", rows_text(yours))] if yours.size <= SHOWN else []
    if whole and expected.size <= SHOWN:
        details += [("expected", rows_text(expected)), ("difference", rows_text(minus(yours, expected)))]
    if yours.dtype.kind in "iu" and same(yours, np.trunc(expected)):
        details.append(("note", f"An array of dtype {yours.dtype} cannot hold fractions. Were they cut off?"))
    if np.isnan(yours[index]):
        details.append(("note", "NaN is not a number: look for 0/0, for inf - inf, or for an element never written."))
    return faults.WRONG_VALUE, message, details


@dataclass(frozen=True)
class Together:
    """Several properties that count as one: all must pass."""

    name: str
    points: int
    parts: tuple

    @property
    def answers(self):
        """The names of the answers that the parts need."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.answers))

    def judge(self, session):
        """The number of cases, all right."""
        return sum(part.judge(session) for part in self.parts)


@dataclass(frozen=True)
class Star:
    """A property beyond the task: its points count, and the exercise passes without it.

    Attributes
    ----------
    judged : property
    parameter : str
        What functions must take, by name, to have begun with it; "" for nothing.
    takers : tuple of str
        The functions that must take it.
    """

    judged: object
    parameter: str = ""
    takers: tuple = ()
    star = True

    name = property(lambda self: self.judged.name)
    points = property(lambda self: self.judged.points)
    answers = property(lambda self: self.judged.answers)

    def judge(self, session):
        """The number of cases, all right."""
        if not all(session.takes(name, self.parameter) for name in self.takers):
            raise faults.not_started()
        return self.judged.judge(session)


@dataclass(frozen=True)
class RightChoice:
    """The letter of the right option: the one that expresses no misconception."""

    name: str
    points: int
    answers: tuple

    def judge(self, session):
        """One case."""
        (name,) = self.answers
        letter = session.answer(name)
        option = session.exercise.answer(name).options[letter]
        if option.misconception is None:
            return 1
        entry = session.catalogue[option.misconception]
        raise Fault(faults.WRONG_VALUE, f"wrong: {letter!r} does not hold", session.known(entry), [entry.name])


@dataclass(frozen=True)
class KeepsInputs:
    """A function leaves the arrays that it is given as they are."""

    name: str
    points: int
    answers: tuple
    cases: tuple
    run: Callable

    def judge(self, session):
        """The number of cases."""
        for name in self.answers:
            session.answer(name)
        for case in self.cases:
            before = len(session.changed)
            try:
                self.run(session, case)
                if session.changed[before:]:
                    raise Fault(faults.WRONG_VALUE, session.changed[before])
            except Fault as fault:
                raise fault.around(("case", case.name)) from None
        return len(self.cases)
