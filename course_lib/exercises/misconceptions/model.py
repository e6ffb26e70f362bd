"""A misconception is a rule of an operation, changed: so it can be run, compared with an answer, and combined."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np


@dataclass(frozen=True)
class Case:
    """One input, small enough to be followed by hand.

    Attributes
    ----------
    name : str
        What a verdict calls it.
    arguments : mapping
        The arguments of the operation, and ``grad_output``. Nested lists stand for float64 arrays.
    """

    name: str
    arguments: Mapping

    def fresh(self):
        """The arguments with new arrays, so that nobody who changes them changes the case."""
        return {name: self._fresh(value) for name, value in self.arguments.items()}

    @staticmethod
    def _fresh(value):
        """A new array for nested lists or an array, anything else as it is."""
        if isinstance(value, list):
            return np.array(value, dtype=np.float64)
        return value.copy() if isinstance(value, np.ndarray) else value


class Lazily(Mapping):
    """Named results, each computed when it is asked for: a mistake may make one of them impossible."""

    def __init__(self, **functions):
        self._functions = functions

    def __getitem__(self, name):
        return self._functions[name]()

    def __iter__(self):
        return iter(self._functions)

    def __len__(self):
        return len(self._functions)


@dataclass(frozen=True)
class Operation:
    """What can be right or wrong.

    Attributes
    ----------
    name : str
    right : callable
        From the arguments of a case to the named results, computed by course_lib.
    recipe : callable
        From rules and the arguments of a case to the same results, step by step, each step a rule.
    rules : dataclass
        The rules that are right.
    """

    name: str
    right: Callable
    recipe: Callable
    rules: object

    def results(self, case):
        """What is right for a case."""
        return self.right(**case.fresh())

    def results_with(self, changes, case):
        """What comes out with some rules changed."""
        return self.recipe(replace(self.rules, **changes), **case.fresh())


@dataclass(frozen=True)
class Misconception:
    """One known mistake.

    Attributes
    ----------
    name : str
    sentence : str
        What the mistake does, and why that is wrong.
    chapter : str
        The number of the chapter that explains it.
    smallest : Case
        The smallest input that tells it from what is right.
    operation : Operation or None
        None for a mistake in words alone.
    changes : mapping
        The rules that it changes.
    styles : tuple of mapping
        Other rules that the same mistake changes when it is written in another style of code, with other wrong arrays.
    shows : callable or None
        From the operation, a case and an index to half a sentence about what is seen there.
    """

    name: str
    sentence: str
    chapter: str
    smallest: Case
    operation: Operation | None = None
    changes: Mapping = field(default_factory=dict)
    styles: tuple = ()
    shows: Callable | None = None

    @property
    def forms(self):
        """The rules that it changes, in every style of code."""
        return (self.changes, *self.styles)

    def results(self, case):
        """What this mistake makes of a case."""
        return self.operation.results_with(self.changes, case)


def rule_sets(*mistakes):
    """The changed rules of some mistakes at once, one set for each style of code; none where two change one rule."""
    if len({id(mistake.operation) for mistake in mistakes}) == 1:
        for forms in product(*(mistake.forms for mistake in mistakes)):
            changed = {name: rule for form in forms for name, rule in form.items()}
            if len(changed) == sum(map(len, forms)):
                yield changed


def combination(first, second):
    """The rules of two mistakes at once; None where both change the same rule, or different operations."""
    return next(rule_sets(first, second), None)


def catalogue(*tables):
    """One table of misconceptions by name, from several; a name stands once."""
    entries = [entry for table in tables for entry in table]
    names = [entry.name for entry in entries]
    if len(set(names)) != len(names):
        raise ValueError(f"a misconception's name must stand once; got {sorted(names)}.")
    return {entry.name: entry for entry in entries}
