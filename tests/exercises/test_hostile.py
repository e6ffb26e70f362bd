"""Answers that are out to break the check: it returns a verdict, and the kernel lives."""

import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from course_lib.exercises import check, faults
from course_lib.exercises.engine import judge
from course_lib.exercises.registry import all_exercises
from tests.exercises import learners
from tests.exercises.practice import PRACTICE


def boom(*_, **__):
    raise RuntimeError("boom")


class Raising:
    """Raises at every touch."""

    __array__ = __eq__ = __repr__ = __str__ = __len__ = __iter__ = __getitem__ = __bool__ = __hash__ = boom
    __class__ = property(boom)

    def __getattr__(self, name):
        raise RuntimeError(name)


def raising_type():
    """Even the name of its type raises. Made late, for pytest looks at what a module holds."""

    class RaisingType(type):
        __name__ = property(boom)
        __instancecheck__ = __subclasscheck__ = __eq__ = boom
        __hash__ = type.__hash__

    return RaisingType("Name", (), {})()


class Slow:
    """Becomes an array only after for ever."""

    def __array__(self, *_, **__):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass


class Sly(np.ndarray):
    """An array that claims to equal everything."""

    def __eq__(self, other):
        return True

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return True

    def __array_function__(self, function, types, arguments, keywords):
        return True

    def __reduce__(self):
        boom()

    def __getitem__(self, index):
        boom()


class SlyText(str):
    def strip(self, *_):
        boom()

    __eq__ = __hash__ = __str__ = __repr__ = boom


def endless_list():
    rows = []
    rows.append(rows)
    return rows


ANSWERS = {
    "raising": Raising,
    "raising type": raising_type,
    "a class": lambda: Raising,
    "subclass": lambda: np.zeros((2, 2)).view(Sly),
    "text": lambda: "[[0, 6], [0, 0]]",
    "sly text": lambda: SlyText("c"),
    "bytes": lambda: b"x",
    "dict": lambda: {0: 1},
    "set": lambda: {1, 2},
    "generator": lambda: (row for row in [[0, 6], [0, 0]]),
    "function": lambda: boom,
    "module": lambda: sys,
    "ragged": lambda: [[1, 2], [3]],
    "a list of itself": endless_list,
    "objects": lambda: [[object(), 1], [2, 3]],
    "raising objects": lambda: [[Raising(), 1], [2, 3]],
    "gap": lambda: [[..., 1], [2, 3]],
    "complex": lambda: [[1j, 0], [0, 0]],
    "dates": lambda: np.zeros((2, 2), "datetime64[s]"),
    "structured": lambda: np.zeros((2, 2), "i4,f4"),
    "huge": lambda: np.broadcast_to(0.0, (10**9, 10**9)),
    "deep": lambda: np.zeros((1,) * 32),
    "empty": lambda: np.zeros((0, 2)),
    "infinite": lambda: np.full((2, 2), np.inf),
    "nan": lambda: np.full((2, 2), np.nan),
    "big int": lambda: [[10**400, 0], [0, 0]],
    "masked": lambda: np.ma.masked_all((2, 2)),
    "nothing": lambda: NotImplemented,
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_check_survives_any_answer(kind):
    answer = ANSWERS[kind]()
    result = check(3, max_gradient=answer, tie_rule=answer)
    assert not result.passed
    assert all(verdict.message for verdict in result.verdicts)
    assert faults.OUR_FAULT not in {verdict.kind for verdict in result.verdicts}
    assert repr(result)
    assert result._repr_html_()


class Masquerade:
    """Says that it is a report, and raises when it is asked for its class."""

    __class__ = property(boom)


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda exercise: exercise.name)
@pytest.mark.parametrize(
    "make", [raising_type, Masquerade, lambda: float("nan"), lambda: 10**400, dict, lambda: {1: 2}]
)
def test_every_exercise_survives_an_answer_that_is_nothing_it_asks_for(exercise, make):
    result = judge(exercise, {answer.name: make() for answer in exercise.answers})
    assert not result.passed
    assert faults.OUR_FAULT not in {verdict.kind for verdict in result.verdicts}, result
    assert repr(result)


def test_an_array_that_claims_to_be_equal_is_compared_all_the_same():
    wrong = np.array([[6.0, 0], [0, 0]]).view(Sly)
    right = np.array([[0.0, 6], [0, 0]]).view(Sly)
    assert not check(3, max_gradient=wrong).verdicts[0].passed
    assert check(3, max_gradient=right).verdicts[0].passed


def test_an_answer_that_never_becomes_an_array_is_stopped():
    verdict = check(3, max_gradient=Slow()).verdicts[0]
    assert verdict.kind == faults.OUT_OF_TIME
    assert verdict.message == "making an array of max_gradient was still running after 2 s, and was stopped"


def test_an_answer_that_is_not_used_costs_no_other_answer():
    right = [[0, 6], [0, 0]]
    assert check(3, max_gradient=right, average_gradient=Raising()).points == 2


