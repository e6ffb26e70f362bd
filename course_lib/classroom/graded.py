"""An exercise as it is graded: what a check asks in a notebook, and a sandbox must ask in another way."""

from dataclasses import dataclass, replace

from course_lib.classroom import held_back
from course_lib.classroom.run_again import RUNS, in_place_of_reports
from course_lib.exercises import faults
from course_lib.exercises.faults import Fault
from course_lib.exercises.fill_in import Ticked
from course_lib.exercises.no_loops import SLACK, NoLoops
from course_lib.exercises.properties import KeepsInputs, Star, Together

# The engine's clock is the learner's; here the sandbox has its own.
ENDLESS = 1e6


@dataclass(frozen=True)
class CountedLoops:
    """As `NoLoops`, with the lines counted where they run."""

    judged: NoLoops

    name = property(lambda self: self.judged.name)
    points = property(lambda self: self.judged.points)
    answers = property(lambda self: self.judged.answers)

    def judge(self, session):
        """One case: a small input and a large one."""
        function = session.answer(self.answers[0])
        few, many = (self._lines(function.program, session, case) for case in (self.judged.small, self.judged.large))
        if many > few + SLACK:
            message = f"there is a loop: a small input runs {few} of your lines, and a larger one {many}"
            raise Fault(faults.WRONG_VALUE, message)
        return 1

    def _lines(self, program, session, case):
        """How many lines of the notebook one case runs."""
        program.counting, program.lines = True, 0
        try:
            self.judged.run(session, case)
        finally:
            program.counting = False
        return program.lines


def as_graded(exercise, secret=b"", runs=RUNS):
    """The exercise with what the sandbox needs, without a limit of time, and without what a person marks.

    Parameters
    ----------
    exercise : Exercise
    secret : bytes
        Of the class: which runs of a design are run again is drawn from it.
    runs : int
        How many of each design.
    """
    asked = [judged for judged in in_place_of_reports(exercise, secret, runs) if not isinstance(judged, Ticked)]
    properties = (*map(_in_sandbox, asked), *held_back.properties(exercise))
    return replace(exercise, properties=properties, seconds=ENDLESS)


def _in_sandbox(judged):
    """A property that asks nothing of a stand-in that only a real function can tell."""
    if isinstance(judged, NoLoops):
        return CountedLoops(judged)
    if isinstance(judged, Star):
        return replace(judged, judged=_in_sandbox(judged.judged))
    if isinstance(judged, Together):
        return replace(judged, parts=tuple(map(_in_sandbox, judged.parts)))
    return judged


def to_mark(exercise):
    """The points that a person gives, for text in the student's own words."""
    return sum(judged.points for judged in exercise.properties if isinstance(judged, Ticked))


def earned_beside(judged):
    """Whether a property counts only beside a right value: who does nothing changes nothing."""
    return isinstance(judged, KeepsInputs)
