"""A property that is judged by a function of its own, and answers that are plain data."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_lib.exercises import faults
from course_lib.exercises.faults import Fault, type_name

DEEPEST, MOST = 6, 2000
NUMBERS = (bool, int, float)


@dataclass(frozen=True)
class Judged:
    """What a function says.

    Attributes
    ----------
    name : str
    points : int
    answers : tuple of str
        The names of the answers that it needs: without one of them it has not started.
    by : callable
        From a session to the number of cases, or it raises a `Fault`.
    only_beside : tuple of str
        Names of properties without which it earns nothing when it is graded: alone it would show nothing.
    """

    name: str
    points: int
    answers: tuple
    by: Callable
    only_beside: tuple = ()

    def judge(self, session):
        """The number of cases."""
        for name in self.answers:
            session.answer(name)
        return self.by(session)


def wrong(message, *details):
    """The fault of a wrong answer."""
    return Fault(faults.WRONG_VALUE, message, details)


@dataclass(frozen=True)
class Plain:
    """An answer that is plain data: dicts, lists, numbers and words, as one can write them down."""

    name: str

    def read(self, value, calls):
        """A copy of the data."""
        left = iter(range(MOST))
        return _plain(self.name, value, left)


def described(plain):
    """What plain data is, where a dict with certain keys is asked for: its keys, or its type."""
    return ", ".join(plain) or "an empty dict" if type(plain) is dict else f"a value of type {type_name(plain)}"


def _plain(name, value, left, depth=0):
    """A copy of plain data; a type that only resembles one is refused, since it may hold code."""
    if next(left, None) is None or depth > DEEPEST:
        raise Fault(faults.NOT_USABLE, f"{name.partition('[')[0]} is too large to be an answer")
    if type(value) is dict:
        return {_key(name, key): _plain(f"{name}[{key!r}]", entry, left, depth + 1) for key, entry in value.items()}
    if faults.is_exactly(value, list, tuple):
        return [_plain(f"{name}[{number}]", entry, left, depth + 1) for number, entry in enumerate(value)]
    if value is None or faults.is_exactly(value, *NUMBERS, str):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        # Before it is a list: an empty array may be a list of a million lists.
        if math.prod(max(one, 1) for one in np.shape(value)) > MOST:
            raise Fault(faults.NOT_USABLE, f"{name.partition('[')[0]} is too large to be an answer")
        return _plain(name, value.tolist(), left, depth + 1)
    what = f"{name} must be plain data: dicts, lists, numbers and words"
    raise Fault(faults.NOT_USABLE, f"{what}; got a value of type {type_name(value)}")


def _key(name, key):
    """A key that is a word."""
    if type(key) is not str:
        raise Fault(faults.NOT_USABLE, f"the keys of {name} must be words; got a key of type {type_name(key)}")
    return key
