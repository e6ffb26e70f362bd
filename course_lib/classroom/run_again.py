"""Running a student's design again, by the course's own code: no number of the student's is believed."""

import time
from dataclasses import dataclass

import numpy as np

from course_lib.classroom import hidden
from course_lib.exercises import faults
from course_lib.exercises.designs import Comparison
from course_lib.exercises.judged import wrong
from course_lib.experiments import design_of
from course_lib.experiments.runs import run_design

RUNS, SECONDS = 2, 60.0
OF_REPORTS = Comparison.judge_report, Comparison.judge_environment, Comparison.judge_again


class TimeIsUp(Exception):
    """Ends a run that the grader has no more time for."""


@dataclass(frozen=True)
class RunAgain:
    """Some variants with some seeds of a design can be run, and give numbers.

    Attributes
    ----------
    name : str
    points : int
    comparison : Comparison
        What the design must be.
    number : int
        Of the exercise.
    secret : bytes
        Which runs these are is drawn from it, so that nobody chooses them.
    runs : int
        How many there are at most.
    seconds : float
        Of the processor, for all of them together. What is not done by then counts as far as it went.
    """

    name: str
    points: int
    comparison: Comparison
    number: int
    secret: bytes = b""
    runs: int = RUNS
    seconds: float = SECONDS

    @property
    def answers(self):
        """The design."""
        return (self.comparison.design,)

    def judge(self, session):
        """The number of runs."""
        design = self.comparison.read(session)
        chosen = self.drawn(design)
        if not chosen:
            raise wrong("every variant has functions of your own, which the grader does not run")
        clock = Clock(self.seconds)
        for variant, seed in chosen:
            self._judge_run(design, variant, seed, clock)
        return len(chosen)

    def drawn(self, design):
        """Pairs of a variant and a seed, no pair twice, and no variant with functions of the student's."""
        pairs = [
            (name, seed)
            for name, settings in design.variants.items()
            if settings.backend != "yours"
            for seed in design.seeds
        ]
        rng = hidden.generator(self.secret, self.number, f"runs of {design.plain()}")
        return [pairs[place] for place in rng.permutation(len(pairs))[: self.runs]]

    def _judge_run(self, design, variant, seed, clock):
        """Raises the fault of one run, if it has one."""
        plain = design.plain()
        one = design_of(**{**plain, "variants": {variant: plain["variants"][variant]}, "seeds": [seed]})
        try:
            report = run_design(one, advance=clock.check)
        except TimeIsUp:
            return
        except (ValueError, TypeError) as error:
            raise wrong(f"run again, {variant!r} fails: {faults.clean(str(error), 160)}") from None
        for name, found in report[variant].items():
            if not np.isfinite(found).all():
                raise wrong(f"run again with seed {seed}, {variant!r} has no number for {name}")


class Clock:
    """Seconds of the processor that several runs share."""

    def __init__(self, seconds):
        self.end = time.process_time() + seconds

    def check(self):
        """Raises when they are used up."""
        if time.process_time() > self.end:
            raise TimeIsUp


def in_place_of_reports(exercise, secret=b"", runs=RUNS):
    """The properties of an exercise, with one that runs a design again in the place of those about its report.

    Parameters
    ----------
    exercise : Exercise
    secret : bytes
    runs : int
    """
    groups = {}
    for judged in exercise.properties:
        if is_of_report(judged):
            groups.setdefault(judged.by.__self__.design, []).append(judged)
    again = [_again(group, exercise.number, secret, runs) for group in groups.values()]
    return [judged for judged in exercise.properties if not is_of_report(judged)] + again


def is_of_report(judged):
    """Whether a property is about a student's report."""
    return getattr(getattr(judged, "by", None), "__func__", None) in OF_REPORTS


def _again(group, number, secret, runs):
    """The property that stands for those of one report."""
    comparison = group[0].by.__self__
    prefix = "scaling: " if comparison.design.startswith("scaling") else ""
    return RunAgain(
        f"{prefix}run again by the grader",
        sum(judged.points for judged in group),
        comparison,
        number,
        secret,
        runs,
    )
