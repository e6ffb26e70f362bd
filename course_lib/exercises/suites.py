"""A suite of tests as data, and how it is judged: right implementations must pass it, and wrong ones must not.

A test is a dict: ``call``, the name of what is called; ``arguments``, by name; and either ``expected``, an array or
several by name, or ``error``, which is True where the call must be refused.
"""

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from course_lib.exercises import faults, reading
from course_lib.exercises.compare import first_difference, index_text, number_text, same
from course_lib.exercises.faults import Fault, type_name
from course_lib.exercises.implementations import CALLS
from course_lib.exercises.misconceptions.windows import pair

# What keeps the judging of a whole suite below a few seconds.
MOST_TESTS, MOST_ELEMENTS, MOST_TAPS, LARGEST = 80, 500, 10_000, 20
SHOWN = 3
ARRAYS = ("grad_output", "x", "weight")


def gives(call, expected, **arguments):
    """A test that a call gives an array, or several arrays by name.

    Parameters
    ----------
    call : "conv2d_backward", "max_pool2d_backward" or "avg_pool2d_backward"
    expected : array or dict of str to array
    **arguments
        Of the call.
    """
    return {"call": call, "arguments": arguments, "expected": expected}


def fails(call, **arguments):
    """A test that a call is refused: that it raises an error.

    Parameters
    ----------
    call : "conv2d_backward", "max_pool2d_backward" or "avg_pool2d_backward"
    **arguments
        Of the call.
    """
    return {"call": call, "arguments": arguments, "error": True}


@dataclass(frozen=True)
class Test:
    """One test that can be run; ``expected`` is None where the call must be refused."""

    # It is no test of the course's own, whatever its name begins with.
    __test__ = False

    call: object
    arguments: dict
    expected: dict | None

    @cached_property
    def untrue(self):
        """Why a right implementation fails it; "" if none does."""
        for name, compute in self.call.right.items():
            if sentence := self.run(partial(self.call.run, compute)):
                return f"it fails on a right implementation of {self.call.name} (by {name}): {sentence}"
        return ""

    @property
    def taps(self):
        """About how many products it asks for."""
        kernel = self.arguments.get("kernel_size")
        each = math.prod(pair(kernel)) if kernel else math.prod(self.arguments["weight"].shape[1:])
        return self.arguments["grad_output"].size * each

    def run(self, implementation):
        """What is wrong with an implementation by this test; "" if nothing is.

        Parameters
        ----------
        implementation : callable
            From the arguments, in a dict, to the named results.
        """
        fresh = {n: value.copy() if isinstance(value, np.ndarray) else value for n, value in self.arguments.items()}
        try:
            with np.errstate(all="ignore"):
                results = implementation(fresh)
        except Exception as error:
            return "" if self.expected is None else f"it is refused: {faults.clean(str(error), 120)}"
        if self.expected is None:
            return "it is not refused"
        return next(filter(None, (_differs(name, results[name], a) for name, a in self.expected.items())), "")


def _differs(name, found, expected):
    """How a result differs from what a test expects."""
    found = np.asarray(found)
    if found.shape != expected.shape:
        return f"{name} has shape {found.shape}, and the test expects {expected.shape}"
    if same(found, expected):
        return ""
    index = first_difference(found, expected)
    numbers = number_text(found[index]), number_text(expected[index])
    return f"{index_text(index)} of {name} is {numbers[0]}, and the test expects {numbers[1]}"


@dataclass(frozen=True)
class Suite:
    """An answer that is a list of tests."""

    name: str

    def read(self, value, calls):
        """The tests, or for each that is none the sentence that says why."""
        if not faults.is_exactly(value, list, tuple):
            raise Fault(
                faults.NOT_USABLE, f"{self.name} must be a list of tests; got a value of type {type_name(value)}"
            )
        if len(value) > MOST_TESTS:
            raise Fault(faults.NOT_USABLE, f"{self.name} must hold at most {MOST_TESTS} tests; got {len(value)}")
        return [_read(entry, calls) for entry in value]


def _read(entry, calls):
    """A test, or the sentence that says why it is none."""
    try:
        return _test(entry, calls)
    except Fault as fault:
        return fault.message


