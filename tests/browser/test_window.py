"""The window explorable on a plain page: every output's window, and what it makes of it."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.widgets import WindowExplorer
from tests.browser import latency
from tests.browser.picture import Picture, choose, click, every_control, number, walk

pytestmark = pytest.mark.browser

X = np.array([[3, 7, 1, 0, 5, 2, 9], [4, 6, 8, 2, 1, 3, 0], [9, 0, 5, 7, 4, 6, 1],
              [2, 8, 3, 9, 0, 5, 7], [1, 4, 6, 2, 8, 3, 5]], float)  # fmt: skip
# Kernel size, stride, padding, dilation, ceil mode.
WINDOWS = [(2, 2, 0, 1, False), (3, 2, 1, 1, False), (2, 2, 0, 1, True), (3, 1, 1, 2, False)]
NAMES = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


@pytest.fixture
def open_window(show):
    """Opens an explorable at a setting of its controls."""

    def opened(window, operation="max", **options):
        widget = WindowExplorer(X)
        with widget.hold_trait_notifications():
            for name, value in zip(("operation", *NAMES), (operation, *window), strict=True):
                setattr(widget, name, value)
        return show(widget, **options)

    return opened


@pytest.mark.parametrize("operation", ["max", "average"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_page_shows_the_outputs_of_the_loops(open_window, window, operation):
    pool = {"max": loops.max_pool, "average": loops.avg_pool}[operation]
    picture = Picture(open_window(window, operation))
    np.testing.assert_allclose(picture.numbers("output"), pool(X[None, None], *window)[0, 0], atol=0.006)
    np.testing.assert_array_equal(picture.numbers("input"), X)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_window_and_winner_of_each_output_are_those_of_the_loops(open_window, window):
    kernel, stride, padding, dilation, _ = window
    indices = loops.max_pool(X[None, None], *window, return_indices=True)[1][0, 0]
    for output, picture in walk(open_window(window), "output", indices.shape):
        taps = np.arange(kernel) * dilation
        assert picture.window() == tuple((position * stride - padding + taps).tolist() for position in output)
        (winner,) = picture.named("winner")
        assert np.ravel_multi_index(winner["cell"], X.shape) == indices[output]


def test_dilated_taps_are_marked_apart(open_window):
    picture = Picture(open_window((3, 1, 1, 2, False)))
    assert len(picture.named("tap")) == 9


def test_average_is_the_sum_of_the_window_over_the_divisor_in_the_gap(open_window):
    root = open_window((3, 2, 1, 1, False), "average")
    picture = Picture(root)
    real = [number(text) for text in picture.grids["window"]["values"]]
    divisor = int(root.locator(".gx-tag text").text_content().removeprefix("÷ "))
    picked = tuple(picture.grids["output"]["picked"][0])
    np.testing.assert_allclose(sum(real) / divisor, picture.numbers("output")[picked], atol=0.006)


def test_elements_in_no_window_are_hatched(open_window):
    free = {tuple(mark["cell"]) for mark in Picture(open_window((2, 2, 0, 1, False))).named("free")}
    assert free == {(row, column) for row in range(5) for column in range(7) if row == 4 or column == 6}


def test_size_of_the_output_is_worked_in_numbers(open_window):
    notes = open_window((3, 2, 1, 1, False)).locator(".gx-notes").inner_text()
    assert "⌊(7 + 2·1 − 1·(3 − 1) − 1) / 2⌋ + 1 = ⌊6 / 2⌋ + 1 = 4" in notes


def test_a_setting_that_the_library_refuses_says_its_sentence_and_goes_away(open_window):
    root = open_window((4, 2, 2, 1, False))
    choose(root, "kernel_size", 3)
    refused = Picture(root)
    assert refused.sentence == "padding must be at most half of kernel_size; got padding=2, kernel_size=3."
    assert not root.locator("[data-grid='output']").is_visible()
    choose(root, "padding", 1)
    assert Picture(root).sentence.startswith("Output (")


def test_buttons_and_arrow_keys_move_the_window(open_window):
    root = open_window((2, 2, 0, 1, False))
    root.locator("[data-action='next']").click()
    assert Picture(root).grids["output"]["picked"] == [[0, 2]]
    root.locator("[data-action='back']").click()
    root.locator("[data-grid='output']").focus()
    for key, place in [("ArrowDown", [1, 1]), ("ArrowRight", [1, 2]), ("ArrowRight", [1, 2]), ("Home", [1, 0])]:
        root.page.keyboard.press(key)
        assert Picture(root).grids["output"]["picked"] == [place]


def test_slide_runs_to_the_last_window_and_stops(open_window):
    root = open_window((4, 3, 0, 1, False))
    click(root, "output", (0, 0))
    root.locator("[data-action='slide']").click()
    root.page.wait_for_selector("[data-action='slide'][aria-pressed='false']")
    assert Picture(root).grids["output"]["picked"] == [[0, 1]]


@pytest.mark.parametrize("width", [900, 360])
def test_no_setting_hides_a_number_or_leaves_the_picture(open_window, width):
    root = open_window((2, 2, 0, 1, False), viewport={"width": width, "height": 900})
    seen = set()
    for name, picture in every_control(root, crossed=True):
        assert (picture.outside, picture.crossed) == ([], []), name
        seen.add(picture.setting)
    assert len(seen) > 8


def test_new_picture_comes_at_once(show):
    root = show(WindowExplorer(np.arange(144.0).reshape(12, 12)))
    moves = {
        "control": (root.locator("[data-control='stride'] input:checked"), latency.BOTH),
        "arrow key": (root.locator("[data-grid='output']"), latency.BOTH),
    }
    latency.hold(root, moves)
