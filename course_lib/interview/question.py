"""What a question of the bank consists of."""

from dataclasses import dataclass

GRADES = ("must", "good", "excellent")
# What the bank says of a framework was measured with this version of it.
FRAMEWORKS = {"PyTorch": "2.13", "TensorFlow": "2.21", "JAX": "0.10", "ONNX": "1.23"}


@dataclass(frozen=True)
class Point:
    """One line of a rubric: what should be said, and the words by which a typed answer may be recognised.

    ``keys`` are groups; of each group one phrase must be there. ``grade`` is one of `GRADES`.
    """

    grade: str
    text: str
    keys: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class FollowUp:
    """What an interviewer asks next, if the point ``about`` was missed; ``answer`` is a sentence or two."""

    about: Point
    ask: str
    answer: str


@dataclass(frozen=True)
class WrongAnswer:
    """An answer that is often heard, and why it is wrong."""

    text: str
    why: str


@dataclass(frozen=True)
class Check:
    """What the answer states, and an expression that computes it.

    The expression may use course_lib's names, ``np``, ``routing`` and ``gradcheck``. One about PyTorch uses ``torch``,
    and is skipped where there is none.
    """

    expression: str
    expected: object


@dataclass(frozen=True)
class Question:
    """A question with all that a drill needs.

    ``source`` names the cell that measures the fact, as ``03 · overwrite``, or a command. ``exercise`` is None where
    none belongs to it.
    """

    name: str
    topic: str
    ask: str
    level: int
    chapter: str
    exercise: int | None
    source: str
    answer: str
    points: tuple[Point, ...]
    follow_ups: tuple[FollowUp, ...]
    wrong: tuple[WrongAnswer, ...]
    check: Check | None

    def graded(self, grade):
        """The points of one row of the rubric."""
        return tuple(point for point in self.points if point.grade == grade)

    def texts(self):
        """All that is said in it, the rubric left out."""
        yield from (self.ask, self.answer)
        for follow in self.follow_ups:
            yield from (follow.ask, follow.answer)
        for wrong in self.wrong:
            yield from (wrong.text, wrong.why)

    def holds_for(self):
        """The frameworks that it names, with the versions for which it was measured."""
        text = " ".join(self.texts())
        return tuple(f"{name} {version}" for name, version in FRAMEWORKS.items() if name in text)
