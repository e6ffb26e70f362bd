"""Functions of arrays to a few numbers, judged case by case, with what the numbers are instead."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_lib.exercises import reading
from course_lib.exercises.compare import array_text, number_text, same
from course_lib.exercises.judged import wrong


@dataclass(frozen=True)
class Numbers:
    """What a function must give for some arrays.

    Attributes
    ----------
    name : str
    points : int
    function : str
        The name of the answer.
    returns : tuple of str
        What it returns, in order.
    which : str
        The one of these that is judged.
    right : callable
        From the array to the number.
    cases : tuple of ndarray
        The smallest first.
    known : dict of str to callable
        Sentences about wrong numbers, each with what gives them.
    """

    name: str
    points: int
    function: str
    returns: tuple
    which: str
    right: Callable
    cases: tuple
    known: dict

    @property
    def answers(self):
        """The name of the answer."""
        return (self.function,)

    def judge(self, session):
        """The number of cases."""
        session.answer(self.function)
        for case in self.cases:
            given = session.call(self.function, case.copy(), returns=self.returns)
            value = reading.as_array(self.which, given[self.returns.index(self.which)], session.calls)
            self._judge_case(case, np.asarray(value, float))
        return len(self.cases)

    def _judge_case(self, case, value):
        """Raises the fault of one case, if it has one."""
        wide = case.astype(float)
        right = np.asarray(self.right(wide), float)
        if value.shape != ():
            raise wrong(f"{self.which} must be one number; got an array of shape {value.shape}")
        if same(value, right):
            return
        sentence = f"wrong value: {self.which} is {number_text(value)}, expected {number_text(right)}"
        details = [("case", f"{array_text(case)}, {case.dtype}")]
        with np.errstate(all="ignore"):
            notes = [
                ("note", text) for text, other in self.known.items() if same(value, np.asarray(other(case), float))
            ]
        raise wrong(sentence, *details, *notes[:1])