def first(max_pool2d):
    """The verdict on the forward of the practice exercise, and the whole result."""
    result = judge(HASTY, {"max_pool2d": max_pool2d, "max_pool2d_backward": learners.max_pool2d_backward})
    assert repr(result)
    assert result._repr_html_()
    assert faults.OUR_FAULT not in {verdict.kind for verdict in result.verdicts}
    return result.verdicts[0], result


HASTY = replace(PRACTICE, seconds=0.5)


class RaisingError(Exception):
    __str__ = __repr__ = boom


class EndlessError(Exception):
    def __str__(self):
        while True:
            pass


def raising(error):
    """A forward that raises."""

    def max_pool2d(x, kernel_size, stride, padding):
        raise error

    return max_pool2d


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SystemExit(3), "max_pool2d raised SystemExit: 3"),
        (GeneratorExit(), "max_pool2d raised GeneratorExit"),
        (MemoryError(), "max_pool2d raised MemoryError"),
        (RaisingError(), "max_pool2d raised RaisingError: (its text cannot be shown)"),
        (EndlessError(), "max_pool2d raised EndlessError: (its text cannot be shown)"),
        (ValueError("a\nb\x1b[31m" + "c" * 1000), "max_pool2d raised ValueError: a b [31mccc"),
        (ExceptionGroup("many", [ValueError()]), "max_pool2d raised ExceptionGroup: many (1 sub-exception)"),
    ],
    ids=["exit", "generator exit", "memory", "raising text", "endless text", "long text", "group"],
)
def test_any_error_of_a_function_is_shown(error, message):
    assert first(raising(error))[0].message.startswith(message)


def test_an_interrupt_stops_the_whole_check():
    verdict, result = first(raising(KeyboardInterrupt()))
    assert verdict.message == "max_pool2d was stopped by KeyboardInterrupt"
    assert {other.message for other in result.verdicts[1:]} == {"not checked: this check was stopped before"}


def test_endless_recursion_shows_the_line():
    def max_pool2d(x, kernel_size, stride, padding):
        return max_pool2d(x, kernel_size, stride, padding)

    verdict, _ = first(max_pool2d)
    assert verdict.message.startswith("max_pool2d raised RecursionError")
    lines = [text for label, text in verdict.details if label == "your line"]
    assert len(lines) == 4
    assert lines[-1].endswith("return max_pool2d(x, kernel_size, stride, padding)")


def test_an_endless_loop_is_stopped_at_its_line():
    def max_pool2d(x, kernel_size, stride, padding):
        while True:
            x = x + 1

    verdict, result = first(max_pool2d)
    assert verdict.message == "max_pool2d was still running after 0.5 s, and was stopped"
    assert any(label == "your line" and "max_pool2d" in text for label, text in verdict.details)
    assert {other.message for other in result.verdicts[1:]} == {"not checked: the 0.5 s of this check are used up"}


def test_a_loop_that_catches_everything_is_stopped_and_told_so():
    def max_pool2d(x, kernel_size, stride, padding):
        while True:
            try:
                sum(range(1000))
            except BaseException:
                continue

    notes = [text for label, text in first(max_pool2d)[0].details if label == "note"]
    assert any("Does an except there catch everything?" in note for note in notes)


def test_a_long_call_into_compiled_code_is_told_so():
    # A sum in C looks for no signal. This one takes about two seconds on any machine.
    start = time.perf_counter()
    sum(range(10**6))
    numbers = range(int(2e6 / (time.perf_counter() - start)))

    def max_pool2d(x, kernel_size, stride, padding):
        return sum(numbers)

    verdict, _ = first(max_pool2d)
    assert verdict.kind == faults.OUT_OF_TIME
    assert dict(verdict.details)["note"].startswith("One call into compiled code went on after the time was up.")


VALUES = {
    "raising": Raising,
    "raising values": lambda: (Raising(), Raising()),
    "huge": lambda: (np.broadcast_to(0.0, (10**9, 10**9)), None),
    "sly": lambda: (np.zeros(2).view(Sly), None),
}


@pytest.mark.parametrize("kind", VALUES)
def test_any_value_of_a_function_gets_a_verdict(kind):
    assert not first(lambda *given: VALUES[kind]())[0].passed


def test_endless_printing_is_cut():
    def max_pool2d(x, kernel_size, stride, padding):
        while True:
            print("x" * 1000)

    _, result = first(max_pool2d)
    assert len(result.printed) < 2100


def test_html_shows_nothing_unescaped():
    def max_pool2d(x, kernel_size, stride, padding):
        print("<script>printed</script>")
        raise ValueError("<script>raised</script>")

    _, result = first(max_pool2d)
    shown = check(3, **{"<script>name</script>": 1})._repr_html_() + result._repr_html_()
    assert "<script" not in shown
    for text in ("name", "printed", "raised"):
        assert f"&lt;script&gt;{text}&lt;/script&gt;" in shown
