"""The tie explorable on a plain page: who is paid, and whether the sum is kept."""

import numpy as np
import pytest

from course_lib import routing
from course_lib.widgets import TieExplorer
from course_lib.widgets.tie_table import WINDOWS
from tests.browser import latency
from tests.browser.picture import Picture, every_control, number

pytestmark = pytest.mark.browser


def balance(root, grid):
    """The line below a grid."""
    return root.locator(f"[data-balance='{grid}']").text_content()


@pytest.fixture
def open_ties(show):
    """Opens an explorable at a setting of its controls."""

    def opened(window="all equal", ties="first", **options):
        widget = TieExplorer()
        widget.window, widget.ties = window, ties
        return show(widget, **options)

    return opened


@pytest.mark.parametrize("ties", routing.TIES)
@pytest.mark.parametrize("window", WINDOWS)
def test_page_shows_whom_each_rule_pays(open_ties, window, ties):
    x = np.array(WINDOWS[window])[None, None]
    paths = routing.max_routes(x, 2, ties=ties)
    expected = paths.backward(np.full(paths.shape_out, 6.0))[0, 0]
    root = open_ties(window, ties)
    picture = Picture(root)
    np.testing.assert_allclose(picture.numbers("chosen"), expected)
    paid = {tuple(mark["cell"]) for mark in picture.named("winner", "window")}
    assert paid == set(map(tuple, np.argwhere(expected).tolist()))
    assert balance(root, "chosen") == "✓ sum 6"


@pytest.mark.parametrize(("window", "total"), [("two equal", 12), ("all equal", 24), ("NaN", 0)])
def test_mask_is_marked_where_it_does_not_keep_the_sum(open_ties, window, total):
    root = open_ties(window, "mask")
    assert Picture(root).numbers("chosen").sum() == total
    assert balance(root, "chosen") == f"✗ sum {total}, not 6"


def test_max_pool2d_and_amax_stand_beside_the_rule(open_ties):
    picture = Picture(open_ties("two equal", "last"))
    np.testing.assert_array_equal(picture.numbers("max_pool2d"), [[6, 0], [0, 0]])
    np.testing.assert_array_equal(picture.numbers("amax"), [[3, 0], [3, 0]])


def test_not_a_number_is_written_as_a_word(open_ties):
    picture = Picture(open_ties("NaN"))
    assert picture.grids["window"]["values"] == ["1", "NaN", "NaN", "5"]
    assert {tuple(mark["cell"]) for mark in picture.named("equal", "window")} == {(0, 1)}


def test_zeros_of_both_signs_are_told_apart(open_ties):
    assert Picture(open_ties("−0.0 and 0.0")).grids["window"]["values"][:2] == ["−0.0", "0.0"]


def test_sentence_is_that_of_the_table(open_ties):
    assert Picture(open_ties("two equal", "split")).sentence == "2 elements tie at 5. Each gets an equal share, 6 / 2."


def test_keys_change_the_rule(open_ties):
    root = open_ties()
    root.locator("[data-control='ties'] input:checked").focus()
    root.page.keyboard.press("ArrowRight")
    np.testing.assert_array_equal([number(text) for text in Picture(root).grids["chosen"]["values"]], [0, 0, 0, 6])


@pytest.mark.parametrize("width", [900, 360])
def test_every_setting_stays_within_the_picture(open_ties, width):
    root = open_ties(viewport={"width": width, "height": 900})
    for name, picture in every_control(root):
        assert picture.outside == [], name


def test_new_picture_comes_at_once(open_ties):
    root = open_ties()
    latency.hold(root, {"control": (root.locator("[data-control='window'] input:checked"), latency.BOTH)})
