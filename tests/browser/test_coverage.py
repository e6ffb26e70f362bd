"""The coverage explorable on a plain page: counts, profiles and the windows of each element."""

import numpy as np
import pytest

from course_lib import routing
from course_lib.widgets import CoverageExplorer
from tests.browser import latency
from tests.browser.picture import Picture, choose, click, every_control, walk

pytestmark = pytest.mark.browser

# Kernel size, stride, padding, dilation.
WINDOWS = [(3, 2, 0, 1), (3, 1, 1, 1), (2, 3, 0, 1), (3, 1, 1, 2)]
SIZE = (5, 7)


@pytest.fixture
def open_window(show):
    """Opens an explorable at a setting of its controls."""

    def opened(window, **options):
        widget = CoverageExplorer(SIZE)
        with widget.hold_trait_notifications():
            for name, value in zip(("kernel_size", "stride", "padding", "dilation"), window, strict=True):
                setattr(widget, name, value)
        return show(widget, **options)

    return opened


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_page_shows_the_counts_and_the_profiles_whose_product_they_are(open_window, window):
    picture = Picture(open_window(window))
    np.testing.assert_array_equal(picture.numbers("input"), routing.coverage(SIZE, *window))
    np.testing.assert_array_equal(picture.numbers("rows") * picture.numbers("columns"), picture.numbers("input"))


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_each_element_is_framed_by_as_many_windows_as_it_counts(open_window, window):
    counts = routing.coverage(SIZE, *window)
    for element, picture in walk(open_window(window), "input", SIZE):
        frames = picture.named("outline")
        assert len(frames) == len(picture.named("window", "output")) == counts[element]
        assert all(element[0] in frame["rows"] and element[1] in frame["columns"] for frame in frames)
        assert f"= {counts[element]}. " in picture.sentence


def test_each_output_is_shown_with_its_window(open_window):
    root = open_window((3, 2, 0, 1))
    click(root, "output", (1, 2))
    assert Picture(root).side == "output"
    for output, picture in walk(root, "output", (2, 3)):
        assert picture.window() == tuple([position * 2 + tap for tap in range(3)] for position in output)


def test_bars_are_as_long_as_their_counts(open_window):
    root = open_window((3, 2, 0, 1))
    bars = root.locator("[data-bar='columns']").evaluate_all(
        "(bars) => bars.map((bar) => [Number(bar.dataset.value), bar.getBoundingClientRect().height])"
    )
    counts, heights = np.array(bars).T
    np.testing.assert_array_equal(counts, Picture(root).numbers("columns")[0])
    np.testing.assert_allclose(heights / heights.max(), counts / counts.max(), atol=0.02)


def test_centre_is_in_four_windows(show):
    root = show(CoverageExplorer(5, kernel_size=3, stride=2, padding=0, dilation=1))
    assert Picture(root).sentence == (
        "Element (2, 2). Along the rows 2 windows hold row 2, along the columns 2 windows hold column 2: 2 · 2 = 4. "
        "4 windows hold the element: the outputs in rows 0 to 1, columns 0 to 1."
    )


def test_a_setting_that_the_library_refuses_says_its_sentence(open_window):
    root = open_window((3, 2, 0, 1))
    choose(root, "padding", 2)
    assert Picture(root).sentence == "padding must be at most half of kernel_size; got padding=2, kernel_size=3."


def test_keys_move_the_pick_and_change_sides(open_window):
    root = open_window((3, 2, 0, 1))
    root.locator("[data-grid='input']").focus()
    root.page.keyboard.press("ArrowRight")
    assert Picture(root).grids["input"]["picked"] == [[2, 4]]
    root.page.keyboard.press("Enter")
    picture = Picture(root)
    assert (picture.side, picture.grids["output"]["picked"]) == ("output", [[0, 1]])


@pytest.mark.parametrize("width", [900, 360])
def test_every_setting_stays_within_the_picture(open_window, width):
    root = open_window((3, 2, 0, 1), viewport={"width": width, "height": 900})
    for name, picture in every_control(root):
        assert picture.outside == [], name


def test_new_picture_comes_at_once(show):
    root = show(CoverageExplorer(12))
    moves = {
        "control": (root.locator("[data-control='stride'] input:checked"), latency.BOTH),
        "arrow key": (root.locator("[data-grid='input']"), latency.BOTH),
    }
    latency.hold(root, moves)
