"""Compares the gradients of a backward pass with slopes: smooth elements by their error, kinks by their interval."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from course_lib.gradcheck.probe import STEPS
from course_lib.gradcheck.report import GradientReport, Kink

TOLERANCE = {"float64": 1e-6, "float32": 2e-3}
# Parts of the usual step: from one to the next the jump at a corner goes if the corner is beside the element.
SHORTER = (1, 64, 256, 4096, 16384)


class Trial(NamedTuple):
    """One element or several that move together: what the backward pass says, and what differences say."""

    moves: list  # pairs (input, index)
    value: float
    low: float
    high: float
    error: float  # how far from the slope the differences may be
    kinked: np.ndarray  # outputs with a kink

    @property
    def absolute(self):
        """How far apart the two are; infinite if either is not a number."""
        distance = abs(self.value - (self.low + self.high) / 2)
        return np.inf if np.isnan(distance) else distance

    @property
    def relative(self):
        if np.isinf(self.absolute):
            return np.inf
        return max(self.absolute - self.error, 0.0) / max(abs(self.value), abs(self.low), 1e-300)

    def lies_between(self, tolerance):
        """Whether the value lies between the one-sided slopes."""
        margin = tolerance * max(abs(self.low), abs(self.high)) + self.error
        return self.low - margin <= self.value <= self.high + margin


class Judge:
    """Judges the elements of all inputs, each at a step in proportion to its size.

    With ``adaptive`` an element that the usual step does not confirm is tried at other steps.
    """

    def __init__(self, probe, grad_output, analytic, steps, adaptive):
        self.probe, self.grad_output, self.analytic = probe, grad_output, analytic
        self.steps, self.adaptive = steps, adaptive
        self.tolerance = TOLERANCE[probe.dtype.name]

    def step(self, moves):
        """The usual step: relative for large elements, so that it is not lost in them."""
        if not self.adaptive:
            return self.steps[moves[0][0]]
        return max(self.steps[number] * max(1.0, abs(float(self.probe.arrays[number][at]))) for number, at in moves)

    def trial(self, moves):
        """Elements at the usual step."""
        slope = self.probe.slope(moves, self.step(moves), self.grad_output)
        value = sum(float(self.analytic[number][index]) for number, index in moves)
        return Trial(moves, value, slope.low, slope.high, slope.noise, slope.kinked)

    def confirmed(self, trial):
        """Whether the usual step alone settles it: what it calls noise is allowed only where no other step is asked."""
        return (trial._replace(error=0.0) if self.adaptive else trial).relative <= self.tolerance

    def refined(self, trial, units=STEPS):
        """Elements at the step that suits them best."""
        slope, error = self.probe.refined(trial.moves, self.step(trial.moves) * units, self.grad_output)
        return trial._replace(low=slope, high=slope, error=error)

    def smooth(self, trials):
        """Smooth elements, the likeliest wrong ones first; and those that were left when one was surely wrong."""
        trials, judged = sorted(trials, key=lambda trial: -trial.absolute), []
        for number, trial in enumerate(trials):
            if self.adaptive and not self.confirmed(trial):
                trial = self.refined(trial)
                if trial.relative > self.tolerance:
                    return [*judged, trial], trials[number + 1 :]
            judged.append(trial)
        return judged, []

    def cornered(self, trials):
        """Whether each kink is accepted: near kinks by shorter steps, the others by their interval and their group."""
        accepted = [self.passed_by(trial) for trial in trials]
        corners = [number for number, answer in enumerate(accepted) if answer is None]
        for group in _ties([(number, trials[number].kinked) for number in corners]):
            agrees = self.adds_up([trials[number] for number in group])
            for number in group:
                inside = trials[number].lies_between(self.tolerance)
                accepted[number] = agrees if inside else self.adaptive and self.excused(trials[number])
        return accepted

    def excused(self, trial):
        """Whether a value outside the interval is right all the same."""
        return self.bent(trial) or self.many_sided(trial)

    def bent(self, trial):
        """Whether what looked like a corner is a sharp bend, whose slope at its best step is the value."""
        here = self.refined(trial)
        return here.relative <= self.tolerance and here.error <= abs(here.low) / 3

    def passed_by(self, trial):
        """For a corner that lies beside the element, whether the value is the slope here; None for one that is here."""
        if not self.adaptive:
            return None
        step = self.step(trial.moves)
        found = [self.probe.sides(trial.moves, step / parts) for parts in SHORTER]
        gone = [(short.jump + short.noise < longer.jump / 2)[trial.kinked].all() for longer, short in pairwise(found)]
        if not any(gone):
            return None
        here = self.refined(trial, STEPS[STEPS < 1])
        return None if here.error > (trial.high - trial.low) / 10 else here.relative <= self.tolerance

    def many_sided(self, trial):
        """Whether slopes all around hold the value where one-sided ones do not: three or more that tie in a sort.

        They stay apart when the surroundings shrink, as at no bend.
        """
        step = self.step(trial.moves)
        wide, close = (self.probe.nearby(trial.moves, part, self.grad_output) for part in (step / 4, step / 16))
        if not 0.5 <= (close[1] - close[0]) / max(wide[1] - wide[0], 1e-300) <= 2:
            return False
        inside = trial._replace(low=close[0], high=close[1], error=0.0).lies_between(self.tolerance)
        return inside and self.adds_up([self.trial([move]) for move in self.probe.alike(trial.moves[0], 4 * step)])

    def adds_up(self, trials):
        """Whether elements that tie sum to the slope of moving them at once."""
        together = self.trial([move for trial in trials for move in trial.moves])
        rounding = 4 * self.probe.eps * sum(abs(trial.value) for trial in trials)
        together = together._replace(error=together.error + rounding)
        return together.lies_between(self.tolerance) or (
            self.adaptive and self.refined(together).lies_between(self.tolerance)
        )


def judge(probe, grad_output, analytic, steps, places, adaptive):
    """The report on all elements at these places."""
    court = Judge(probe, grad_output, analytic, steps, adaptive)
    trials = [court.trial([(number, index)]) for number, indices in enumerate(places) for index in indices]
    corners = [trial for trial in trials if trial.kinked.any()]
    judged, left = court.smooth([trial for trial in trials if not trial.kinked.any()])
    kinks = [
        Kink(*trial.moves[0], trial.low, trial.high, trial.value, bool(accepted))
        for trial, accepted in zip(corners, court.cornered(corners), strict=True)
    ]
    worst = max(judged, key=lambda trial: trial.relative, default=None)
    passed, where, reason = _verdict(court, judged, worst, kinks)
    return GradientReport(
        passed, reason, tuple(analytic), _numeric(probe, [*corners, *judged, *left]),
        max((trial.absolute for trial in judged), default=0.0), worst.relative if worst else 0.0, where,
        tuple(steps), tuple(kinks),
    )  # fmt: skip


def _numeric(probe, trials):
    """The slopes in the shape of the inputs, with the middle of the interval at kinks."""
    numeric = tuple(np.full(array.shape, np.nan) for array in probe.arrays)
    for trial in trials:
        number, index = trial.moves[0]
        numeric[number][index] = (trial.low + trial.high) / 2
    return numeric


def _verdict(court, judged, worst, kinks):
    """Whether it passed, the element to look at, and one sentence."""
    where = worst.moves[0] if worst else None
    if worst and worst.relative > court.tolerance:
        return False, where, f"input {where[0]}, element {where[1]}: the gradient differs from the slope."
    for kink in kinks:
        if not kink.accepted:
            return False, (kink.input, kink.index), (
                f"input {kink.input}, element {kink.index} is a kink: {kink.analytic:.4g} is not between "
                f"{kink.low:.4g} and {kink.high:.4g}, or the elements that tie with it do not add up."
            )  # fmt: skip
    unclear = sum(trial.absolute > court.tolerance * max(abs(trial.value), abs(trial.low)) for trial in judged)
    infinite = sum(np.count_nonzero(~np.isfinite(array)) for array in court.probe.arrays)
    words = ["all slopes agree"]
    words += [f"at {len(kinks)} kinks a subgradient was chosen"] * bool(kinks)
    words += [f"at {unclear} elements only as far as rounding lets one see"] * bool(unclear)
    words += [f"{infinite} elements that are not finite were not tried"] * bool(infinite)
    return True, where, "; ".join(words) + "."


def _ties(elements):
    """Groups of elements that share an output with a kink."""
    groups = []
    for element, kinked in elements:
        joined = [group for group in groups if (group[1] & kinked).any()]
        members = [element, *(member for group in joined for member in group[0])]
        marks = kinked | np.any([group[1] for group in joined], axis=0) if joined else kinked
        groups = [group for group in groups if not any(group is other for other in joined)] + [(members, marks)]
    return [members for members, _ in groups]
