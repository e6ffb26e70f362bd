"""Whether a learner's stopwatch is fair: judged on a stage whose clock stands still but for the functions on it."""

import numpy as np

from course_lib.exercises import faults, reading
from course_lib.exercises.compare import array_text, same
from course_lib.exercises.faults import Fault
from course_lib.exercises.judged import wrong

NAME = "median_seconds"
REPEATS = 5
FIRST = 1000.0


class Stage:
    """Functions that take a known time, and a clock that knows only them.

    Parameters
    ----------
    durations : sequence of sequence of float
        Of each function, for its calls after the first one, over and over.
    """

    def __init__(self, durations):
        self.now, self.durations, self.called = 0.0, durations, []
        self.functions = [lambda number=number: self._play(number) for number in range(len(durations))]

    def _play(self, number):
        """One call: the first one is slow, as the first of its kind is."""
        before = self.called.count(number)
        self.called.append(number)
        times = self.durations[number]
        self.now += FIRST if before == 0 else times[(before - 1) % len(times)]

    def clock(self):
        """The time."""
        return self.now


# The means are other numbers than the medians, and so are the least and the largest.
DURATIONS = ((3.0, 1.0, 2.0, 50.0, 4.0), (9.0, 7.0, 70.0, 8.0, 6.0), (0.5, 0.5, 30.0, 0.25, 0.75))


def staged(session):
    """The learner's result, and the stage after it."""
    stage = Stage(DURATIONS)
    result = session.call(NAME, list(stage.functions), REPEATS, stage.clock, returns=("seconds",))
    array = reading.as_array("seconds", result, session.calls)
    if array.shape != (len(DURATIONS),):
        expected = f"one number a function, shape ({len(DURATIONS)},)"
        raise Fault(faults.WRONG_SHAPE, f"{NAME} must return {expected}; got shape {array.shape}")
    return array.astype(float), stage


def judge_median(session):
    """The medians of the turns that count."""
    found, _ = staged(session)
    right = np.median(DURATIONS, axis=1)
    if not same(found, right):
        details = [("yours", array_text(found)), ("expected", array_text(right))]
        details += [("note", text) for text in (_other(found),) if text]
        raise wrong("wrong value: these are not the medians of the times that the functions took", *details)
    return len(right)


def _other(found):
    """What the numbers are instead, if that is known."""
    with_first = [[FIRST, *times] for times in DURATIONS]
    known = {
        "Those are the means. One interruption moves a mean and not a median.": np.mean(DURATIONS, axis=1),
        "Those are the least times. They hide how the function usually behaves.": np.min(DURATIONS, axis=1),
        "Those are sums over the turns.": np.sum(DURATIONS, axis=1),
        "The first, slow turn is counted.": np.median(with_first, axis=1),
        "Those are the means with the first, slow turn.": np.mean(with_first, axis=1),
    }
    return next((sentence for sentence, values in known.items() if same(found, values)), "")


def judge_warm_up(session):
    """Every function has one call more than is timed."""
    _, stage = staged(session)
    for number in range(len(DURATIONS)):
        calls = stage.called.count(number)
        if calls <= REPEATS:
            raise wrong(f"with repeats={REPEATS}, function {number} was called {calls} times: the first is no warm-up")
    return len(DURATIONS)


def judge_turns(session):
    """In the turns that count, every function comes once before any comes again."""
    _, stage = staged(session)
    count = len(DURATIONS)
    timed = stage.called[-REPEATS * count :]
    for first in range(0, REPEATS * count, count):
        if len(timed) < REPEATS * count or sorted(timed[first : first + count]) != list(range(count)):
            raise wrong(
                "the functions do not take turns: one is called again before all others were",
                ("calls", ", ".join(map(str, stage.called[:20]))),
            )
    return REPEATS
