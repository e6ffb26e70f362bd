"""A corner: the function, the lines that claim to be its slope, and which of them is fair."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from course_lib import figures

NUDGES, VALUES = [-1.0, 0, 2], [3.0, 3, 5]


@pytest.fixture
def lines():
    """The lines of a corner with two claims."""
    artists = figures.kink(NUDGES, VALUES, {"half": 0.5, "steep": 2}, ax=Figure().add_subplot())
    return [artist for artist in artists if isinstance(artist, Line2D)]


def test_kink_draws_the_function(lines):
    np.testing.assert_array_equal(lines[0].get_xydata(), np.transpose([NUDGES, VALUES]))


@pytest.mark.parametrize(("number", "slope"), [(1, 0.5), (2, 2)])
def test_kink_draws_each_claim_through_the_value_at_zero(lines, number, slope):
    np.testing.assert_array_equal(lines[number].get_ydata(), 3 + slope * np.array(NUDGES))


def test_kink_gives_claims_other_lines(lines):
    assert lines[1].get_linestyle() != lines[2].get_linestyle()


def test_kink_text_says_which_claim_lies_above():
    text = figures.kink(NUDGES, VALUES, {"half": 0.5, "steep": 2}, "corner").text
    assert text == (
        "corner: 3 at −1, 3 at 0, 5 at 2.\n"
        "  half: slope 0.5, lies nowhere above.\n"
        "  steep: slope 2, lies above the function somewhere."
    )
