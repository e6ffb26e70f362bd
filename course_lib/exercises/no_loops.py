"""The property that code is right without a loop over an array: a larger array takes no more of its lines."""

import sys
from dataclasses import dataclass

from course_lib.exercises import faults
from course_lib.exercises.compare import same
from course_lib.exercises.faults import Fault
from course_lib.exercises.misconceptions import Case
from course_lib.exercises.properties import Values

# A branch that depends on a size may take another line or two; a loop takes at least one a turn.
SLACK = 2


@dataclass(frozen=True)
class NoLoops:
    """A larger array takes as many lines of the learner's as a small one.

    Attributes
    ----------
    name : str
    points : int
    answers : tuple of str
    small, large : Case
        Alike but for the sizes over which there must be no loop; these differ by more than the slack.
    values : Values
        Of one call, which must be right here too: who computes nothing has no loop either.
    """

    name: str
    points: int
    answers: tuple
    small: Case
    large: Case
    values: Values

    def run(self, session, case):
        """One call, which must give what is right."""
        if not same(self.values.yours(session, case), self.values.expected(case)):
            raise Fault(faults.WRONG_VALUE, "wrong value in a case that counts the lines", [("case", case.name)])

    def judge(self, session):
        """One case: the pair of them."""
        for name in self.answers:
            session.answer(name)
        few, many = (lines_run(lambda case=case: self.run(session, case)) for case in (self.small, self.large))
        if many > few + SLACK:
            message = f"there is a loop: a small input runs {few} of your lines, and a larger one {many}"
            raise Fault(faults.WRONG_VALUE, message)
        return 1


def lines_run(function):
    """How many lines of the learner's a function runs, those of all that it calls included."""
    lines = 0

    def trace(frame, event, argument):
        nonlocal lines
        if not faults.is_learners(frame.f_code.co_filename):
            return None
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines
