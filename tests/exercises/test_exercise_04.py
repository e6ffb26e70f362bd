"""Exercise 4: the derived errors are those that are measured, and each wrong one has its name."""

import numpy as np
import pytest

from course_lib.exercises import check
from course_lib.exercises.ex04_central_difference import EXERCISE
from course_lib.exercises.formulas import evaluate

RIGHT = {
    "third_term": "h**3/6*f3", "difference": "2*h*f1 + h**3/3*f3", "truncation": "f3*h**2/6", "truncation_order": 2,
    "one_sided_order": 1, "rounding": "eps*F/h", "best_step": "(3*eps*F/f3)**(1/3)", "best_step_float32": 0.0071,
    "slope_left": -1, "slope_right": 2, "curve": "a", "linear": "b", "own_words": "word " * 30, "ticked": "a b c",
}  # fmt: skip


def value(name, **values):
    """The value of one of the right formulas."""
    return evaluate(EXERCISE.answer(name).read(RIGHT[name], None), values)


def test_the_right_answers_get_all_points():
    result = check(4, **RIGHT)
    assert (result.passed, result.points, result.max_points, result.misconceptions) == (True, 20, 20, ())


@pytest.mark.parametrize("h", [0.1, 0.01, 0.001])
def test_the_truncation_is_the_measured_error(h):
    measured = (np.exp(1 + h) - np.exp(1 - h)) / (2 * h) - np.e
    # The next term is h²/20 times as large.
    assert measured == pytest.approx(value("truncation", h=h, f1=np.e, f2=np.e, f3=np.e), rel=max(h**2 / 10, 1e-4))


def test_the_rounding_bounds_the_measured_error_of_a_linear_function():
    x, steps = np.float64(1 / 3), 10.0 ** np.arange(-1, -13, -1)
    # Both the argument and the value are rounded: twice the bound for one of them.
    bound = np.array([2 * value("rounding", eps=2.0**-53, F=1.0, h=h) for h in steps])
    assert (np.abs(((x + steps) - (x - steps)) / (2 * steps) - 1) <= bound).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_best_step_has_the_smallest_sum_of_both_errors(dtype):
    eps, best = np.finfo(dtype).eps, value("best_step", eps=np.finfo(dtype).eps, F=1.0, f3=1.0)

    def total(h):
        return value("truncation", h=h, f1=1.0, f2=1.0, f3=1.0) + value("rounding", eps=eps, F=1.0, h=h)

    assert total(best) < min(total(best * 1.01), total(best / 1.01))


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        ({"third_term": "h**3/3*f3"}, "taylor_factorial"),
        ({"difference": "2*h*f1 + h**2*f2"}, "even_terms_stay"),
        ({"truncation": "h*f2/2"}, "one_sided"),
        ({"truncation": "h**3*f3/3"}, "not_divided_by_2h"),
        ({"truncation_order": 1}, "one_sided"),
        ({"rounding": "eps*F"}, "rounding_without_h"),
        ({"rounding": "2*eps*F/h"}, "rounding_not_halved"),
        ({"best_step": "sqrt(eps)"}, "best_step_one_sided"),
        ({"best_step": "cbrt(eps)"}, "best_step_constant"),
        ({"best_step_float32": 8.7e-6}, "best_step_of_float64"),
        ({"best_step_float32": 3.5e-4}, "best_step_one_sided"),
        ({"slope_left": 1}, "slope_sign"),
        ({"curve": "c"}, "curve_symmetric"),
        ({"linear": "d"}, "linear_is_exact"),
    ],
    ids=str,
)
def test_a_wrong_answer_is_called_by_its_name(answer, mistake):
    result = check(4, **answer)
    assert result.points == 0
    assert mistake in result.misconceptions


@pytest.mark.parametrize("number", [0.0071, 7.1e-3, 0.007, "(3 * 2**-23)**(1/3)", "cbrt(3*2**-23)"], ids=str)
def test_a_rounded_number_is_right(number):
    assert check(4, best_step_float32=number).points == 1


def test_another_form_of_a_formula_is_right():
    assert check(4, best_step="cbrt(3*F*eps/f3)", truncation="f3*h*h/6").points == 4
