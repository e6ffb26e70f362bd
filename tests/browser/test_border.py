"""The border explorable on a plain page: padding, divisors and indices, as the loops have them."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.widgets import BorderExplorer
from tests.browser import latency
from tests.browser.picture import Picture, every_control, walk

pytestmark = pytest.mark.browser

X = np.array([[-1, -5, 2, -4, 3, -6], [-7, -2, -8, 1, -3, 5], [4, -9, -1, -2, -6, -4],
              [-5, -3, -7, 6, -8, -2], [-2, 8, -4, -1, -9, 7]], float)  # fmt: skip
BATCH = X[None, None]
RULES = [
    {"count_include_pad": True, "divisor_override": None},
    {"count_include_pad": False, "divisor_override": None},
    {"count_include_pad": True, "divisor_override": 4},
]


@pytest.fixture
def open_border(show):
    """Opens an explorable at a setting of its controls."""

    def opened(options=None, **values):
        widget = BorderExplorer(X)
        with widget.hold_trait_notifications():
            for name, value in values.items():
                setattr(widget, name, value)
        return show(widget, **(options or {}))

    return opened


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_average_and_divisors_are_those_of_the_loops(open_border, rules, ceil_mode):
    y = loops.avg_pool(BATCH, 3, 2, 1, 1, ceil_mode, **rules)[0, 0]
    sums = loops.avg_pool(BATCH, 3, 2, 1, 1, ceil_mode, divisor_override=1)[0, 0]
    picture = Picture(open_border(operation="average", ceil_mode=ceil_mode, **rules))
    np.testing.assert_allclose(picture.numbers("output"), y, atol=0.006)
    np.testing.assert_allclose(sums / picture.numbers("beside"), y)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_gradient_view_is_the_backward_pass_of_the_loops(open_border, rules):
    expected = loops.avg_pool_backward(np.ones((1, 1, 3, 3)), BATCH.shape, 3, 2, 1, **rules)[0, 0]
    picture = Picture(open_border(operation="average", show="gradient", **rules))
    np.testing.assert_allclose(picture.numbers("input"), expected, atol=1e-9)


def test_shares_of_each_window_are_what_the_loops_pass_back(open_border):
    for output, picture in walk(open_border(operation="average"), "output", (3, 3)):
        grad = np.zeros((1, 1, 3, 3))
        grad[0, 0][output] = 1
        expected = loops.avg_pool_backward(grad, BATCH.shape, 3, 2, 1)
        shares = [text for text in picture.grids["shares"]["values"] if text != "–"]
        assert shares == ["1/9"] * np.count_nonzero(expected)


def test_saved_indices_are_those_of_the_loops(open_border):
    indices = loops.max_pool(BATCH, 3, 2, 1, return_indices=True)[1][0, 0]
    root = open_border()
    np.testing.assert_array_equal(Picture(root).numbers("beside"), indices)
    for output, picture in walk(root, "output", (3, 3)):
        (winner,) = picture.named("winner")
        assert np.ravel_multi_index(winner["cell"], X.shape) == indices[output]


def test_forgotten_padding_is_marked_where_it_points(open_border):
    for _, picture in walk(open_border(), "output", (3, 3)):
        row, column = picture.named("winner")[0]["cell"]
        flat = (row + 1) * 6 + column + 1
        wrong = [tuple(mark["cell"]) for mark in picture.named("wrong")]
        assert wrong == ([divmod(flat, 6)] if flat < 30 else [])


def test_index_is_worked_in_numbers(open_border):
    notes = open_border(picked_output=(1, 1)).locator(".gx-notes").inner_text().replace("\u00a0", " ")
    assert "(2 − 1 + 2) · 6 + (2 − 1 + 2) = 21" in notes
    assert "(2 + 2) · 6 + (2 + 2) = 28, input (4, 4)" in notes


def test_padding_of_zero_wins_over_negative_elements(open_border):
    picture = Picture(open_border(padding_value="0"))
    assert (picture.grids["output"]["values"][0], picture.grids["beside"]["values"][0]) == ("0", "–")
    assert picture.sentence.endswith(
        "A padding of 0 is larger than every element here: it wins, and the gradient is lost."
    )


def test_sentence_says_what_each_divisor_does(open_border):
    root = open_border(operation="average")
    start = "Output (0, 0) is −1.667. Its window holds 4 elements and 5 of padding; the sum is divided by 9."
    assert Picture(root).sentence == (
        f"{start} Backward, each element gets 1/9 of its gradient: 5/9 falls on padding and is lost."
    )


def test_taps_beyond_the_padding_are_said_apart(open_border):
    root = open_border(operation="average", ceil_mode=True, picked_output=(2, 3))
    assert "holds 2 elements, 4 of padding and 3 beyond it; the sum is divided by 6." in Picture(root).sentence


def test_arrow_keys_move_the_window(open_border):
    root = open_border()
    root.locator("[data-grid='output']").focus()
    root.page.keyboard.press("ArrowDown")
    assert Picture(root).window() == ([1, 2, 3], [-1, 0, 1])


@pytest.mark.parametrize("width", [900, 360])
@pytest.mark.parametrize("operation", ["max", "average"])
def test_every_setting_stays_within_the_picture(open_border, width, operation):
    root = open_border({"viewport": {"width": width, "height": 900}}, operation=operation)
    for name, picture in every_control(root):
        assert picture.outside == [], name


def test_new_picture_comes_at_once(show):
    root = show(BorderExplorer(np.arange(64.0).reshape(8, 8)))
    moves = {
        "control": (root.locator("[data-control='kernel_size'] input:checked"), latency.BOTH),
        "arrow key": (root.locator("[data-grid='output']"), latency.BOTH),
    }
    latency.hold(root, moves)
