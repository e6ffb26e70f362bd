"""Judging derivations: formulas, indices of sums, and a text that the learner marks by a rubric."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from course_lib.exercises import faults
from course_lib.exercises.compare import number_text
from course_lib.exercises.faults import Fault, type_name
from course_lib.exercises.formulas import Formula, evaluate, variables

TRIALS = 12
WORDS = 20


@dataclass(frozen=True)
class Indices:
    """An answer that names the indices over which a sum runs, in any order: "i r s".

    Attributes
    ----------
    name : str
    letters : str
        The indices that there are.
    """

    name: str
    letters: str

    def read(self, value, calls):
        """The indices as a set."""
        return _letters(self.name, value, self.letters, "indices")


@dataclass(frozen=True)
class Ticks:
    """An answer that names the points of a rubric that the learner's text makes: "a c"."""

    name: str
    letters: str

    def read(self, value, calls):
        """The letters as a set."""
        return _letters(self.name, value, self.letters, "letters")


def _letters(name, value, allowed, kind):
    """A set of letters, from text or from a list of letters."""
    if faults.is_exactly(value, list, tuple, set, frozenset):
        value = " ".join(letter for letter in value if type(letter) is str)
    if not issubclass(type(value), str):
        raise Fault(
            faults.NOT_USABLE, f"{name} must name {kind} in quotation marks; got a value of type {type_name(value)}"
        )
    found = frozenset(str.__str__(value).lower()) - frozenset(" ,;.()[]")
    if found - frozenset(allowed):
        wrong = ", ".join(faults.clean(letter) for letter in sorted(found - frozenset(allowed))[:5])
        raise Fault(faults.NOT_USABLE, f"{name} may hold the letters {', '.join(allowed)}; got {wrong}")
    return found


@dataclass(frozen=True)
class Text:
    """An answer in the learner's own words."""

    name: str

    def read(self, value, calls):
        """The text."""
        if not issubclass(type(value), str):
            message = f"{self.name} must be text in quotation marks; got a value of type {type_name(value)}"
            raise Fault(faults.NOT_USABLE, message)
        if not str.strip(value):
            raise faults.not_started()
        return str.__str__(value)


@dataclass(frozen=True)
class RightFormula:
    """A formula with the right value for every choice of its variables.

    Attributes
    ----------
    name : str
    points : int
    answers : tuple of str
        One, a `Formula`.
    right : str
    wrong : mapping of str to tuple of str
        Formulas that express a misconception, by its name.
    ranges : mapping of str to (low, high)
        What each variable may be; whole numbers where both are.
    tolerance : float
        How far the value may be off, as a share of the right one.
    """

    name: str
    points: int
    answers: tuple
    right: str
    wrong: Mapping = field(default_factory=dict)
    ranges: Mapping = field(default_factory=dict)
    tolerance: float = 1e-9

    def judge(self, session):
        """The number of choices that were tried."""
        tree = session.answer(self.answers[0])
        for values in self.trials():
            yours, expected = evaluate(tree, values), self.value(self.right, values)
            if not self.close(yours, expected):
                raise self._fault(session, tree, values, yours, expected)
        return len(self.trials())

    def trials(self):
        """Random choices of the variables, the same every time, those with small numbers first."""
        rng = np.random.default_rng(0)
        drawn = [{name: _draw(rng, *bounds) for name, bounds in self.ranges.items()} for _ in range(TRIALS)]
        return sorted(drawn, key=lambda values: sum(values.values())) if self.ranges else [{}]

    def value(self, text, values):
        """The value of a formula of the exercise's own."""
        return evaluate(Formula(self.name, tuple(self.ranges)).parsed(text), values)

    def close(self, yours, expected):
        """Whether two values are equal, up to the tolerance."""
        return math.isclose(yours, expected, rel_tol=self.tolerance, abs_tol=1e-300)

    def _fault(self, session, tree, values, yours, expected):
        """The verdict, with the choice that shows the difference and the misconceptions that give the same values."""
        used = variables(tree) | variables(Formula(self.name, tuple(values)).parsed(self.right))
        where = " and ".join(f"{name} = {number_text(values[name])}" for name in values if name in used)
        given = f"for {where} yours is" if where else "yours is"
        shown = number_text(yours) if math.isfinite(yours) else "no number"
        message = f"wrong value: {given} {shown}" + (f", expected {number_text(expected)}" if where else "")
        names = [name for name, texts in self.wrong.items() if any(self._gives(text, tree) for text in texts)]
        details = [detail for name in names for detail in session.known(session.catalogue[name])]
        return Fault(faults.WRONG_VALUE, message, details, names)

    def _gives(self, text, tree):
        """Whether a formula has the learner's value for every choice."""
        return all(self.close(evaluate(tree, values), self.value(text, values)) for values in self.trials())


def _draw(rng, low, high):
    """A number between two bounds: a whole one between whole ones, else one of two digits, on a scale of powers."""
    if isinstance(low, int) and isinstance(high, int):
        return int(rng.integers(low, high + 1))
    return float(f"{math.exp(rng.uniform(math.log(low), math.log(high))):.2g}")


@dataclass(frozen=True)
class RightIndices:
    """The indices over which a sum runs.

    Attributes
    ----------
    name : str
    points : int
    answers : tuple of str
        One, `Indices`.
    right : str
    wrong : mapping of str to tuple of str
        Indices that express a misconception, by its name.
    """

    name: str
    points: int
    answers: tuple
    right: str
    wrong: Mapping = field(default_factory=dict)

    def judge(self, session):
        """One case."""
        found = session.answer(self.answers[0])
        if found == frozenset(self.right):
            return 1
        names = [name for name, sets in self.wrong.items() if found in map(frozenset, sets)]
        details = [detail for name in names for detail in session.known(session.catalogue[name])]
        given = (
            f"the sum does not run over {' '.join(sorted(found))}" if found else "a sum runs over at least one index"
        )
        raise Fault(faults.WRONG_VALUE, f"wrong: {given}", details, names)


@dataclass(frozen=True)
class Ticked:
    """One point of a rubric, which the learner has ticked for the own text.

    Attributes
    ----------
    name : str
    points : int
    answers : tuple of str
        A `Text` and `Ticks`.
    letter : str
    says : str
        What a text says that earns the point.
    """

    name: str
    points: int
    answers: tuple
    letter: str
    says: str

    def judge(self, session):
        """One case."""
        text, ticked = (session.answer(name) for name in self.answers)
        if (count := len(text.split())) < WORDS:
            message = f"{self.answers[0]} has {count} word{'s' if count > 1 else ''}; write {WORDS} or more"
            raise Fault(faults.NOT_USABLE, message)
        if self.letter not in ticked:
            raise Fault(faults.NOT_STARTED, f"not ticked. Does your text say that {self.says}?")
        return 1
