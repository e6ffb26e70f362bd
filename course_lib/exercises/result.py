"""What a check says: one verdict a property, the points, and the misconceptions that reproduce the answer."""

from dataclasses import dataclass, replace

from course_lib.exercises.display import OPEN, PASSED, WRONG, Page, Row, Shown
from course_lib.exercises.faults import NOT_STARTED

STAR = "★"


@dataclass(frozen=True)
class Verdict:
    """What is said about one property of an answer.

    Attributes
    ----------
    name : str
    passed : bool
    points, max_points : int
    kind : str
        One of the kinds in `course_lib.exercises.faults`.
    message : str
        One sentence.
    details : tuple
        What belongs to it, as (label, text or Link).
    star : bool
        Whether it goes beyond the task, so that the exercise passes without it.
    """

    name: str
    passed: bool
    points: int
    max_points: int
    kind: str
    message: str
    details: tuple = ()
    star: bool = False

    @property
    def label(self):
        """Its name, with a star if it has one."""
        return f"{self.name} {STAR}" if self.star else self.name

    @property
    def mark(self):
        """The sign in front of it."""
        return PASSED if self.passed else OPEN if self.kind == NOT_STARTED else WRONG


@dataclass(frozen=True, repr=False)
class CheckResult(Shown):
    """The verdicts of one check. It shows itself in a notebook and as text, with the same content.

    Attributes
    ----------
    title : str
        The exercise.
    verdicts : tuple of Verdict
    misconceptions : tuple of str
        Names from the catalogue, of those that reproduce the answer.
    notes : tuple of str
        Sentences that are about no single property.
    printed : str
        What the learner's code printed while it was checked.
    """

    title: str
    verdicts: tuple = ()
    misconceptions: tuple = ()
    notes: tuple = ()
    printed: str = ""

    @property
    def points(self):
        """The points of the properties that pass."""
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def max_points(self):
        """The points of all properties."""
        return sum(verdict.max_points for verdict in self.verdicts)

    @property
    def passed(self):
        """Whether there are properties, and all of them pass, or all but those with a star."""
        return bool(self.verdicts) and all(verdict.passed or verdict.star for verdict in self.verdicts)

    @property
    def started(self):
        """Whether anything was answered."""
        return any(verdict.kind != NOT_STARTED for verdict in self.verdicts)

    def with_notes(self, notes):
        """The same result with other notes."""
        return replace(self, notes=tuple(notes))

    def __bool__(self):
        return self.passed

    def page(self):
        """The content of both forms."""
        return Page(
            heading=self.title,
            figure=f"{self.points} of {self.max_points} points" if self.verdicts else "",
            mark=PASSED if self.passed else WRONG if self.started else OPEN,
            rows=tuple(
                Row(v.mark, v.label, f"{v.points} of {v.max_points}", v.message, v.details) for v in self.verdicts
            ),
            paragraphs=self.notes,
            block=("Your code printed", self.printed) if self.printed else (),
        )
