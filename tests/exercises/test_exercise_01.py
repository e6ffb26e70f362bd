"""Exercise 1: the derived indices are those of the loops, and each wrong one has its name."""

import numpy as np
import pytest

import course_lib
from course_lib.exercises import check, faults
from course_lib.exercises.ex01_kernel_gradient import EXERCISE, RUBRIC
from course_lib.exercises.formulas import evaluate

RIGHT = {
    "which_outputs": "c", "row": "r + u", "column": "s + v", "weight_sum": "i r s", "bias_sum": "i r s",
    "tap_row": "a - r", "tap_column": "b - s", "input_sum": "q r s", "first_window": "a - kh + 1", "ratio": "1/m",
    "why_a_sum": "b", "own_words": "word " * 30, "ticked": "a b c",
}  # fmt: skip


def place(name, **values):
    """The value of one of the right formulas."""
    return int(evaluate(EXERCISE.answer(name).read(RIGHT[name], None), values))


def test_the_right_answers_get_all_points():
    result = check(1, **RIGHT)
    assert (result.passed, result.points, result.max_points, result.misconceptions) == (True, 16, 16, ())


@pytest.fixture
def layer():
    """A convolution of two samples, three inputs and two outputs, and its gradients."""
    rng = np.random.default_rng(7)
    x, weight = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(2, 3, 3, 2))
    upstream = rng.normal(size=(2, 2, 3, 3))
    return x, weight, upstream, course_lib.conv_backward(upstream, x, weight)


def test_the_right_indices_give_the_kernels_gradient(layer):
    x, weight, upstream, (_, grad_weight, _) = layer
    found = np.zeros(weight.shape)
    for q, c, u, v in np.ndindex(weight.shape):
        for i, r, s in np.ndindex(2, 3, 3):
            element = i, c, place("row", r=r, u=u, s=s, v=v), place("column", r=r, u=u, s=s, v=v)
            found[q, c, u, v] += upstream[i, q, r, s] * x[element]
    np.testing.assert_allclose(found, grad_weight, atol=1e-12)


def test_the_right_indices_give_the_inputs_gradient(layer):
    x, weight, upstream, (grad_input, _, _) = layer
    found = np.zeros(x.shape)
    for i, c, a, b in np.ndindex(x.shape):
        for q, r, s in np.ndindex(2, 3, 3):
            u, v = (place(name, a=a, b=b, r=r, s=s) for name in ("tap_row", "tap_column"))
            if 0 <= u < 3 and 0 <= v < 2:
                found[i, c, a, b] += upstream[i, q, r, s] * weight[q, c, u, v]
    np.testing.assert_allclose(found, grad_input, atol=1e-12)


def test_the_first_window_is_the_first_that_holds_the_row():
    kh, a = 3, 7
    assert [r for r in range(20) if 0 <= a - r < kh] == list(range(place("first_window", a=a, kh=kh), a + 1))


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        ({"which_outputs": "a"}, "weight_used_once"),
        ({"row": "r-u"}, "index_minus"),
        ({"row": "u + r - 1"}, "index_from_one"),
        ({"row": "s + v"}, "index_axes_swapped"),
        ({"column": "v"}, "index_without_window"),
        ({"weight_sum": "r s"}, "sum_without_samples"),
        ({"bias_sum": "i"}, "sum_without_positions"),
        ({"tap_row": "r - a"}, "index_turned"),
        ({"tap_column": "s + b"}, "index_plus"),
        ({"input_sum": "r s"}, "sum_without_outputs"),
        ({"input_sum": "i q r s"}, "sum_over_samples"),
        ({"first_window": "a - kh"}, "off_by_one"),
        ({"ratio": "m"}, "ratio_turned"),
        ({"ratio": 1}, "division_harmless"),
        ({"why_a_sum": "a"}, "sum_is_mean"),
    ],
    ids=str,
)
def test_a_wrong_answer_is_called_by_its_name(answer, mistake):
    result = check(1, **answer)
    assert (result.points, result.misconceptions) == (0, (mistake,))


def test_a_wrong_formula_is_shown_by_numbers_and_not_by_the_right_one():
    result = check(1, row="r - u")
    assert result.verdicts[1].message.startswith("wrong value: for r = ")
    assert "r + u" not in repr(result).replace("row r + u. ", "").replace("reads row r + u", "")


def test_an_unknown_wrong_formula_gets_no_name():
    result = check(1, row="r * u + 3")
    assert result.misconceptions == ()
    assert result.verdicts[1].kind == faults.WRONG_VALUE


def verdicts(**answers):
    """The verdicts on the own words, by letter."""
    found = check(1, **answers).verdicts
    return {verdict.name[-1]: verdict for verdict in found if verdict.name.startswith("own words")}


def test_each_tick_is_a_point_of_its_own():
    found = verdicts(own_words="word " * 30, ticked="a c")
    assert [found[letter].points for letter in "abc"] == [1, 0, 1]
    assert found["b"].message == f"not ticked. Does your text say that {RUBRIC['b']}?"


def test_a_short_text_earns_nothing():
    assert verdicts(own_words="It adds.", ticked="a b c")["a"].message == "own_words has 2 words; write 20 or more"
    assert verdicts(own_words="Add!", ticked="a")["a"].message == "own_words has 1 word; write 20 or more"


def test_no_index_at_all_has_a_sentence_of_its_own():
    messages = {verdict.message for verdict in check(1, weight_sum="").verdicts}
    assert "wrong: a sum runs over at least one index" in messages


def test_ticks_without_a_text_are_not_started():
    assert {verdict.kind for verdict in verdicts(own_words="\n", ticked="a").values()} == {faults.NOT_STARTED}