def _test(entry, calls):
    """A test from a dict."""
    if type(entry) is not dict or not set(entry) <= {"call", "arguments", "expected", "error"}:
        raise _no_test("it must be what gives(...) or fails(...) returns")
    name = entry.get("call")
    if type(name) is not str or name not in CALLS:
        raise _no_test(f"its call must be {' or '.join(CALLS)}")
    call, given = CALLS[name], entry.get("arguments")
    if type(given) is not dict:
        raise _no_test("its arguments must be a dict")
    arguments = {**call.defaults, **{key: _argument(key, value, calls) for key, value in given.items()}}
    if set(arguments) != set(call.arguments):
        raise _no_test(f"{name} takes {', '.join(call.arguments)}; got {', '.join(map(str, given))}")
    refused = entry.get("error") is True
    test = Test(call, arguments, None if refused else _expected(call, entry.get("expected"), calls))
    if test.taps > MOST_TAPS:
        raise _no_test(f"it asks for {test.taps} products: a smaller input shows the same, at most {MOST_TAPS}")
    return test


def _no_test(sentence):
    """The fault of what is no test."""
    return Fault(faults.NOT_USABLE, sentence)


def _argument(name, value, calls):
    """An array of float64, or a whole number or two."""
    if name in ARRAYS:
        return _array(name, value, calls)
    values = value if faults.is_exactly(value, tuple, list) else (value,)
    if len(values) not in (1, 2) or not all(faults.is_exactly(each, int, np.int64) for each in values):
        raise _no_test(f"{name} must be a whole number or a pair of them")
    if not all(0 <= each <= LARGEST for each in values):
        raise _no_test(f"{name} must be from 0 to {LARGEST}: a small input shows the same")
    return int(value) if values == (value,) else tuple(map(int, value))


def _array(name, value, calls):
    """A small array of float64."""
    array = reading.as_array(name, value, calls)
    if array.size > MOST_ELEMENTS:
        raise _no_test(f"{name} has {array.size} elements: a test needs few, at most {MOST_ELEMENTS}")
    return array.astype(np.float64)


def _expected(call, value, calls):
    """The expected arrays by name."""
    if type(value) is not dict:
        if len(call.results) > 1:
            raise _no_test(f"expected must be a dict with some of {', '.join(call.results)}")
        value = {call.results[0]: value}
    for name in value:
        if name not in call.results:
            raise _no_test(f"expected must hold some of {', '.join(call.results)}; got {faults.clean(str(name), 40)}")
    if not value:
        raise _no_test("expected must hold an array")
    return {name: _array(name, each, calls) for name, each in value.items()}


def why_invalid(test):
    """Why a test does not count: it is none, or a right implementation fails it; "" if it counts."""
    return test.untrue if isinstance(test, Test) else test


class PartFault(Fault):
    """A fault that leaves some of the points."""

    def __init__(self, points, message, details):
        super().__init__(faults.WRONG_VALUE, message, details)
        self.points = points


@dataclass(frozen=True)
class ValidTests:
    """Every test of a suite passes on all right implementations."""

    name: str
    points: int
    answers: tuple

    def judge(self, session):
        """The number of tests, all valid."""
        (name,) = self.answers
        suite = session.answer(name)
        sentences = [(number, why_invalid(test)) for number, test in enumerate(suite)]
        invalid = [(f"{name}[{number}]", sentence) for number, sentence in sentences if sentence]
        if not suite:
            raise Fault(faults.WRONG_VALUE, f"{name} holds no test")
        if invalid:
            score = "scores nothing, since it is" if len(invalid) == 1 else "score nothing, since they are"
            message = (
                f"{len(invalid)} of {len(suite)} test{'s' if len(suite) > 1 else ''} {score} not true of what is right"
            )
            raise Fault(faults.WRONG_VALUE, message, invalid[:SHOWN])
        return len(suite)


@dataclass(frozen=True)
class Kills:
    """The share of the wrong implementations that a suite refuses.

    Attributes
    ----------
    name : str
    answers : tuple of str
        The name of the suite.
    mutants : tuple of Mutant
        All of one call.
    call : Call
    """

    name: str
    answers: tuple
    mutants: tuple
    call: object

    @property
    def points(self):
        """One for each."""
        return len(self.mutants)

    def judge(self, session):
        """The number of wrong implementations, all refused."""
        tests = [test for test in session.answer(self.answers[0]) if not why_invalid(test)]
        survivors = self.survivors([test for test in tests if test.call is self.call])
        if not survivors:
            return len(self.mutants)
        killed = len(self.mutants) - len(survivors)
        hints = list(dict.fromkeys(mutant.hint for mutant in survivors))[:SHOWN]
        message = f"{killed} of {len(self.mutants)} wrong implementations are refused, {len(survivors)} survive"
        raise PartFault(killed, message, [("a survivor asks", hint) for hint in hints])

    def survivors(self, tests):
        """The wrong implementations that pass all tests."""
        return [mutant for mutant in self.mutants if not any(test.run(mutant.run) for test in tests)]
