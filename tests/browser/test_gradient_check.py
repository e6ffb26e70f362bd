"""The gradient-check explorable on a plain page: the curves that it draws are those that are measured."""

import numpy as np
import pytest

from course_lib.widgets import GradientCheckExplorer
from course_lib.widgets.gradient_check_cases import GAP, cases
from course_lib.widgets.gradient_check_table import STEPS, measured
from tests.browser import latency
from tests.browser.chart import Chart
from tests.browser.picture import Picture, choose

pytestmark = pytest.mark.browser

# A tenth of a pixel, in powers of ten.
TENTH = 0.01
LOG_STEPS = np.log10(STEPS)


def shown(errors):
    """The points of a curve that lie on the chart, as powers of ten."""
    with np.errstate(divide="ignore"):
        points = np.stack([LOG_STEPS, np.log10(errors)], axis=1)
    return points[(points[:, 1] >= -17) & (points[:, 1] <= 1)]


@pytest.mark.parametrize("scheme", ["central", "forward"])
@pytest.mark.parametrize("function", list(cases()))
def test_curves_are_those_that_are_measured(show, function, scheme):
    root = show(GradientCheckExplorer(function=function, scheme=scheme))
    for dtype, other in (("float64", "float32"), ("float32", "float64")):
        choose(root, "dtype", dtype)
        chart = Chart(root)
        found = measured(cases()[function], dtype, scheme)
        np.testing.assert_allclose(chart.curves["measured"], shown(found["error"]), atol=TENTH)
        for name in ("truncation", "rounding"):
            np.testing.assert_allclose(chart.curves[name], shown(found[name]), atol=TENTH)
        far = measured(cases()[function], other, scheme)
        np.testing.assert_allclose(chart.curves["other"], shown(far["error"]), atol=TENTH)


def test_slider_moves_the_point_along_the_curve(show):
    root = show(GradientCheckExplorer(function="exp"))
    errors = measured(cases()["exp"], "float64", "central")["error"]
    slider = root.locator("[data-control='step'] input")
    slider.focus()
    for key, step in (("ArrowRight", 21), ("ArrowRight", 22), ("Home", 0), ("End", 56), ("ArrowLeft", 55)):
        root.page.keyboard.press(key)
        x, y, data = Chart(root).dots["now"]
        assert int(data["step"]) == step
        np.testing.assert_allclose([x, y], [LOG_STEPS[step], np.log10(errors[step])], atol=TENTH)


def test_pointer_drags_the_point(show):
    root = show(GradientCheckExplorer(function="exp"))
    stage = root.locator(".gx-stage").bounding_box()
    mouse = root.page.mouse
    mouse.move(stage["x"] + stage["width"] * 0.3, stage["y"] + 150)
    mouse.down()
    steps = []
    for part in (0.4, 0.6, 0.8):
        mouse.move(stage["x"] + stage["width"] * part, stage["y"] + 150)
        steps.append(int(Chart(root).dots["now"][2]["step"]))
    mouse.up()
    mouse.move(stage["x"] + stage["width"] * 0.2, stage["y"] + 150)
    assert steps[0] > steps[1] > steps[2]
    assert int(Chart(root).dots["now"][2]["step"]) == steps[2]


@pytest.mark.parametrize(("function", "scheme"), [("exp", "central"), ("sin", "forward"), ("square", "forward")])
def test_best_step_is_marked_where_the_expected_error_is_least(show, function, scheme):
    root = show(GradientCheckExplorer(function=function, scheme=scheme))
    best = measured(cases()[function], "float64", scheme)["best"]
    np.testing.assert_allclose(Chart(root).rules["best"][0], np.log10(best), atol=TENTH)


def test_square_has_no_best_step_in_a_central_difference(show):
    root = show(GradientCheckExplorer(function="square", scheme="central"))
    chart = Chart(root)
    assert "best" not in chart.rules
    assert len(chart.curves["truncation"]) == 0
    assert "truncation is 0" in Picture(root).sentence


def test_kink_is_marked_at_the_gap(show):
    root = show(GradientCheckExplorer(function="max pooling"))
    np.testing.assert_allclose(Chart(root).rules["gap"][0], np.log10(GAP), atol=TENTH)


@pytest.mark.parametrize(("step", "words"), [(8, "another element wins"), (20, "no other element wins")])
def test_sentence_says_on_which_side_of_the_kink_the_step_lies(show, step, words):
    widget = GradientCheckExplorer(function="max pooling")
    widget.step = step
    assert words in Picture(show(widget)).sentence


def test_numbers_beside_the_curve_are_those_of_the_step(show):
    root = show(GradientCheckExplorer(function="exp"))
    notes = dict(zip(root.locator("dt").all_inner_texts(), root.locator("dd").all_inner_texts(), strict=True))
    found = measured(cases()["exp"], "float64", "central")
    assert float(notes["numeric slope"]) == pytest.approx(found["numeric"][20], rel=1e-13)
    assert float(notes["analytic slope"]) == pytest.approx(np.e, rel=1e-13)
    above, power = notes["relative error"].replace("\u00a0", " ").split(" · 10")
    exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    assert float(above) * 10.0**exponent == pytest.approx(found["error"][20], rel=6e-3)


def test_a_lost_step_is_said_to_be_lost(show):
    widget = GradientCheckExplorer(function="exp", dtype="float32")
    widget.step = 50
    assert "both values are the same" in Picture(show(widget)).sentence


@pytest.mark.parametrize("width", [900, 360])
@pytest.mark.parametrize("function", ["exp", "max pooling"])
def test_every_text_lies_inside_the_picture(show, function, width):
    root = show(GradientCheckExplorer(function=function), viewport={"width": width, "height": 900})
    assert Picture(root).outside == []


def test_new_picture_comes_at_once(show):
    root = show(GradientCheckExplorer())
    moves = {
        "slider": (root.locator("[data-control='step'] input"), latency.BOTH),
        "function": (root.locator("[data-control='function'] input:checked"), latency.BOTH),
    }
    latency.hold(root, moves)
