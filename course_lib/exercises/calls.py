"""Calling what the learner gave: within the time, with what it prints caught, and every outcome a value or a fault."""

import io
import sys

from course_lib.exercises import faults
from course_lib.exercises.faults import Fault, type_name
from course_lib.exercises.limits import run_limited

PRINTED = 2000
# What is not the learner's function still runs the learner's code: an array's conversion, an error's text.
SMALL = 2.0
# What a stub raises.
YOUR_TURN = "Your turn."

CAUGHT = (
    "The code caught the interruption and went on, so it was interrupted again and again. "
    "Does an except there catch everything?"
)
COMPILED = (
    "One call into compiled code went on after the time was up. "
    "Python can interrupt before and after such a call, but not in it."
)


class Calls:
    """All calls of one check. They share its seconds, and what they print is kept, up to a length.

    Parameters
    ----------
    seconds : float
        What all calls together may take.
    """

    def __init__(self, seconds):
        self.limit = self.left = seconds
        self.printed = _Printed()
        self.stopped = False

    def run(self, function, seconds=SMALL):
        """The outcome of a function without arguments."""
        streams = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self.printed
        try:
            outcome = run_limited(function, max(min(self.left, seconds), 0.01))
        finally:
            sys.stdout, sys.stderr = streams
        self.left -= outcome.seconds
        return outcome

    def value(self, subject, function, seconds=None):
        """The value of a function without arguments.

        Parameters
        ----------
        subject : str
            Whose code runs: the verdict's sentence begins with it.
        function : callable
        seconds : float or None
            None means all that is left.

        Raises
        ------
        Fault
            If there is no value.
        """
        self._check_time()
        allowed = min(self.left, seconds or self.left)
        outcome = self.run(function, allowed)
        if outcome.out_of_time:
            raise self._out_of_time(subject, outcome, allowed)
        if outcome.error is not None:
            raise self._error(subject, outcome.error)
        return outcome.value

    def _check_time(self):
        """Refuses to begin what there is no time for."""
        if self.stopped:
            raise Fault(faults.STOPPED, "not checked: this check was stopped before")
        if self.left <= 0:
            raise Fault(faults.OUT_OF_TIME, f"not checked: the {self.limit:g} s of this check are used up")

    def _out_of_time(self, subject, outcome, allowed):
        """The verdict for code that had to be interrupted."""
        details = [("your line", line) for line in faults.learner_lines(outcome.error)] if outcome.error else []
        if outcome.caught:
            details.append(("note", CAUGHT))
        elif outcome.seconds > allowed + 0.5:
            details.append(("note", COMPILED))
        rest = self.left <= 0 and allowed < 0.9 * self.limit
        when = f"when the {self.limit:g} s of this check were used up" if rest else f"after {allowed:.2g} s"
        return Fault(faults.OUT_OF_TIME, f"{subject} was still running {when}, and was stopped", details)

    def _error(self, subject, error):
        """The verdict for an error that the learner's code raised; the stub's own error says that nothing was done."""
        if type(error) is Fault:
            # A stand-in, which a grader calls in the place of the learner's function, says itself what went wrong.
            return error
        text = faults.error_text(error, self.run)
        if issubclass(type(error), NotImplementedError) and text == f": {YOUR_TURN}":
            return faults.not_started()
        details = [("your line", line) for line in faults.learner_lines(error)]
        if issubclass(type(error), KeyboardInterrupt):
            self.stopped = True
            return Fault(faults.STOPPED, f"{subject} was stopped by KeyboardInterrupt", details)
        return Fault(faults.ERROR, f"{subject} raised {type_name(error)}{text}", details)


class _Printed(io.TextIOBase):
    """Keeps the first characters that are written and counts the rest."""

    encoding = "utf-8"

    def __init__(self):
        super().__init__()
        self.parts, self.length = [], 0

    def writable(self):
        return True

    def write(self, text):
        text = str(text)
        if self.length < PRINTED:
            self.parts.append(text[: PRINTED - self.length])
        self.length += len(text)
        return len(text)

    def text(self):
        """What was printed, with a line about what was left out."""
        rest = self.length - PRINTED
        return "".join(self.parts) + (f"\n… and {rest} characters more" if rest > 0 else "")
