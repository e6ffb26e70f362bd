"""What a coding task consists of."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.misconceptions import CATALOGUE

ALLOWED = "NumPy and Python's own library; not course_lib"
NAME = re.compile(r"def (\w+)\(")


@dataclass(frozen=True)
class Variant:
    """A task with its rules drawn.

    Attributes
    ----------
    statement : str
        What to write, in Markdown: every rule and number of this variant, and how each of its names is meant.
    signature : str
        The first line of the function, with its colon.
    properties : tuple
        What is judged, see `course_lib.exercises.properties`. A candidate sees the names of those that fail.
    skeleton : str
        The signature and a docstring, above a body that raises ``NotImplementedError("Your turn.")``.
    misconceptions : tuple of str or Misconception
        Names in the exercises' catalogue, and mistakes that this variant alone can hold.
    """

    statement: str
    signature: str
    properties: tuple
    skeleton: str
    misconceptions: tuple = ()

    @property
    def function(self):
        """The name of the function that is asked for."""
        return NAME.match(self.signature)[1]

    def catalogue(self):
        """The mistakes that can happen here, by name."""
        entries = [CATALOGUE[entry] if isinstance(entry, str) else entry for entry in self.misconceptions]
        return {entry.name: entry for entry in entries}


@dataclass(frozen=True)
class Task:
    """A coding task.

    Attributes
    ----------
    name : str
        As ``max-pool-backward``; its module has the same name with underscores.
    title : str
    minutes : int
        What an interviewer would allow, 5 to 40.
    topic : str
        A topic of the questions, or a new one.
    level : int
        1 to 3.
    variant : callable
        From a seed, an int from 0 on, to a `Variant`: the same one each time.
    why : str
        What an interviewer wants to see here, said when it is over; it holds for every variant.
    hints : tuple of str
        From a question to the idea; they hold for every variant.
    chapter : str
        Where to read, as "03".
    needs : str
        The library that it cannot do without, "torch"; "" for none.
    """

    name: str
    title: str
    minutes: int
    topic: str
    level: int
    variant: Callable
    why: str
    hints: tuple
    chapter: str
    needs: str = ""

    @property
    def key(self):
        """How the journal calls it."""
        return f"code {self.name}"

    def exercise(self, variant, seconds=10.0):
        """One of its variants, as the exercises' checks take it."""
        return Exercise(
            number=self.name,
            name=self.name,
            title=self.title,
            stars=self.level,
            chapter=self.chapter,
            task=variant.statement,
            lines=0,
            allowed=ALLOWED,
            answers=(Function(variant.function),),
            properties=variant.properties,
            hints=self.hints,
            misconceptions=tuple(variant.catalogue()),
            seconds=seconds,
        )


def skeleton(signature, docstring):
    """A blank function."""
    return f'{signature}\n    """{docstring}"""\n    raise NotImplementedError("Your turn.")\n'
