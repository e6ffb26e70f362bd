"""Errors against steps: where the curves lie, and what the text says of them."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from course_lib import figures
from course_lib.figures import curves

STEPS, U = [1e-1, 1e-4, 1e-7], [1e-2, 1e-8, 1e-3]


def lines(*given, **named):
    """The lines of a picture."""
    artists = figures.error_curves(*given, **named, ax=Figure().add_subplot())
    return [artist for artist in artists if isinstance(artist, Line2D)]


def test_error_curves_draws_each_error_at_its_step():
    (line,) = lines(STEPS, {"U": U})
    np.testing.assert_array_equal(line.get_xydata(), np.transpose([STEPS, U]))


def test_error_curves_has_logarithmic_axes():
    (line,) = lines(STEPS, {"U": U})
    assert (line.axes.get_xscale(), line.axes.get_yscale()) == ("log", "log")


def test_error_curves_leaves_out_an_error_of_zero():
    (line,) = lines(STEPS, {"exact": [0, 1e-9, 1e-3]})
    np.testing.assert_array_equal(np.isnan(line.get_ydata()), [True, False, False])


def test_error_curves_marks_steps():
    mark, _ = lines(STEPS, {"U": U}, marks=[6e-6])
    np.testing.assert_array_equal(mark.get_xdata(), [6e-6, 6e-6])


def test_error_curves_gives_curves_other_lines():
    one, other = lines(STEPS, {"U": U, "V": U})
    assert one.get_linestyle() != other.get_linestyle()


def test_error_curves_text_holds_ends_and_least_error():
    assert figures.error_curves(STEPS, {"U": U}, "exp", marks=[6e-6]).text == (
        "exp, from step 10⁻⁷ to 10⁻¹:\n"
        "  U: 0.01 at the longest step, 1e−03 at the shortest, least 1e−08 at step 1e−04.\n"
        "  Marked: step 6e−06."
    )


@pytest.mark.parametrize(("exponent", "text"), [(-12, "10⁻¹²"), (0, "10⁰"), (3, "10³")])
def test_power_is_written_small_and_raised(exponent, text):
    assert curves.power(exponent) == text


def test_error_curves_draws_a_slope_through_its_point():
    *_, slope = lines(STEPS, {"U": U}, slopes={"∝ h²": (1e-2, 1e-4, 2)})
    np.testing.assert_allclose(slope.get_xydata(), [(1e-3, 1e-6), (1e-1, 1e-2)])


def test_error_curves_text_names_the_slopes():
    text = figures.error_curves(STEPS, {"U": U}, slopes={"∝ h²": (1e-2, 1e-4, 2), "∝ 1/h": (1e-6, 1e-4, -1)}).text
    assert text.endswith("  Slopes to compare with: ∝ h², ∝ 1/h.")
