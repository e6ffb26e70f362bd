"""An exercise as it is graded: what a check asks in a notebook, and a sandbox must ask in another way."""

from dataclasses import dataclass, replace

from course_lib.exercises import faults
from course_lib.exercises.designs import Comparison, drawn
from course_lib.exercises.faults import Fault
from course_lib.exercises.fill_in import Ticked
from course_lib.exercises.judged import wrong
from course_lib.exercises.no_loops import SLACK, NoLoops
from course_lib.exercises.properties import KeepsInputs, Star, Together
from course_lib.experiments import rerun

# The engine's clock is the learner's; here the sandbox has its own.
ENDLESS = 1e6
OF_REPORTS = Comparison.judge_report, Comparison.judge_environment, Comparison.judge_again


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


@dataclass(frozen=True)
class RunAgain:
    """The design is run by the grader, one variant with one seed: no number of the student's is believed."""

    name: str
    points: int
    comparison: Comparison

    @property
    def answers(self):
        """The design."""
        return (self.comparison.design,)

    def judge(self, session):
        """The number of fields that were measured."""
        design = self.comparison.read(session)
        if all(settings.backend == "yours" for settings in design.variants.values()):
            raise wrong("every variant has functions of your own, which the grader does not run")
        variant, number = drawn(design)
        try:
            rerun(design, variant, design.seeds[number])
        except (ValueError, TypeError) as error:
            raise wrong(f"run again, {variant!r} fails: {faults.clean(str(error), 160)}") from None
        return len(design.fields)


def as_graded(exercise):
    """The exercise with what the sandbox needs, without a limit of time, and without what a person marks."""
    properties, again = [], {}
    for judged in exercise.properties:
        if isinstance(judged, Ticked):
            continue
        by = getattr(judged, "by", None)
        if getattr(by, "__func__", None) in (
            Comparison.judge_report,
            Comparison.judge_environment,
            Comparison.judge_again,
        ):
            again.setdefault(by.__self__.design, []).append((judged, by.__self__))
        else:
            properties.append(_in_sandbox(judged))
    for design, group in again.items():
        prefix = "scaling: " if design.startswith("scaling") else ""
        points = sum(judged.points for judged, _ in group)
        properties.append(RunAgain(f"{prefix}run again by the grader", points, group[0][1]))
    return replace(exercise, properties=tuple(properties), seconds=ENDLESS)


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
