"""What stands in a grid, where, and how a window is framed."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle
from matplotlib.text import Text

from course_lib import figures
from tests.figures.samples import GRAD_OUTPUT, WINDOWS, X


@pytest.fixture
def ax():
    """Axes to draw on."""
    return Figure().add_subplot()


def of_kind(artists, kind):
    """The artists of one kind."""
    return [artist for artist in artists if isinstance(artist, kind)]


def test_grid_writes_every_number_in_row_major_order(ax):
    texts = of_kind(figures.grid(X, ax=ax), Text)
    assert [text.get_text() for text in texts] == [f"{value:g}" for value in X.ravel()]


def test_grid_puts_rows_below_each_other(ax):
    places = [text.get_position() for text in of_kind(figures.grid(X, ax=ax), Text)]
    columns, rows = np.array(places).T.reshape(2, 4, 4)
    np.testing.assert_allclose(np.diff(columns, axis=1), 1)
    np.testing.assert_allclose(np.diff(rows, axis=0), 1)
    assert ax.yaxis_inverted()


def test_grid_rings_the_winners_where_they_stand(ax):
    artists = figures.grid(X, winners=[(1, 3)], ax=ax)
    (ring,) = of_kind(artists, Circle)
    bold = [text for text in of_kind(artists, Text) if text.get_fontweight() == "bold"]
    assert [text.get_text() for text in bold] == ["8"]
    np.testing.assert_allclose(ring.center, bold[0].get_position())


def test_grid_frames_each_window_inside_its_cells(ax):
    artists = figures.grid(X, windows=WINDOWS, ax=ax)
    frames = of_kind(artists, FancyBboxPatch)
    left, top = np.subtract(of_kind(artists, Text)[0].get_position(), 0.5)
    for frame, (row, column, high, wide) in zip(frames, WINDOWS, strict=True):
        assert left + column < frame.get_x() < frame.get_x() + frame.get_width() < left + column + wide
        assert top + row < frame.get_y() < frame.get_y() + frame.get_height() < top + row + high


def test_grid_gives_neighbouring_windows_other_lines(ax):
    frames = of_kind(figures.grid(X, windows=WINDOWS, ax=ax), FancyBboxPatch)
    assert len({str(frame.get_linestyle()) for frame in frames}) == len(frames)


def test_gradient_colours_by_sign(ax):
    artists = figures.gradient(GRAD_OUTPUT, ax=ax)
    (red, _, blue), (other_red, _, other_blue) = (artist.get_facecolor()[:3] for artist in (artists[0], artists[2]))
    assert red > blue
    assert other_red < other_blue


def test_grid_text_holds_numbers_rings_and_frames():
    text = figures.grid(X, "x", windows=WINDOWS[:1], winners=[(0, 1)]).text
    assert text == (
        "x, 4 × 4:\n  2 7 1 3\n  5 4 0 8\n  9 3 6 2\n  1 0 4 5\n"
        "  Ringed (row, column): (0, 1).\n  Outlined: 2 × 2 at (0, 0)."
    )


def test_grid_takes_a_row():
    assert figures.grid(np.array([1.0, 2.0]), "x").text == "x, 1 × 2:\n  1 2"


@pytest.mark.parametrize("shape", [(), (2, 2, 2), (1, 2, 3, 3), (0, 3)])
def test_grid_refuses_more_or_less_than_one_plane(shape):
    with pytest.raises(ValueError, match="values must be one plane of numbers; got shape"):
        figures.grid(np.zeros(shape))


def test_grid_refuses_an_unknown_scale():
    with pytest.raises(ValueError, match="scale must be 'values' or 'gradients' or 'counts'; got scale='heat'"):
        figures.grid(X, scale="heat")


def test_windows_of_tiles_stand_in_the_order_of_the_outputs():
    assert figures.windows(X, 2) == [(0, 0, 2, 2), (0, 2, 2, 2), (2, 0, 2, 2), (2, 2, 2, 2)]


def test_windows_may_overlap():
    assert figures.windows(np.zeros((3, 3)), (3, 2), stride=1) == [(0, 0, 3, 2), (0, 1, 3, 2)]


def test_windows_leave_out_what_lies_on_padding():
    assert figures.windows(np.zeros((2, 2)), 2, padding=1) == [(0, 0, 1, 1), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 1, 1)]


def test_counts_share_a_scale_where_the_largest_is_given(ax):
    few, many = (figures.counts(np.array([[1, top]]), largest=9, ax=ax) for top in (2, 9))
    ones = [of_kind(artists, Rectangle)[0].get_facecolor() for artists in (few, many)]
    assert ones[0] == ones[1]
