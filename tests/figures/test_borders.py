"""What a padded grid shows of the input, of its padding and of what lies beyond."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.text import Text

from course_lib import figures
from course_lib.figures.borders import DASHES, DOTS

PADDED = np.pad(np.array([[1.0, 2], [3, 4]]), 1, constant_values=-np.inf)


@pytest.fixture
def ax():
    """Axes to draw on."""
    return Figure().add_subplot()


def dashes(artists, line):
    """How many cells have edges of a kind."""
    # Rectangles alone keep the line style that they were given, unscaled by their width.
    return sum(isinstance(each, Rectangle) and each.get_linestyle() == line for each in artists)


def test_padded_dashes_the_edges_of_padding_alone(ax):
    assert dashes(figures.padded(PADDED, 1, ax=ax), DASHES) == 12


def test_padded_dots_the_cells_beyond_the_padding(ax):
    assert dashes(figures.padded(PADDED, 1, overhang=1, ax=ax), DOTS) == 9


def test_padded_writes_every_number_once(ax):
    texts = sorted(each.get_text() for each in figures.padded(PADDED, 1, ax=ax) if isinstance(each, Text))
    assert texts == sorted(["1", "2", "3", "4", *["−∞"] * 12])


def test_padded_pads_a_row_at_its_ends_only(ax):
    artists = figures.padded(np.array([0.0, 5, 6, 0]), 1, overhang=1, ax=ax)
    assert (dashes(artists, DASHES), dashes(artists, DOTS)) == (2, 1)


def test_padded_counts_windows_from_the_first_element_of_the_input(ax):
    artists = figures.padded(PADDED, 1, windows=[(-1, -1, 2, 2)], winners=[(0, 0)], ax=ax)
    frame = next(each for each in artists if isinstance(each, FancyBboxPatch))
    one = next(each for each in artists if isinstance(each, Text) and each.get_text() == "1")
    middle = frame.get_x() + frame.get_width() / 2 + 0.5, frame.get_y() + frame.get_height() / 2 + 0.5
    np.testing.assert_allclose(middle, one.get_position())


def test_padded_reads_as_text_with_the_padding():
    text = repr(figures.padded(PADDED, 1, "x"))
    assert "  −∞  1  2 −∞" in text
    assert "Padding, included above: 1 before and 1 after, on both axes." in text


def test_padded_takes_another_padding_after_than_before(ax):
    artists = figures.padded(np.array([5.0, 6, 0]), (0, 1), windows=[(0, 0, 1, 2)], ax=ax)
    frame = next(each for each in artists if isinstance(each, FancyBboxPatch))
    five = next(each for each in artists if isinstance(each, Text) and each.get_text() == "5")
    assert dashes(artists, DASHES) == 1
    assert frame.get_x() < five.get_position()[0] < frame.get_x() + 1
