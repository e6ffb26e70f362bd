"""Answers that are typed: every form that is right passes, and every other gets its sentence."""

from fractions import Fraction

import numpy as np
import pytest

from course_lib.exercises import check
from tests.exercises.conftest import RIGHT

HALVES = [[Fraction(3, 2)] * 2] * 2


def verdict(**answers):
    """The verdict on the only answer that is given."""
    result = check(3, **answers)
    (name,) = answers
    return next(verdict for verdict in result.verdicts if verdict.name == name)


def read_only():
    array = np.full((2, 2), 1.5)
    array.setflags(write=False)
    return array


@pytest.mark.parametrize(
    "answer",
    [
        [[1.5, 1.5], [1.5, 1.5]],
        ((1.5, 1.5), (1.5, 1.5)),
        np.full((2, 2), 1.5),
        np.full((2, 2), 1.5, np.float16),
        np.full((2, 2), 1.5, np.float32, order="F"),
        np.full((2, 2), 1.5, ">f8"),
        np.full((2, 2), 1.5, np.longdouble),
        np.full((1, 1, 2, 2), 1.5),
        np.full((4, 4), 1.5)[::2, ::-2],
        np.broadcast_to(1.5, (2, 2)),
        np.array([[6, 6], [6, 6]]) / 4,
        np.full((2, 2), 1.5 + 1e-12),
        np.array(HALVES, dtype=object),
        HALVES,
        read_only(),
    ],
    ids=["list", "tuple", "float64", "float16", "Fortran order", "big-endian", "long double", "batch axes", "strided",
         "stride 0", "computed", "rounded", "objects", "fractions", "read-only"],
)  # fmt: skip
def test_check_takes_every_form_of_a_right_array(answer):
    assert verdict(average_gradient=answer).passed


def test_check_takes_a_tensor():
    torch = pytest.importorskip("torch")
    assert verdict(average_gradient=torch.full((2, 2), 1.5)).passed


def test_check_shows_what_torch_says_about_a_tensor_in_a_graph():
    torch = pytest.importorskip("torch")
    sentence = verdict(average_gradient=torch.full((2, 2), 1.5, requires_grad=True)).message
    assert "Use tensor.detach().numpy() instead" in sentence


@pytest.mark.parametrize("answer", [None, ..., NotImplemented])
def test_check_calls_a_gap_not_started(answer):
    assert verdict(max_gradient=answer).message == "not started"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ([0, 6, 0, 0], "wrong shape: yours (4,), expected (2, 2)"),
        (6, "wrong shape: yours (), expected (2, 2)"),
        (np.zeros((2, 2, 1)), "wrong shape: yours (2, 2, 1), expected (2, 2)"),
        ([[0, None], [0, 0]], "element (0, 1) of max_gradient is still None: write a number there"),
        ([[0, 6], [..., 0]], "element (1, 0) of max_gradient is still ...: write a number there"),
        ((x for x in "ab"), "max_gradient must be an array; got a generator. Its elements exist only while it runs: "
         "collect them in an array."),
        ({1: 2}, "max_gradient must be an array; got a dict. Give its values as an array."),
        ("6", "max_gradient must be an array; got a str. Give the numbers themselves, without quotation marks."),
        (np.zeros, "max_gradient must be an array; got a builtin_function_or_method. Call the function, and give what "
         "it returns."),
        (object(), "max_gradient must be an array; got an object. Give an array or nested lists of numbers."),
        ([["a"]], "max_gradient must hold real numbers; got dtype <U1"),
        ([[1j]], "max_gradient must hold real numbers; got dtype complex128"),
        ([[True, False]], "max_gradient must hold real numbers; got dtype bool"),
        ([[0, np.nan], [0, 0]], "wrong value: element (0, 1) is nan, expected 6"),
        ([[0, np.inf], [0, 0]], "wrong value: element (0, 1) is inf, expected 6"),
        ([[0, 6], [0, 1e-6]], "wrong value: element (1, 1) is 1e-06, expected 0"),
    ],
    ids=["flat", "number", "extra axis", "None inside", "dots inside", "generator", "dict", "text", "function",
         "object", "letters", "complex", "mask", "nan", "inf", "almost"],
)  # fmt: skip
def test_check_has_a_sentence_for_every_other_array(answer, sentence):
    assert verdict(max_gradient=answer).message == sentence


def test_check_refuses_a_masked_array():
    message = verdict(max_gradient=np.ma.masked_equal([[0, 6], [0, 0]], 0)).message
    assert (
        message
        == "max_gradient must be an array; got a MaskedArray. Its mask would be lost: give an array without one."
    )


def test_check_has_a_sentence_of_its_own_for_ragged_rows():
    sentence = "max_gradient has rows of different lengths. Give every row the same number of elements."
    assert verdict(max_gradient=[[1, 2], [3]]).message == sentence


@pytest.mark.parametrize("answer", [[1, 2], [[0, np.nan], [0, 0]], [[0, np.inf], [0, 0]]], ids=["shape", "NaN", "inf"])
def test_no_known_mistake_is_looked_for_where_numbers_cannot_be_compared(answer):
    assert "known mistake" not in dict(verdict(max_gradient=answer).details)
    assert "known mistake" in dict(verdict(max_gradient=[[0, 5], [0, 0]]).details)


def details(**answers):
    """The texts of a verdict's details, by label."""
    found = {}
    for label, text in verdict(**answers).details:
        found.setdefault(label, []).append(text)
    return found


def test_check_says_that_the_elements_of_another_shape_are_right():
    assert details(max_gradient=[0, 6, 0, 0])["note"] == ["The elements are right, and in the right order."]


def test_check_says_what_whole_numbers_cannot_hold():
    notes = details(average_gradient=np.full((2, 2), 6 // 4))["note"]
    assert "An array of dtype int64 cannot hold fractions. Were they cut off?" in notes


def test_check_says_what_nan_is():
    assert details(max_gradient=[[0, np.nan], [0, 0]])["note"][0].startswith("NaN is not a number")


def test_check_says_when_more_arrives_than_was_sent():
    notes = details(max_gradient=[[6, 6], [6, 6]])["note"]
    assert "Your elements sum to 24. Pooling was sent 6, and hands on just that." in notes


@pytest.mark.parametrize("letter", ["c", "C", " c ", "(c)", "c)", "c."])
def test_check_takes_every_form_of_a_letter(letter):
    assert verdict(tie_rule=letter).passed


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("e", "tie_rule must be one of 'a', 'b', 'c', 'd'; got 'e'"),
        ("", "tie_rule must be one of 'a', 'b', 'c', 'd'; got ''"),
        (3, "tie_rule must be one of 'a', 'b', 'c', 'd'; got a value of type int"),
        (["c"], "tie_rule must be one of 'a', 'b', 'c', 'd'; got a value of type list"),
    ],
)
def test_check_has_a_sentence_for_what_is_no_letter(answer, sentence):
    assert verdict(tie_rule=answer).message == sentence


def test_check_leaves_the_answers_as_they_are():
    answers = {name: np.array(value, dtype=float) for name, value in RIGHT.items() if name != "tie_rule"}
    before = {name: value.copy() for name, value in answers.items()}
    check(3, **answers)
    for name, value in answers.items():
        np.testing.assert_array_equal(value, before[name])
