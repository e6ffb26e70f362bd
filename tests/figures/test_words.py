"""Text alternatives hold the numbers."""

import numpy as np
import pytest

from course_lib.figures import words


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (0.0, "0"), (-0.0, "0"), (3, "3"), (-8.0, "−8"), (0.25, "0.25"), (1 / 3, "0.333"), (-1e-9, "−1e−09"),
        (12345.6, "12346"), (999.6, "1000"), (np.nan, "NaN"), (np.inf, "∞"), (-np.inf, "−∞"), (np.int64(7), "7"),
    ],
)  # fmt: skip
def test_number_is_short_and_has_a_real_minus(value, word):
    assert words.number(value) == word


def test_rows_stand_in_columns():
    assert words.rows(np.array([[1.0, -20], [3, 4]])) == "    1 −20\n    3   4"


def test_rows_of_a_large_grid_become_one_sentence():
    values = np.zeros((20, 30))
    values[3, 4] = -2
    assert words.rows(values) == "  from −2 to 0; 1 of 600 elements is not zero."


def test_listing_of_nothing_is_a_word():
    assert words.listing([]) == "none"
