"""What a table supports, as a choice between statements; the wrong ones are refuted by what was measured."""

from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.exercises import reading
from course_lib.exercises.judged import wrong


@dataclass(frozen=True)
class Statement:
    """One statement, and what refutes it; "" for the one that holds."""

    text: str
    refutation: str = ""


@dataclass(frozen=True)
class Conclusion:
    """An answer that is the letter of a statement."""

    name: str
    statements: Mapping[str, Statement]

    def read(self, value, calls):
        """The letter."""
        return reading.as_letter(self.name, value, tuple(self.statements))


@dataclass(frozen=True)
class RightConclusion:
    """The letter of the statement that holds."""

    name: str
    points: int
    answers: tuple

    def judge(self, session):
        """One case."""
        (name,) = self.answers
        letter = session.answer(name)
        statement = session.exercise.answer(name).statements[letter]
        if statement.refutation:
            raise wrong(f"wrong: {letter!r} does not hold", ("note", statement.refutation))
        return 1
