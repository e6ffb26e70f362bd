"""The precision explorable on a plain page: what it draws is what NumPy stores."""

import re

import numpy as np
import pytest

from course_lib.widgets import PrecisionExplorer
from course_lib.widgets import precision_formats as formats
from course_lib.widgets.precision_table import counts
from tests.browser import latency
from tests.browser.chart import Chart
from tests.browser.picture import Picture, choose

pytestmark = pytest.mark.browser

GRADIENTS = np.random.default_rng(1).lognormal(-12, 3, 2000)


def explorer(show="one value", dtype="float16", **stops):
    """A widget at a view, a type and some stops of its sliders."""
    widget = PrecisionExplorer(gradients=GRADIENTS)
    widget.show, widget.dtype = show, dtype
    widget.use(**stops)
    return widget


def near(root):
    """The numbers on the line, and the one that is stored."""
    read = "(nodes) => nodes.map((node) => [Number(node.dataset.near), node.classList.contains('gx-kept')])"
    found = root.locator("[data-near]").evaluate_all(read)
    return [number for number, _ in found], [number for number, kept in found if kept]


@pytest.mark.parametrize("value", [0.1, 2049, 1e-7, 65519])
def test_line_shows_the_stored_number_among_its_neighbours(show, value):
    numbers, kept = near(show(explorer(value=value)))
    stored = np.float16(value)
    with np.errstate(over="ignore"):
        expected = [np.nextafter(stored, np.float16(0)), stored, np.nextafter(stored, np.float16(np.inf))]
    np.testing.assert_allclose(kept, [float(stored)], rtol=1e-9)
    around = numbers[numbers.index(kept[0]) - 1 :][:3]
    np.testing.assert_allclose(around, np.array(expected, float)[: len(around)], rtol=1e-9)


def test_value_stands_in_proportion_between_its_neighbours(show):
    root = show(explorer(value=0.1))
    circles = root.locator("[data-near] circle").evaluate_all("(all) => all.map((node) => +node.getAttribute('cx'))")
    tip = float(re.match(r"M([\d.]+),", root.locator("[data-asked]").get_attribute("d"))[1])
    numbers, _ = near(root)
    np.testing.assert_allclose(np.interp(tip, circles, numbers), 0.1, atol=2e-7)


def test_value_beyond_the_largest_is_said_to_become_infinite(show):
    picture = Picture(show(explorer(value=65520)))
    assert picture.sentence == "float16 stores 65520 as ∞. It lies beyond the largest number: it becomes infinite."


def test_ranges_begin_and_end_where_the_formats_do(show):
    root = show(explorer())
    chart = Chart(root)
    read = "(all) => all.map((n) => [n.dataset.range, ...['x', 'width'].map((name) => +n.getAttribute(name))])"
    for words, x, width in root.locator("[data-range]").evaluate_all(read):
        name, part = words.split()
        form = formats.FORMATS[name]
        ends = {"subnormal": (form.smallest, form.smallest_normal), "normal": (form.smallest_normal, form.largest)}
        left, _, wide, _ = chart.area
        found = np.interp([x, x + width], [left, left + wide], chart.x)
        np.testing.assert_allclose(found, np.log2(ends[part]), atol=0.1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_sums_of_ones_follow_the_format(show, dtype):
    root = show(explorer("sum of ones", dtype))
    expected = np.log2(formats.sums_of_ones(counts()[-1], dtype)[counts()])
    curve = Chart(root).curves["measured"]
    np.testing.assert_allclose(curve, np.stack([np.log2(counts()), expected], axis=1), atol=0.01)


def test_slider_moves_the_sum(show):
    root = show(explorer("sum of ones", "bfloat16", count=256))
    slider = root.locator("[data-control='count'] input")
    slider.focus()
    for key in ("ArrowRight", "End"):
        root.page.keyboard.press(key)
        data = Chart(root).dots["now"][2]
        assert float(data["sum"]) == 256
    assert data["count"] == "8192"
    assert "7936 ones are lost" in Picture(root).sentence


@pytest.mark.parametrize("scale", [2.0**-8, 1, 2.0**20])
def test_bars_are_the_histogram_moved_by_the_scale(show, scale):
    root = show(explorer("gradients", scale=scale))
    read = "(all) => all.map((n) => [Number(n.dataset.power), Number(n.dataset.count)])"
    found = dict(root.locator("[data-power]").evaluate_all(read))
    powers = np.floor(np.log2(GRADIENTS * scale)).astype(int)
    assert found == {int(power): int((powers == power).sum()) for power in np.unique(powers) if -50 <= power < 26}


@pytest.mark.parametrize("scale", [2.0**-8, 1, 2.0**20])
def test_sentence_says_what_float16_loses(show, scale):
    picture = Picture(show(explorer("gradients", scale=scale)))
    with np.errstate(over="ignore"):
        kept = (GRADIENTS * scale).astype(np.float16)
    stated = [float(number) for number in re.findall(r"([\d.]+) %", picture.sentence)]
    parts = [kept == 0, (kept > 0) & (kept < 2.0**-14), np.isinf(kept)]
    np.testing.assert_allclose(stated, [100 * part.mean() for part in parts], atol=0.05)


def test_only_the_controls_of_the_view_are_shown(show):
    root = show(explorer())
    for view, *names in (("sum of ones", "count"), ("gradients", "scale"), ("one value", "value", "typed")):
        choose(root, "show", view)
        shown = [
            node.get_attribute("data-control") for node in root.locator("[data-control]").all() if node.is_visible()
        ]
        assert shown == ["show", "dtype", *names]


@pytest.mark.parametrize("width", [900, 360])
@pytest.mark.parametrize("view", ["one value", "sum of ones", "gradients"])
def test_every_text_lies_inside_the_picture(show, view, width):
    root = show(explorer(view), viewport={"width": width, "height": 900})
    for dtype in formats.FORMATS:
        choose(root, "dtype", dtype)
        assert Picture(root).outside == []


@pytest.mark.parametrize(("view", "name"), [("one value", "value"), ("sum of ones", "count"), ("gradients", "scale")])
def test_new_picture_comes_at_once(show, view, name):
    root = show(explorer(view))
    latency.hold(root, {f"{name} slider": (root.locator(f"[data-control='{name}'] input"), latency.BOTH)})


def type_number(root, text):
    """Types a number into the field."""
    field = root.locator("[data-control='typed'] input")
    field.fill(text)
    field.press("Enter")


def test_typed_number_moves_the_slider_to_the_nearest_stop_where_no_kernel_answers(show):
    root = show(explorer())
    type_number(root, "2050")
    assert Picture(root).sentence.startswith(
        "Only a kernel can answer for 2050; this is the nearest stop of the slider. float16 stores 2049 as 2048."
    )


def test_typed_number_that_is_a_stop_needs_no_kernel(show):
    root = show(explorer())
    type_number(root, "2049")
    assert Picture(root).sentence.startswith("float16 stores 2049 as 2048.")


def test_what_is_no_number_changes_nothing(show):
    root = show(explorer())
    before = Picture(root).sentence
    type_number(root, "many")
    assert Picture(root).sentence == before
    assert root.locator("[data-control='typed'] input").get_attribute("aria-invalid") == "true"
