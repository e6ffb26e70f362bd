"""A coding task in a notebook: `start` shows it with a clock, ``hand_in`` takes the function.

It writes the same journal as ``course drill --code``. What is handed in is kept there; the cell keeps it anyway.
"""

import inspect
import linecache
import re
from datetime import UTC, datetime
from types import SimpleNamespace

from course_lib.exercises.commands import Told
from course_lib.exercises.display import OPEN, PASSED, WRONG, Link, Page, Shown, html, text
from course_lib.exercises.places import chapter
from course_lib.interview import journal, schedule
from course_lib.interview.coding import clock, files
from course_lib.interview.coding.bank import find, tasks
from course_lib.interview.coding.judging import failing, judged, missing, trouble
from course_lib.interview.coding.outcome import suggested
from course_lib.interview.schedule import RATINGS
from course_lib.workspace import CourseError

HOW = "Write the function in a cell, then drill.hand_in(function). drill.hint() helps, drill.give_up() ends it."

# A day.
LONGEST = 24 * 60


def start(name=None, seed=None, minutes=None):
    """Begins a coding drill, or goes on with the one whose kernel died.

    Parameters
    ----------
    name : str, optional
        Which, as ``course drill --code --list`` has it; None for what is due, or the next.
    seed : int, optional
        Which variant; None for the next that you have not seen.
    minutes : float, optional
        None means what the task allows.

    Returns
    -------
    CodingDrill

    Raises
    ------
    CourseError
        There is no such task or variant, or it needs what is not installed.
    """
    if seed is not None and seed < 0:
        raise CourseError(f"seed must be 0 or more; got seed={seed}.")
    if minutes is not None and not 0 < minutes <= LONGEST:
        raise CourseError(f"minutes must be above 0, and {LONGEST} at most; got minutes={minutes}.")
    attempts, _ = journal.read()
    task = find(name) if name else _next(attempts)
    if missing(task):
        raise CourseError(missing(task))
    drill = CodingDrill(task, _resumed(task, seed, attempts) or journal.begin(task.key), attempts)
    if drill.attempt.seed is None:
        tried = sum(attempt.question == task.key for attempt in attempts)
        drill.write("began", seed=tried if seed is None else seed, minutes=minutes or task.minutes, file="")
    return drill


def _next(attempts):
    """The task that is due, else one that is new, else what comes soonest."""
    possible = {task.key: task for task in tasks() if not missing(task)}
    entries = [SimpleNamespace(name=key, level=task.level, topic=task.topic) for key, task in possible.items()]
    return possible[schedule.first(entries, attempts, _now()).name]


def _resumed(task, seed, attempts):
    """The last attempt in a notebook that is open and has time left; None if there is none."""
    for attempt in reversed(attempts):
        if attempt.question == task.key and attempt.open and attempt.begun and not attempt.file:
            fits = seed in (None, attempt.seed) and clock.left(attempt, _now()) > 0
            return attempt if fits else None
    return None


def _now():
    return datetime.now(UTC)


