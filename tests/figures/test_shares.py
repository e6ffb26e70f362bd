"""A table of shares: colours, words, outlines and text."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from course_lib import figures
from course_lib.figures import style

VALUES = np.array([[0.5, 0.25, 0.0], [1.0, 1 / 9, 0.0625]])
NAMES = ["k = 2", "k = 3"], ["s = 1", "s = 2", "s = 3"]


@pytest.fixture
def artists():
    """What is drawn on an axes."""
    return figures.shares(VALUES, *NAMES, "density", marked=[(0, 1)], meaning="tiles", ax=Figure().add_subplot())


def test_shares_writes_every_percentage_in_its_place(artists):
    words = [artist for artist in artists if isinstance(artist, Text) and artist.get_text().endswith("%")]
    by_place = sorted(words, key=lambda word: word.get_position()[::-1])
    assert [word.get_text() for word in by_place] == ["50 %", "25 %", "0 %", "100 %", "11.1 %", "6.25 %"]


def test_shares_grow_darker_from_0_to_100_percent(artists):
    cells = [artist for artist in artists if isinstance(artist, Rectangle) and artist.get_fill()]
    lightness = [style.luminance(cell.get_facecolor()[:3]) for cell in cells]
    np.testing.assert_array_equal(np.argsort(lightness), np.argsort(-VALUES.ravel()))
    np.testing.assert_allclose(cells[3].get_facecolor(), style.COUNTS(1.0))


def test_shares_outlines_the_marked_cell(artists):
    cells = [artist for artist in artists if isinstance(artist, Rectangle) and artist.get_fill()]
    (frame,) = [artist for artist in artists if isinstance(artist, Rectangle) and not artist.get_fill()]
    middle = np.add(frame.get_xy(), (frame.get_width() / 2, frame.get_height() / 2))
    np.testing.assert_allclose(middle, np.add(cells[1].get_xy(), (cells[1].get_width() / 2, 0.5)))


def test_shares_text_holds_every_share():
    assert figures.shares(VALUES, *NAMES, "density", marked=[(0, 1)], meaning="tiles").text == (
        "density, 2 × 3:\n"
        "  k = 2: s = 1 50 %, s = 2 25 %, s = 3 0 %\n"
        "  k = 3: s = 1 100 %, s = 2 11.1 %, s = 3 6.25 %\n"
        "  Outlined (tiles): k = 2, s = 2."
    )


@pytest.mark.parametrize("values", [np.full((2, 3), 1.5), np.full((2, 3), -0.1), np.full((2, 3), np.nan)])
def test_shares_refuses_what_is_no_share(values):
    with pytest.raises(ValueError, match=r"values must lie between 0 and 1; got "):
        figures.shares(values, *NAMES)


def test_shares_refuses_names_that_do_not_fit():
    with pytest.raises(ValueError, match=r"values must have shape \(2, 2\), as named; got shape \(2, 3\)"):
        figures.shares(VALUES, NAMES[0], ["s = 1", "s = 2"])


def test_shares_has_room_for_a_long_key():
    narrow = figures.shares([[0.5]], ["k"], ["s"], marked=[(0, 0)], meaning="a key that is far wider than the table")
    assert narrow.size[0] > figures.shares([[0.5]], ["k"], ["s"]).size[0] + 5
