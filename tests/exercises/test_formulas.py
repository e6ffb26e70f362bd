"""Typed formulas: every usual way to write the right one passes, every other gets its sentence, and nothing is run."""

import math
from fractions import Fraction

import numpy as np
import pytest

from course_lib.exercises import faults
from course_lib.exercises.faults import Fault
from course_lib.exercises.fill_in import Indices, RightFormula, Text, Ticks
from course_lib.exercises.formulas import Formula, evaluate

ROW = Formula("row", ("r", "u"))
HEIGHT = Formula("step", ("h", "f3", "eps"))


def sentence(answer, value):
    """What is said about a value that cannot be read."""
    with pytest.raises(Fault) as caught:
        answer.read(value, None)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("r + u", 8), ("u+r", 8), ("r - (-u)", 8), ("(2*r + 2*u) / 2", 8), ("r·u", 15), ("r × u − 1", 14),
        ("r²", 9), ("r**2 + u³", 134), ("sqrt(r + u + 1)", 3), ("cbrt(u + r)", 2), ("abs(r - u)", 2), ("7", 7),
        (" r // 2 + u % 2 ", 2), ("1e2", 100), ("+r", 3),
    ],
)  # fmt: skip
def test_formula_has_its_value(text, value):
    assert evaluate(ROW.read(text, None), {"r": 3, "u": 5}) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("given", "value"),
    [(4, 4.0), (-1, -1.0), (0.25, 0.25), (Fraction(1, 4), 0.25), (np.float64(0.5), 0.5), (np.float32(0.5), 0.5),
     (np.int8(-3), -3.0), (1e-7, 1e-7)],
)  # fmt: skip
def test_a_number_is_a_formula(given, value):
    assert evaluate(Formula("ratio").read(given, None), {}) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("r + x", "row holds x, but its variables are r, u"),
        ("2r", "row is no formula: write * between factors"),
        ("r u", "row is no formula: write * between factors"),
        ("2(r + u)", "row is no formula: write * between factors"),
        ("r(u)", "row is no formula: write * between factors"),
        ("r +", "row is no formula: is a bracket or a sign missing?"),
        ("(r + u", "row is no formula: is a bracket or a sign missing?"),
        ("r^2", "row holds a ^: write ** for a power"),
        ("r == u", "row may hold numbers, variables, + - * / ** and brackets, and sqrt, cbrt, abs of one number"),
        ("[r]", "row may hold numbers, variables, + - * / ** and brackets, and sqrt, cbrt, abs of one number"),
        ("'r'", "row holds something else than numbers"),
        ("r" * 300, "row is longer than 200 characters"),
        ("r + u\x00", "row is no formula: is a bracket or a sign missing?"),
    ],
)
def test_what_is_no_formula_has_its_sentence(text, said):
    assert sentence(ROW, text) == said


@pytest.mark.parametrize("value", [[1], None, lambda r, u: r + u, True, 1j, np.zeros(2), np.complex128(1)])
def test_other_types_have_their_sentence(value):
    assert sentence(ROW, value).startswith("row must be a formula in quotation marks, or a number; got a value of type")


@pytest.mark.parametrize("text", ["", "   ", "...", "___", "?"])
def test_a_gap_is_not_started(text):
    assert sentence(ROW, text) == "not started"


@pytest.mark.parametrize(
    "text", ["__import__('os')", "r.__class__", "(lambda: 1)()", "r if r else u", "r := 3", "f'{r}'"]
)
def test_nothing_of_the_text_is_run(text):
    assert sentence(ROW, text).startswith("row ")


@pytest.mark.parametrize("text", ["9**9**9**9", "1/0", "sqrt(-1)", "(-1)**(1/2)", "1e308*10 - 1e308*10"])
def test_a_value_that_does_not_exist_is_nan(text):
    assert math.isnan(evaluate(ROW.read(text, None), {"r": 1, "u": 1}))


def test_deep_brackets_are_read():
    assert evaluate(ROW.read("(" * 50 + "r" + ")" * 50, None), {"r": 3, "u": 0}) == 3


def test_trials_are_the_same_every_time_and_begin_small():
    judged = RightFormula("row", 1, ("row",), "r + u", {}, {"r": (0, 9), "u": (0, 4)})
    assert judged.trials() == judged.trials()
    sums = [sum(values.values()) for values in judged.trials()]
    assert sums == sorted(sums)
    assert len(set(sums)) > 3


def test_trials_of_real_variables_are_spread_over_their_powers():
    judged = RightFormula("step", 1, ("step",), "h", {}, {"h": (1e-9, 0.1)})
    values = [trial["h"] for trial in judged.trials()]
    assert min(values) < 1e-6 < 1e-3 < max(values)


@pytest.mark.parametrize("value", ["i r s", "irs", "s, r, i", "(i, r, s)", ["i", "r", "s"], {"r", "s", "i"}, "I R S"])
def test_indices_are_read_in_any_order_and_form(value):
    assert Indices("weight_sum", "iqcrsuv").read(value, None) == frozenset("irs")


def test_other_letters_have_their_sentence():
    assert sentence(Indices("weight_sum", "irs"), "i n") == "weight_sum may hold the letters i, r, s; got n"


class Endless(list):
    """A list that never ends when it is asked for its elements."""

    def __iter__(self):
        while True:
            yield "i"


class Loud(str):
    """Text that raises whatever is asked of it."""

    def strip(self, *given):
        raise RuntimeError("no")

    lower = replace = __str__ = strip


def test_the_learners_own_methods_are_not_called():
    assert sentence(Indices("weight_sum", "irs"), Endless("i")).endswith("got a value of type Endless")
    assert Indices("weight_sum", "irs").read(Loud("i r"), None) == frozenset("ir")
    assert evaluate(ROW.read(Loud("r + u"), None), {"r": 1, "u": 2}) == 3
    assert Text("own_words").read(Loud("some words"), None) == "some words"


@pytest.mark.parametrize("value", [3, 1.5, None])
def test_indices_of_another_type_have_their_sentence(value):
    assert sentence(Indices("weight_sum", "irs"), value).startswith("weight_sum must name indices in quotation marks")


def test_ticks_are_letters_of_the_rubric():
    assert Ticks("ticked", "abc").read("a, c", None) == frozenset("ac")
    assert sentence(Ticks("ticked", "abc"), "d") == "ticked may hold the letters a, b, c; got d"


def test_an_empty_text_is_not_started():
    with pytest.raises(Fault) as caught:
        Text("own_words").read("\n", None)
    assert caught.value.kind == faults.NOT_STARTED
