"""What a drill may take: questions, and the coding tasks and hunts that were practised before, under one schedule."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from course_lib.interview import coding, drill, hunt
from course_lib.interview.coding import terminal

# What a mock interview allows for a coding task, and what a hunt takes.
LONGEST, HUNT_MINUTES = 10, 5
HUNTED = {1: "not exposed", 2: "exposed, and not mended", 3: "mended", 4: "named and mended, by the smallest input"}


@dataclass(frozen=True)
class Drill:
    """Something to be drilled.

    Attributes
    ----------
    name : str
        As the journal has it.
    ask : str
        What it is, in a sentence or two.
    topic : str
    level : int
    play : callable
        Takes an attempt, and all attempts before it.
    minutes : float
        What it needs.
    chapter : str
        Where to read if it went wrong; "" for nowhere.
    ended : callable
        From an attempt that is over to what became of it, in half a sentence.
    """

    name: str
    ask: str
    topic: str
    level: int
    play: Callable
    minutes: float = 1
    chapter: str = ""
    ended: Callable = str


def of_question(desk, question, seconds):
    """A question of the bank."""

    def play(attempt, earlier):
        drill.ask(desk, question, attempt, earlier, seconds)

    return Drill(question.name, question.ask, question.topic, question.level, play)


def of_task(desk, task, seed=None, minutes=None):
    """A coding task; without a seed each attempt gets another variant."""

    def play(attempt, earlier):
        tried = sum(other.question == task.key for other in earlier)
        terminal.play(desk, task, attempt, earlier, tried if seed is None else seed, minutes)

    return Drill(task.key, task.title, task.topic, task.level, play, task.minutes, task.chapter, _judged)


def _judged(attempt):
    """What became of a coding task."""
    return f"{'passes' if attempt.passed else 'does not pass'}, after {attempt.seconds / 60:.0f} minutes"


def of_hunt(desk, entry):
    """A bug hunt."""

    def play(attempt, earlier):
        hunt.play(desk, entry, attempt)

    name, ask = hunt.PREFIX + entry.name, f"A bug hunt: {entry.name}"
    return Drill(name, ask, "", 0, play, HUNT_MINUTES, ended=lambda attempt: HUNTED[attempt.rating])


def key(one):
    """The name under which the journal has a question or a coding task."""
    return getattr(one, "key", one.name)


def begun(desk, attempts):
    """The coding tasks and hunts that were begun before, those that are possible here."""
    names = {attempt.question for attempt in attempts}
    return [one for one in _all(desk) if one.name in names]


def practical(desk, seed, minutes):
    """A coding task and a hunt for a mock interview of so many minutes; neither takes more than a third of it."""
    rng, found = random.Random(seed), []
    for prefix in ("code ", hunt.PREFIX):
        fitting = [
            one for one in _all(desk) if one.name.startswith(prefix) and one.minutes <= min(LONGEST, minutes / 3)
        ]
        found += [rng.choice(fitting)] if fitting else []
    return found


def _all(desk):
    """Every coding task that is possible here, and every hunt."""
    tasks = (of_task(desk, task) for task in coding.tasks() if not coding.missing(task))
    return [*tasks, *(of_hunt(desk, entry) for entry in hunt.hunts())]