class CodingDrill(Shown):
    """One attempt at a task.

    Parameters
    ----------
    task : Task
    attempt : Attempt
    attempts : list of Attempt
        All that the journal has.
    """

    def __init__(self, task, attempt, attempts):
        self.task, self.attempt = task, attempt
        self._earlier = [other for other in attempts if other.key != attempt.key]

    def write(self, what, **values):
        """An event of the journal."""
        journal.write(self.attempt, what, _now(), **values)

    def seconds(self):
        """What it has taken so far."""
        # A clock that was set back does not count below nothing.
        return max((_now() - self.attempt.begun).total_seconds(), 0)

    def page(self):
        """The task."""
        task, attempt = self.task, self.attempt
        statement = files.plain(task.variant(attempt.seed).statement)
        return Page(
            heading=f"{task.title} · {task.topic} · level {task.level} · seed {attempt.seed}",
            mark=OPEN,
            paragraphs=(*statement, f"Allowed: {files.allowed(task)}. {HOW}", clock.said(attempt, _now())),
            block=("Begin with", task.variant(attempt.seed).skeleton),
        )

    def __repr__(self):
        return text(self.page())

    def _repr_html_(self):
        return clock.running(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", html(self.page())), self.attempt, _now())

    def hand_in(self, function):
        """Judges a function; until the drill is over, only the names of the properties that fail are said.

        Parameters
        ----------
        function : callable

        Returns
        -------
        Told or CheckResult
            With the diagnosis once the drill is over.
        """
        over = not self.attempt.open or clock.left(self.attempt, _now()) <= 0
        seconds = self.seconds()
        self.write(
            "handed in", text=source_of(function), seconds=seconds if self.attempt.open else self.attempt.seconds
        )
        result = judged(self.task, self.attempt.seed, function, diagnosis=over)
        self.write("judged", passed=result.passed, failing=failing(result))
        if result.passed or over:
            return self._end(result)
        names = f"These do not pass: {', '.join(failing(result))}."
        said = filter(None, (names, trouble(result), clock.said(self.attempt, _now())))
        return Told(Page(self.task.title, "does not pass yet", WRONG, (), tuple(said)))

    def hint(self):
        """The next hint."""
        taken = self.attempt.hints
        if taken >= len(self.task.hints):
            return Told(Page(self.task.title, "there are no more hints", OPEN))
        self.write("hint")
        return Told(Page(self.task.title, f"hint {taken + 1}", OPEN, (), (self.task.hints[taken],)))

    def give_up(self, function=None):
        """Ends the drill: the diagnosis of a function, where there is one, the reason and a solution."""
        if function is None:
            return self._end(None)
        self.write("handed in", text=source_of(function), seconds=self.seconds())
        return self._end(judged(self.task, self.attempt.seed, function))

    def rate(self, rating):
        """Another rating than the one that was suggested: 1 again, 2 hard, 3 good, 4 easy."""
        if rating not in RATINGS:
            raise CourseError(f"rating must be one of {', '.join(map(str, RATINGS))}; got rating={rating}.")
        self.write("rated", rating=rating)
        return Told(Page(self.task.title, f"rated {rating}, {RATINGS[rating]}", PASSED, (), self._again()))

    def _end(self, result):
        """The diagnosis, the reason, a solution and where to read; rated as suggested, once."""
        passed = result is not None and result.passed
        if self.attempt.open:
            self.write("time", seconds=self.seconds())
            self.write("rated", rating=suggested(self.attempt, passed))
        rated = f"Rated {self.attempt.rating}, {RATINGS[self.attempt.rating]}; drill.rate(number) changes that."
        solution = files.solution(self.task, self.attempt.seed)
        of = "" if solution is None or self.attempt.seed in solution.seeds else f", of seed {solution.seeds[0]}"
        read = self.task.why, _read(self.task.chapter), rated, *self._again()
        shown = (f"A right solution{of}", solution.text) if solution else ()
        figure, mark = ("passes", PASSED) if passed else ("over", WRONG)
        return Ended(result, Page(self.task.title, figure, mark, (), read, shown), self.attempt)

    def _again(self):
        """When it comes again."""
        if schedule.fsrs is None:
            return ()
        when = schedule.due([*self._earlier, self.attempt])[self.task.key]
        return (f"It comes again {schedule.in_words(when, self.attempt.time)}.",)


def _read(number):
    """A link to a chapter, or its number."""
    found = chapter(number)
    return Link(f"Read {found.text}.", found.href) if isinstance(found, Link) else f"Read {found}."


class Ended(Shown):
    """What is said at the end: the checks, if there was a function, and the rest. It stops the attempt's clock."""

    def __init__(self, result, rest, attempt):
        self.result, self.rest, self.attempt = result, rest, attempt

    def __repr__(self):
        return "\n\n".join(([] if self.result is None else [repr(self.result)]) + [text(self.rest)])

    def _repr_html_(self):
        checked = "" if self.result is None else self.result._repr_html_()
        return clock.stopped(checked + html(self.rest), self.attempt)


def source_of(function):
    """The cell or file in which a function was written, as far as Python still knows it; else ""."""
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    lines = linecache.getlines(code.co_filename)
    if lines:
        return "".join(lines)
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""
