"""Exercise 2: the numbers worked by hand are right, and each wrong one has its name."""

import numpy as np
import pytest

from course_lib.exercises import check
from course_lib.exercises.registry import find

EXERCISE = find(2)
RIGHT = {
    "grad_weight": [[12, 16], [24, 28]],
    "grad_input": [[1, 2, 1], [2, 4, 2], [1, 2, 1]],
    "grad_bias": 4,
    "why_four": "c",
    "what_stays_hidden": "a",
}


def test_the_right_answers_get_all_points():
    result = check(2, **RIGHT)
    assert (result.passed, result.points, result.max_points, result.misconceptions) == (True, 8, 8, ())


@pytest.mark.parametrize("judged", EXERCISE.properties[:3], ids=lambda judged: judged.name)
def test_expected_arrays_are_those_worked_by_hand(judged):
    np.testing.assert_array_equal(judged.expected(judged.cases[0]), RIGHT[judged.name])


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        ({"grad_weight": [[28, 24], [16, 12]]}, "conv_flip_dW"),
        ({"grad_weight": [[3, 4], [6, 7]]}, "conv_dW_mean"),
        ({"grad_weight": [[1, 2], [4, 5]]}, "conv_dW_one_window"),
        ({"grad_weight": [[5, 6], [8, 9]]}, "conv_dW_one_window"),
        ({"grad_input": np.ones((3, 3))}, "conv_dA_overwrite"),
        ({"grad_input": [[4]]}, "conv_dA_not_full"),
        ({"grad_bias": 1}, "conv_bias_mean"),
        ({"grad_bias": [[1, 1], [1, 1]]}, "conv_bias_batch_only"),
        ({"why_four": "b"}, "conv_kernel_sum"),
        ({"what_stays_hidden": "d"}, "flipped_dW_hides"),
    ],
    ids=str,
)
def test_a_wrong_answer_is_called_by_its_name(answer, mistake):
    result = check(2, **answer)
    assert result.points == 0
    assert mistake in result.misconceptions


@pytest.mark.parametrize("answer", [4, [4], np.array([4.0]), "4"], ids=str)
def test_a_bias_gradient_may_be_a_number_or_an_array(answer):
    assert check(2, grad_bias=answer).points == (0 if isinstance(answer, str) else 1)


def test_a_wrong_array_shows_one_expected_element_and_no_more():
    assert "[[12, 16], [24, 28]]" not in repr(check(2, grad_weight=np.zeros((2, 2))))
