"""The kernel-gradient explorable on a plain page: every pick shows the products that the loops would sum."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.widgets import KernelGradientExplorer
from tests.browser import latency
from tests.browser.picture import Picture, choose, click, number, walk

pytestmark = pytest.mark.browser

X = np.array([[1, 2, 0, 3, 1], [0, 1, 4, 2, 2], [5, 1, 0, 1, 3], [2, 2, 1, 0, 1], [1, 3, 2, 4, 0]], float)
WEIGHT = np.array([[1, -1, 2], [0, 3, -2], [1, 1, 4]], float)
WINDOWS = [(1, 0, 1), (1, 1, 1), (2, 1, 1), (1, 1, 2)]
GRIDS = ("input", "weight", "output")


@pytest.fixture
def open_window(show):
    """Opens an explorable at a window: its root, the upstream gradient, and grad_input and grad_weight by the loops."""

    def opened(window, **values):
        widget = KernelGradientExplorer(X, WEIGHT)
        with widget.hold_trait_notifications():
            for name, value in {**dict(zip(("stride", "padding", "dilation"), window, strict=True)), **values}.items():
                setattr(widget, name, value)
        root = show(widget)
        upstream = Picture(root).numbers("output")
        grads = loops.conv_backward(upstream[None, None], X[None, None], WEIGHT[None, None], *window)
        return root, upstream, grads[0][0, 0], grads[1][0, 0]

    return opened


def total(picture):
    """The sum that the last small grid states, and the sum of the products that it shows."""
    title = picture.titles["products"]
    return number(title.rsplit(" ", 1)[1]), picture.numbers("products").sum()


def marked(picture, grid):
    """The real cells of one grid inside a frame that is not the pick."""
    shape = np.zeros(picture.grids[grid]["shape"], bool)
    for mark in picture.marks:
        if mark["on"] == grid and mark["kind"] != "picked":
            for at in [(row, column) for row in mark["rows"] for column in mark["columns"]]:
                if all(0 <= position < size for position, size in zip(at, shape.shape, strict=True)):
                    shape[at] = True
    return shape


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_products_of_every_weight_add_up_to_its_gradient(open_window, window):
    root, _, _, grad_weight = open_window(window)
    for weight, picture in walk(root, "weight", WEIGHT.shape):
        assert total(picture) == (grad_weight[weight], grad_weight[weight])


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_products_of_every_input_add_up_to_its_gradient(open_window, window):
    root, _, grad_input, _ = open_window(window)
    for element, picture in walk(root, "input", X.shape):
        if "no window holds it" in picture.sentence:
            assert grad_input[element] == 0
        else:
            assert total(picture) == (grad_input[element], grad_input[element])


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_a_weight_marks_the_inputs_it_meets(open_window, window):
    root, upstream, _, _ = open_window(window)
    for weight, picture in walk(root, "weight", WEIGHT.shape):
        # A kernel that is 1 at this weight alone sends gradient to exactly the inputs that it meets.
        alone = np.zeros((1, 1, 3, 3))
        alone[0, 0, *weight] = 1
        sent = loops.conv_backward(np.ones((1, 1, *upstream.shape)), X[None, None], alone, *window)[0][0, 0]
        np.testing.assert_array_equal(marked(picture, "input"), sent > 0)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_an_input_marks_the_outputs_that_read_it(open_window, window):
    root, _, _, _ = open_window(window)
    for element, picture in walk(root, "input", X.shape):
        alone = np.zeros((1, 1, 5, 5))
        alone[0, 0, *element] = 1
        read = loops.conv(alone, np.ones((1, 1, 3, 3)), None, *window)[0, 0]
        np.testing.assert_array_equal(marked(picture, "output"), read > 0)


def test_an_inner_input_meets_the_kernel_reversed(open_window):
    root, _, _, _ = open_window((1, 1, 1))
    click(root, "input", (2, 2))
    np.testing.assert_array_equal(Picture(root).numbers("second"), WEIGHT[::-1, ::-1])


def test_an_output_adds_its_window_times_its_gradient(open_window):
    root, upstream, _, _ = open_window((1, 0, 1))
    click(root, "output", (0, 2))
    picture = Picture(root)
    np.testing.assert_array_equal(picture.numbers("second"), X[0:3, 2:5] * upstream[0, 2])
    np.testing.assert_array_equal(picture.numbers("products"), WEIGHT * upstream[0, 2])


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_gradient_view_shows_what_the_backward_pass_gives(open_window, window):
    root, _, grad_input, grad_weight = open_window(window)
    choose(root, "show", "gradients")
    picture = Picture(root)
    np.testing.assert_array_equal(picture.numbers("input"), grad_input)
    np.testing.assert_array_equal(picture.numbers("weight"), grad_weight)


def test_sentence_writes_out_the_sum(open_window):
    root, _, _, _ = open_window((2, 0, 1), picked_weight=(0, 1))
    assert Picture(root).sentence == (
        "Weight (0, 1) met 4 elements, one for each output. grad_weight (0, 1) = 2·3 + 3·1 + 1·0 + 1·(−1) = 8."
    )


def test_sentence_counts_the_padding(open_window):
    root, _, _, _ = open_window((2, 1, 1), picked_weight=(0, 0))
    assert "met 9 elements, one for each output, 5 of them padding." in Picture(root).sentence


def test_keys_move_the_pick_and_enter_goes_round(open_window):
    root, _, _, _ = open_window((1, 0, 1), picked_weight=(0, 0))
    root.locator("[data-grid='weight']").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown"):
        root.page.keyboard.press(key)
    assert Picture(root).grids["weight"]["picked"] == [[2, 1]]
    sides = []
    for _ in range(3):
        root.page.keyboard.press("Enter")
        sides.append((Picture(root).side, root.page.evaluate("document.activeElement.dataset.grid")))
    assert sides == [(name, name) for name in ("input", "output", "weight")]


@pytest.mark.parametrize("width", [900, 360])
def test_every_text_lies_inside_the_picture(open_window, show, width):
    root = show(KernelGradientExplorer(X, WEIGHT), viewport={"width": width, "height": 900})
    for padding in (0, 1):
        choose(root, "padding", padding)
        assert Picture(root).outside == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_new_picture_comes_at_once(show, scheme):
    widget = KernelGradientExplorer(np.arange(64.0).reshape(8, 8), np.arange(9.0).reshape(3, 3), padding=(0, 1, 2))
    root = show(widget, color_scheme=scheme)
    moves = {
        "control": (root.locator("[data-control='stride'] input:checked"), latency.BOTH),
        "weight": (root.locator("[data-grid='weight']"), latency.BOTH),
        "input": (root.locator("[data-grid='input']"), latency.BOTH),
    }
    latency.hold(root, moves)
