"""Photographs, windows under the glass, and gradients too many for numbers."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from course_lib import figures
from tests.figures.samples import RAMP, SIGNED


@pytest.fixture
def ax():
    """Axes to draw on."""
    return Figure().add_subplot()


def of_kind(artists, kind):
    """The artists of one kind."""
    return [artist for artist in artists if isinstance(artist, kind)]


def test_photo_shows_black_as_0_and_white_as_1(ax):
    (image,) = of_kind(figures.photo(RAMP / 2, ax=ax), AxesImage)
    assert image.get_clim() == (0, 1)
    np.testing.assert_array_equal(image.get_array(), RAMP / 2)


def test_photo_frames_the_window_on_its_pixels(ax):
    artists = figures.photo(RAMP, window=(1, 2, 3, 4), ax=ax)
    left, right, bottom, top = of_kind(artists, AxesImage)[0].get_extent()
    (frame,) = of_kind(artists, Rectangle)
    pixel = (right - left) / 12
    np.testing.assert_allclose(frame.get_xy(), (left + 2 * pixel, top + pixel))
    np.testing.assert_allclose((frame.get_width(), frame.get_height()), (4 * pixel, 3 * pixel))


def test_photo_keeps_pixels_square(ax):
    left, right, bottom, top = of_kind(figures.photo(RAMP, ax=ax), AxesImage)[0].get_extent()
    np.testing.assert_allclose((right - left) / 12, (bottom - top) / 8)


def test_magnified_writes_the_pixels_of_the_window(ax):
    texts = of_kind(figures.magnified(RAMP, (1, 2, 2, 3), ax=ax), Text)
    assert [float(text.get_text()) for text in texts] == list(RAMP[1:3, 2:5].ravel().round(2))


def test_magnified_text_holds_the_window_and_the_winner():
    text = figures.magnified(RAMP, (1, 2, 2, 3), (2, 4)).text
    assert "Framed: 2 × 3 at (1, 2)." in text
    assert "  0.15 0.16 0.17\n  0.27 0.28 0.29" in text
    assert text.endswith("Ringed: (2, 4).")


@pytest.mark.parametrize("window", [(6, 2, 3, 3), (1, -1, 2, 2), (0, 0, 0, 2)])
def test_magnified_refuses_a_window_outside_the_image(window):
    with pytest.raises(ValueError, match=r"window must lie in the image of shape \(8, 12\); got window="):
        figures.magnified(RAMP, window)


def test_photo_gradient_marks_every_element_that_is_not_zero(ax):
    up, down = of_kind(figures.photo_gradient(RAMP, SIGNED, ax=ax), PathCollection)
    assert len(up.get_offsets()) == (SIGNED > 0).sum()
    assert len(down.get_offsets()) == (SIGNED < 0).sum()


def test_photo_gradient_points_up_above_zero_and_down_below(ax):
    up, down = of_kind(figures.photo_gradient(RAMP, SIGNED, ax=ax), PathCollection)
    tips = [collection.get_paths()[0].vertices[0, 1] for collection in (up, down)]
    assert tips[0] > 0 > tips[1]


def test_photo_gradient_puts_marks_on_their_pixels(ax):
    gradient = np.zeros((8, 12))
    gradient[6, 9] = 1
    artists = figures.photo_gradient(RAMP, gradient, ax=ax)
    left, right, bottom, top = of_kind(artists, AxesImage)[0].get_extent()
    pixel = (right - left) / 12
    np.testing.assert_allclose(
        of_kind(artists, PathCollection)[0].get_offsets(), [[left + 9.5 * pixel, top + 6.5 * pixel]]
    )


def test_photo_gradient_marks_larger_gradients_larger(ax):
    gradient = np.zeros((8, 12))
    gradient[0, :3] = 1, 2, 4
    sizes = of_kind(figures.photo_gradient(RAMP, gradient, ax=ax), PathCollection)[0].get_sizes()
    assert (np.diff(sizes) > 0).all()


def test_photo_gradient_of_zeros_marks_nothing(ax):
    up, down = of_kind(figures.photo_gradient(RAMP, np.zeros((8, 12)), ax=ax), PathCollection)
    assert len(up.get_offsets()) == len(down.get_offsets()) == 0


def test_photo_gradient_refuses_a_gradient_of_another_shape():
    with pytest.raises(ValueError, match=r"gradient must have the image's shape \(8, 12\); got shape \(4, 4\)"):
        figures.photo_gradient(RAMP, np.zeros((4, 4)))


def test_heat_text_counts_signs():
    text = figures.heat(SIGNED, "gradient").text
    assert f"  {(SIGNED > 0).sum()} above zero, {(SIGNED < 0).sum()} below zero." in text


def test_heat_writes_the_ends_of_its_scale(ax):
    words = [text.get_text() for text in of_kind(figures.heat(SIGNED, ax=ax), Text)]
    assert words == ["−1", "1"]


def test_heat_hatches_what_is_clearly_below_zero(ax):
    (hatch,) = of_kind(figures.heat(SIGNED, ax=ax), LineCollection)
    assert len(hatch.get_segments()) == (SIGNED < -0.1).sum()


def test_heat_of_counts_begins_at_zero(ax):
    words = [text.get_text() for text in of_kind(figures.heat(np.full((3, 3), 4), scale="counts", ax=ax), Text)]
    assert words == ["0", "4"]


def test_heat_refuses_an_unknown_scale():
    with pytest.raises(ValueError, match="scale must be 'gradients' or 'counts'; got scale='values'"):
        figures.heat(SIGNED, scale="values")
