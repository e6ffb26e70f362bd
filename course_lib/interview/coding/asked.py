"""Judging a function whose mistakes no catalogue has: each of them is a function in the place of the right one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import itemgetter

from course_lib.exercises import reading
from course_lib.exercises.misconceptions import Case, Misconception, Operation
from course_lib.exercises.properties import KeepsInputs, Values


@dataclass(frozen=True)
class Rules:
    """What computes the results."""

    compute: Callable


def operation(name, compute):
    """What is right.

    Parameters
    ----------
    name : str
    compute : callable
        From the arguments of a case, by name, to the named results in a dict.
    """

    def recipe(rules, **arguments):
        return rules.compute(**arguments)

    return Operation(name, compute, recipe, Rules(compute))


def mistake(of, name, chapter, sentence, *computes):
    """A mistake of an operation: what computes its results, in one style or more."""
    first, *others = ({"compute": compute} for compute in computes)
    return Misconception(name, sentence, chapter, Case("", {}), of, first, tuple(others))


@dataclass(frozen=True)
class Asked:
    """A function of the candidate's, and how properties ask it.

    Attributes
    ----------
    function : str
    operation : Operation
        Its cases have the function's arguments, in order.
    returns : tuple of str
        What the function returns, in order: names of the operation's results.
    """

    function: str
    operation: Operation
    returns: tuple = ("result",)

    def gives(self, name, *cases, which="", points=1):
        """The property that one of the results is right; the only one where none is named."""
        which = which or self.returns[0]
        beside = tuple(self._values(name, points, cases, other) for other in self.returns if other != which)
        return replace(self._values(name, points, cases, which), beside=beside)

    def gives_each(self, name, *cases):
        """The properties that each of several results is right."""
        return tuple(self.gives(f"{name}: {which}", *cases, which=which) for which in self.returns)

    def _values(self, name, points, cases, which):
        """The property of one result, seen alone."""
        run, array = self._run(which), which if len(self.returns) > 1 else ""
        return Values(name, points, (self.function,), self.operation, cases, itemgetter(which), run, array=array)

    def keeps_inputs(self, *cases):
        """The property that no argument is changed."""
        return KeepsInputs("inputs stay as they are", 1, (self.function,), cases, self._run(self.returns[0]))

    def mistake(self, name, chapter, sentence, *computes):
        """A mistake: what computes its results, in one style or more."""
        return mistake(self.operation, name, chapter, sentence, *computes)

    def _run(self, which):
        """How to ask for one result."""

        def run(session, case):
            value = session.call(self.function, *case.fresh().values(), returns=self.returns)
            chosen = value if len(self.returns) == 1 else value[self.returns.index(which)]
            # Sizes and bounds may be lists: what is asked for are numbers.
            return reading.as_array(which, chosen, session.calls)

        return run
