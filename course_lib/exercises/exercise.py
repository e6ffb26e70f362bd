"""What an exercise is: data. A module ``exNN_name.py`` beside this one holds one, as ``EXERCISE``.

A chapter's task is one too: ``tasks/chNN_name.py``. Its number is text, "01" for chapter 01, its name is the chapter's,
and it may have its answer written out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.exercises import reading


@dataclass(frozen=True)
class Array:
    """An answer that is an array, typed or computed."""

    name: str

    def read(self, value, calls):
        """The array; nested lists are taken too."""
        return reading.as_array(self.name, value, calls)


@dataclass(frozen=True)
class Function:
    """An answer that is a function of the learner's."""

    name: str

    def read(self, value, calls):
        """The function."""
        return reading.as_function(self.name, value)


@dataclass(frozen=True)
class Option:
    """One option of a multiple choice; a wrong one names the misconception that it expresses."""

    text: str
    misconception: str | None = None


@dataclass(frozen=True)
class Choice:
    """An answer that is the letter of an option."""

    name: str
    options: Mapping[str, Option]

    def read(self, value, calls):
        """The letter."""
        return reading.as_letter(self.name, value, tuple(self.options))


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Attributes
    ----------
    number : int or str
        An int, or for the task of a chapter the chapter's number as text.
    name : str
        The file name of its notebook, without the ending; for a task that of the chapter.
    title : str
    stars : int
        1 to 3.
    chapter : str
        The number of the chapter that it follows, as "02".
    task : str
        One sentence.
    lines : int
        About how long the answer is.
    allowed : str
        What may be used.
    answers : tuple of Array, Choice or Function
    properties : tuple
        What is judged, see `course_lib.exercises.properties`; each has its points and its cases, the smallest first.
    hints : tuple of str
        Three, from a question to the line.
    misconceptions : tuple of str
        Names in the catalogue: those that can happen here.
    specification : str
        The name of the loops that specify it; empty where reading them would give the answer away.
    seconds : float
        What the learner's code may take in one check.
    worked : str
        The answer of a chapter's task, worked out, which `reveal` shows; an exercise has a notebook for that.
    own : OwnNumbers or None
        What may be other numbers for each learner.
    """

    number: int | str
    name: str
    title: str
    stars: int
    chapter: str
    task: str
    lines: int
    allowed: str
    answers: tuple
    properties: tuple
    hints: tuple
    misconceptions: tuple
    specification: str = ""
    seconds: float = 10.0
    worked: str = ""
    own: object = None

    def answer(self, name):
        """One answer by its name."""
        return next(answer for answer in self.answers if answer.name == name)

    @property
    def is_task(self):
        """Whether it is the task of a chapter."""
        return isinstance(self.number, str)

    @property
    def label(self):
        """How sentences call it."""
        return f"Task {self.number}" if self.is_task else f"Exercise {self.number}"

    @property
    def typed(self):
        """Its number as a learner types it."""
        return f'"{self.number}"' if self.is_task else str(self.number)

    @property
    def heading(self):
        """How pages call it."""
        return f"{self.label} {'★' * self.stars} {self.title}"

    @property
    def notebook(self):
        """The file name of its notebook."""
        return f"{self.name}.ipynb"
