"""Colours that can be read: on white and on black, in print, and by colour-blind readers."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_lib.figures import style

WHITE, BLACK = "#ffffff", "#111111"
# Viénot, Brettel and Mollon 1999, on linear red, green and blue: how a protanope and a deuteranope see.
BLINDNESS = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


def seen(colour, blindness):
    """A colour as a colour-blind reader sees it, in CIE L*a*b*."""
    linear = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)])
    linear = np.clip(np.array(BLINDNESS[blindness]) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    ratio = xyz / (0.9505, 1.0, 1.089)
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("page", [WHITE, BLACK])
def test_ink_can_be_read_on_both_themes(page):
    # No grey reaches 4.5 on both pages; 4.35 is the most.
    assert style.contrast(style.INK, page) >= 4.0


@pytest.mark.parametrize("page", [WHITE, BLACK, style.PAPER])
@pytest.mark.parametrize("colour", style.ROUTE_COLOURS)
def test_route_colours_show_on_every_ground(colour, page):
    # The guidelines ask 3 of lines and signs.
    assert style.contrast(colour, page) >= 3


@pytest.mark.parametrize("scale", ["values", "gradients", "counts"])
def test_numbers_can_be_read_on_every_cell(scale):
    ramp = np.linspace(-1 if scale == "gradients" else 0, 1, 101)
    contrasts = [style.contrast(style.text_on(face[:3]), face[:3]) for face in style.faces(ramp, scale)]
    assert min(contrasts) >= 4.5


@pytest.mark.parametrize("page", [WHITE, BLACK])
@pytest.mark.parametrize("sign", [1, -1])
def test_signs_show_on_both_themes(sign, page):
    assert style.contrast(style.SIGNS[sign], page) >= 3


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_the_ends_of_the_gradient_scale_differ_without_red_and_green(blindness):
    low, high = (style.GRADIENTS(end)[:3] for end in (0.0, 1.0))
    assert np.linalg.norm(seen(low, blindness) - seen(high, blindness)) > 40


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_route_colours_differ_without_red_and_green(blindness):
    # 10 is a difference that one sees at a glance; line styles tell the routes apart besides.
    for one, other in combinations(style.ROUTE_COLOURS, 2):
        assert np.linalg.norm(seen(one, blindness) - seen(other, blindness)) > 10, (one, other)


def test_routes_differ_by_line_style_too():
    assert len({str(style.route_style(number)[1]) for number in range(4)}) == 4


def test_counts_grow_darker_for_print():
    lightness = [style.luminance(style.COUNTS(step)[:3]) for step in np.linspace(0, 1, 64)]
    assert (np.diff(lightness) < 0).all()


def test_gradients_are_palest_at_zero():
    lightness = [style.luminance(face[:3]) for face in style.faces(np.linspace(-2, 2, 101), "gradients")]
    assert np.argmax(lightness) == 50


def test_gradient_norm_is_symmetric_about_zero():
    norm = style.gradient_norm(np.array([-1.0, 7.0]), np.array([np.nan, -np.inf]))
    assert (norm.vmin, norm(0), norm.vmax) == (-7, 0.5, 7)


def test_gradient_norm_of_zeros_has_a_width():
    assert style.gradient_norm(np.zeros(3)).vmax == 1


def test_faces_keep_infinities_at_the_ends():
    faces = style.faces(np.array([-np.inf, -1.0, 1.0, np.inf]), "gradients")
    np.testing.assert_array_equal(faces[[0, 3]], faces[[1, 2]])


def test_faces_give_nan_the_colour_of_zero():
    nan, zero, _ = style.faces(np.array([np.nan, 0.0, 1.0]), "gradients")
    np.testing.assert_array_equal(nan, zero)


def test_contrast_of_black_and_white_is_that_of_the_guidelines():
    assert style.contrast("#000000", "#ffffff") == pytest.approx(21)
