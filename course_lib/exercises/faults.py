"""What keeps an answer from passing, in sentences: the kinds of verdict, and an error at the learner's own line."""

import linecache
import sys
import sysconfig
import traceback
from pathlib import Path

PASSED = "passed"
NOT_STARTED = "not started"
WRONG_SHAPE = "wrong shape"
WRONG_VALUE = "wrong value"
NOT_USABLE = "not usable"
ERROR = "error"
OUT_OF_TIME = "out of time"
STOPPED = "stopped"
OUR_FAULT = "our fault"

OURS = str(Path(__file__).parents[1])
LIBRARIES = tuple({sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")})
LINES_SHOWN = 4


class Fault(Exception):
    """Why a property does not pass: the kind, one sentence, details as (label, text), and misconceptions by name."""

    def __init__(self, kind, message, details=(), misconceptions=()):
        super().__init__(message)
        self.kind, self.message = kind, message
        self.details, self.misconceptions = tuple(details), tuple(misconceptions)

    def around(self, first, last=()):
        """The same fault with one detail more in front, and some behind; what was not started has no details."""
        if self.kind == NOT_STARTED:
            return self
        return Fault(self.kind, self.message, (first, *self.details, *last), self.misconceptions)


def not_started():
    """The verdict for what the learner has not touched."""
    return Fault(NOT_STARTED, "not started")


def type_name(value):
    """The name of a value's type, whatever the value pretends to be."""
    # Through type itself: a metaclass may give any __name__, or raise.
    return type.__dict__["__name__"].__get__(type(value))


def is_exactly(value, *types):
    """Whether a value is of one of some types and no subclass; nothing of the value's own is called."""
    return any(type(value) is one for one in types)


def is_instance(value, *types):
    """Whether a value is of one of some types or of a subclass, whatever it says of its class."""
    return issubclass(type(value), types)


def clean(text, limit=300):
    """One line of printable text of bounded length."""
    text = text[: limit + 1]
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def error_text(error, run):
    """What an error says about itself, after a colon; nothing if it says nothing.

    Parameters
    ----------
    error : BaseException
    run : callable
        Runs a function under the learner's time limit: an error's text is the learner's code too.
    """
    outcome = run(lambda: str(error))
    text = clean(outcome.value) if type(outcome.value) is str else "(its text cannot be shown)"
    return f": {text}" if text else ""


def learner_lines(error):
    """The learner's lines through which an error came, the outermost first: where it is, and what stands there."""
    steps = list(traceback.walk_tb(error.__traceback__))
    places = [(frame.f_code, line) for frame, line in steps if is_learners(frame.f_code.co_filename)]
    if len(places) > LINES_SHOWN:
        # Recursion: the first line and the last ones say it all.
        places = places[:1] + places[1 - LINES_SHOWN :]
    return [_line(code, number) for code, number in places]


def is_learners(filename):
    """Whether a file is neither of this course nor of a library."""
    return not filename.startswith((OURS, sys.prefix, *LIBRARIES, "<frozen", "<__array_function__"))


def _line(code, number):
    """One line of code with its place, as a traceback gives it."""
    source = clean(linecache.getline(code.co_filename, number).strip())
    return f"line {number} of {code.co_name}" + (f": {source}" if source else "")
