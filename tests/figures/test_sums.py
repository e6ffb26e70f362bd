"""What a sum of grids shows of each window and of the total."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Text

from course_lib import figures

WINDOWS = [(0, 0, 2, 2), (0, 1, 2, 2)]
PARTS = np.array([[[4.0, 0, 0], [0, 5, 0]], [[0, 0, -3], [0, 7, 0]]])


def words(artists):
    """What is written, in the order in which it was drawn."""
    return [artist.get_text() for artist in artists if isinstance(artist, Text)]


def drawn():
    """The artists of the sum of two windows."""
    return figures.added(PARTS, WINDOWS, ["a", "b"], "grad_input", ax=Figure().add_subplot())


def test_added_writes_only_what_lies_inside_each_window_then_the_sum():
    assert words(drawn()) == [
        *["4", "0", "0", "5", "a", "+"],
        *["0", "−3", "7", "0", "b", "="],
        *["4", "0", "−3", "0", "12", "0", "grad_input"],
    ]


def test_added_frames_each_window():
    frames = [artist for artist in drawn() if isinstance(artist, FancyBboxPatch)]
    assert [(frame.get_width(), frame.get_height()) for frame in frames] == [(2, 2), (2, 2)]


def test_added_reads_as_text_with_the_sum():
    assert "grad_input, the sum of all, 2 × 3:\n   4  0 −3\n   0 12  0" in repr(
        figures.added(PARTS, WINDOWS, "ab", "grad_input")
    )


def test_added_asks_for_a_window_for_each_part():
    with pytest.raises(ValueError, match="got 2 parts, 1 windows, 2 names"):
        figures.added(PARTS, WINDOWS[:1], "ab")


def test_grid_draws_the_frames_of_overlapping_windows_apart():
    frames = [
        artist
        for artist in figures.grid(PARTS[0], windows=WINDOWS, ax=Figure().add_subplot())
        if isinstance(artist, FancyBboxPatch)
    ]
    assert frames[0].get_y() != frames[1].get_y()
