"""What was asked, typed, ticked and rated: one line of JSON an event, in one file of the work folder.

Lines are only added, each in one write that has reached the disk before the drill goes on. So whatever ends a drill, a
key, a kill or an empty battery, every line that was entered is kept. A line that was cut short is passed over.
"""

import json
import os
import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime

from course_lib.exercises.lock import locked
from course_lib.workspace import work_folder

FILE = "interview.jsonl"
LOCK = ".interview.lock"
# No length of time is longer, in minutes or in seconds.
MOST = 1e8
# The candidate's file from the work folder; "" for none.
OWN = re.compile(r"(drill/\w+\.py)?")


@dataclass
class Attempt:
    """One question, from the asking to the rating. What has not come yet is None, or empty.

    Of a coding task: ``seed``, ``minutes`` and ``file``, the path from the work folder; ``sources``, what was handed
    in; ``judged``, whether the last of them was; ``passed``, what was said of it; and how many ``hints`` were taken.
    Of a hunt: ``seed``; ``size``, of the input that exposed the fault; and ``named``, whether that was right.
    """

    key: str
    question: str
    lines: list = field(default_factory=list)
    seconds: float = 0
    answered: bool = False
    ticked: tuple | None = None
    follow_up: str | None = None
    follow_up_lines: list = field(default_factory=list)
    followed: bool = False
    rating: int | None = None
    time: datetime | None = None
    dropped: bool = False
    seed: int | None = None
    minutes: float = 0
    begun: datetime | None = None
    file: str = ""
    sources: list = field(default_factory=list)
    judged: bool = False
    passed: bool = False
    hints: int = 0
    size: int | None = None
    named: bool | None = None

    @property
    def open(self):
        """Whether it can be gone on with."""
        return self.rating is None and not self.dropped


def begin(question):
    """A new attempt at the question with a name; nothing is written."""
    return Attempt(uuid.uuid4().hex[:12], question)


def write(attempt, what, now, **values):
    """Adds one event to the file, and to the attempt.

    Parameters
    ----------
    attempt : Attempt
    what : str
        A name of `EVENTS`.
    now : datetime
        With its zone.
    values
        What the event holds.
    """
    event = {
        "attempt": attempt.key, "question": attempt.question, "what": what, "time": now.isoformat(), **values
    }  # fmt: skip
    folder = work_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / LOCK), open(folder / FILE, "ab+") as file:
        file.write(_rescued(file) + json.dumps(event, ensure_ascii=False).encode(errors="replace") + b"\n")
        file.flush()
        os.fsync(file.fileno())
    _add(attempt, event)


def _rescued(file):
    """A line's end, if the last line of the file has none because its writer was killed."""
    if not file.seek(0, os.SEEK_END):
        return b""
    file.seek(-1, os.SEEK_END)
    return b"" if file.read(1) == b"\n" else b"\n"


def read():
    """Every attempt, in the order of their beginnings.

    Returns
    -------
    attempts : list of Attempt
    note : str
        One sentence if some lines could not be read, else "".
    """
    try:
        lines = (work_folder() / FILE).read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], ""
    attempts, damaged = {}, 0
    for line in filter(None, lines):
        try:
            event = json.loads(line)
            attempt = attempts.get(event["attempt"]) or Attempt(event["attempt"], event["question"])
            _add(attempt, event)
        except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
            damaged += 1
        else:
            attempts[attempt.key] = attempt
    return list(attempts.values()), f"{FILE}: {damaged} damaged lines were passed over." if damaged else ""


def _add(attempt, event):
    """Changes an attempt by an event; one that this version does not know changes nothing."""
    if not isinstance(attempt.key, str) or not isinstance(attempt.question, str):
        raise TypeError("an event needs its attempt and its question")
    EVENTS.get(event["what"], lambda attempt, event: None)(attempt, event)


def _number(value):
    """A number that a clock can show."""
    number = float(value)
    if not 0 <= number < MOST:
        raise ValueError("no length of time")
    return number


def _time(event):
    """When it was. Years that no drill has seen would overflow the schedule."""
    time = datetime.fromisoformat(event["time"]).astimezone(UTC)
    if not 1970 <= time.year < 3000:
        raise ValueError("no time of a drill")
    return time


def _line(attempt, event):
    attempt.seconds = _number(event["seconds"])
    attempt.lines.append(str(event["text"]))


def _text(attempt, event):
    """What a text field holds now, in the place of all lines before."""
    attempt.seconds = _number(event["seconds"])
    attempt.lines = str(event["text"]).split("\n")


def _answered(attempt, event):
    attempt.seconds = _number(event["seconds"])
    attempt.answered = True


def _ticked(attempt, event):
    attempt.ticked = tuple(int(number) for number in event["points"])


def _follow_up(attempt, event):
    attempt.follow_up = str(event["text"])


def _follow_up_line(attempt, event):
    attempt.follow_up_lines.append(str(event["text"]))


def _follow_up_text(attempt, event):
    attempt.follow_up_lines = str(event["text"]).split("\n")


def _followed(attempt, event):
    attempt.followed = True


def _rated(attempt, event):
    time, rating = _time(event), int(event["rating"])
    if rating not in (1, 2, 3, 4):
        raise ValueError("no rating")
    attempt.time, attempt.rating = time, rating


def _dropped(attempt, event):
    attempt.dropped = True


def _began(attempt, event):
    begun, seed, minutes, file = _time(event), int(event["seed"]), _number(event["minutes"]), str(event["file"])
    if seed < 0 or not OWN.fullmatch(file):
        raise ValueError("no seed, or a file that is not of the drill's folder")
    attempt.begun, attempt.seed, attempt.minutes, attempt.file = begun, seed, minutes, file


def _handed_in(attempt, event):
    attempt.seconds, attempt.judged = _number(event["seconds"]), False
    attempt.sources.append(str(event["text"]))


def _judged(attempt, event):
    attempt.judged, attempt.passed = True, bool(event["passed"])


def _hint(attempt, event):
    attempt.hints += 1


def _exposed(attempt, event):
    size = int(event["size"])
    if size < 1:
        raise ValueError("no size")
    attempt.size = size


def _named(attempt, event):
    attempt.named = bool(event["right"])


def _passed_by(attempt, event):
    attempt.seconds = _number(event["seconds"])


EVENTS = {
    "line": _line,
    "text": _text,
    "answered": _answered,
    "ticked": _ticked,
    "follow-up": _follow_up,
    "follow-up line": _follow_up_line,
    "follow-up text": _follow_up_text,
    "followed": _followed,
    "rated": _rated,
    "dropped": _dropped,
    "began": _began,
    "handed in": _handed_in,
    "judged": _judged,
    "hint": _hint,
    "time": _passed_by,
    "exposed": _exposed,
    "named": _named,
}
