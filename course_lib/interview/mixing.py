"""What a drill may take: questions, and the coding tasks and hunts that were practised before, under one schedule."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from course_lib.interview import coding, drill, hunt
from course_lib.interview.coding import terminal


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
    """

    name: str
    ask: str
    topic: str
    level: int
    play: Callable


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

    return Drill(task.key, task.title, task.topic, task.level, play)


def of_hunt(desk, entry):
    """A bug hunt."""
    return Drill(hunt.PREFIX + entry.name, f"A bug hunt: {entry.name}", "", 0, partial(_hunt, desk, entry))


def _hunt(desk, entry, attempt, earlier):
    """Plays a hunt, which needs nothing of what was before."""
    hunt.play(desk, entry, attempt)


def key(one):
    """The name under which the journal has a question or a coding task."""
    return getattr(one, "key", one.name)


def practised(desk, attempts):
    """The coding tasks and hunts that were begun before: a first one is asked for by its option.

    What is not possible here is left out.
    """
    begun = {attempt.question for attempt in attempts}
    tasks = (of_task(desk, task) for task in coding.tasks() if not coding.missing(task))
    known = [*tasks, *(of_hunt(desk, entry) for entry in hunt.hunts())]
    return [one for one in known if one.name in begun]
