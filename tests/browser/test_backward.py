"""The backward stepper on a plain page: step by step, to the gradient of the loops."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.widgets import BackwardStepper
from tests.browser import latency
from tests.browser.picture import Picture, choose, click, clicks, number

pytestmark = pytest.mark.browser

X = np.array([[3, 1, 2, 0], [4, 9, 5, 1], [2, 6, 8, 7], [0, 5, 1, 3]], float)
WINDOWS = [(2, 1), (3, 1), (2, 2)]
FORMS = [("scatter", "+="), ("scatter", "="), ("gather", "+=")]


@pytest.fixture
def open_stepper(show):
    """Opens a stepper at a setting of its controls."""

    def opened(operation="max", form="scatter", write="+=", window=(2, 1), step=0, **options):
        widget = BackwardStepper(X, kernel_size=(2, 3), stride=(1, 2))
        values = {"operation": operation, "form": form, "write": write, "kernel_size": window[0], "stride": window[1]}
        for name, value in {**values, "step": step}.items():
            setattr(widget, name, value)
        return show(widget, **options)

    return opened


def passes(operation, window, write, outputs):
    """grad_input by the loops once the first outputs have sent a gradient of 1."""
    y, indices = loops.max_pool(X[None, None], *window, return_indices=True)
    total = np.zeros(X.size)
    for output in range(outputs):
        grad = np.zeros(y.size)
        grad[output] = 1
        grad = grad.reshape(y.shape)
        if operation == "max":
            one = loops.max_pool_backward(grad, indices, (1, 1, *X.shape)).ravel()
        else:
            one = loops.avg_pool_backward(grad, (1, 1, *X.shape), *window).ravel()
        total = total + one if write == "+=" else np.where(one != 0, one, total)
    return total


def shown(picture, grid):
    """The numbers of a grid, flat; None where nothing stands yet."""
    return [number(text) if text else None for text in picture.grids[grid]["values"]]


def steps_forward(root, times, crossed=False):
    """The pictures after each of some presses of the button; fewer, where the last step comes before."""
    return [picture for picture in clicks(root, [["[data-action='forward']", 0]] * times, crossed) if picture]


@pytest.mark.parametrize("operation", ["max", "average"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("write", ["+=", "="])
def test_scatter_shows_the_running_sum_of_the_loops(open_stepper, operation, window, write):
    pool = {"max": loops.max_pool, "average": loops.avg_pool}[operation]
    y = pool(X[None, None], *window).ravel()
    root = open_stepper(operation, "scatter", write, window, step=y.size)
    np.testing.assert_allclose(shown(Picture(root), "y"), y, atol=0.006)
    for outputs, picture in zip(range(1, y.size + 1), steps_forward(root, y.size), strict=True):
        found = shown(picture, "grad_input")
        np.testing.assert_allclose(found, passes(operation, window, write, outputs), atol=1e-9)


@pytest.mark.parametrize("operation", ["max", "average"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_gather_writes_one_input_after_another(open_stepper, operation, window):
    size = loops.max_pool(X[None, None], *window).size
    expected = passes(operation, window, "+=", size)
    root = open_stepper(operation, "gather", "+=", window, step=size)
    for inputs, picture in zip(range(1, X.size + 1), steps_forward(root, X.size), strict=True):
        found = shown(picture, "grad_input")
        np.testing.assert_allclose(found[:inputs], expected[:inputs], atol=1e-9)
        assert found[inputs:] == [None] * (X.size - inputs)


def test_forward_shows_one_output_after_another_and_its_winner(open_stepper):
    root = open_stepper()
    y, indices = loops.max_pool(X[None, None], 2, 1, return_indices=True)
    for outputs, picture in zip(range(1, y.size + 1), steps_forward(root, y.size), strict=True):
        assert shown(picture, "y") == [*y.ravel()[:outputs], *[None] * (y.size - outputs)]
        (winner,) = picture.named("winner", "x")
        assert np.ravel_multi_index(winner["cell"], X.shape) == indices.ravel()[outputs - 1]


def test_sentence_shows_the_sum(open_stepper):
    assert Picture(open_stepper(step=14)).sentence == (
        "Backward, output (1, 1): its gradient 1 is added at input (1, 1): 3 + 1 = 4."
    )


def test_sentence_says_what_an_assignment_loses(open_stepper):
    assert Picture(open_stepper(write="=", step=14)).sentence == (
        "Backward, output (1, 1): its gradient 1 is written to input (1, 1): 1, and the 1 that stood there is lost."
    )


def test_gradients_below_zero_have_a_minus_and_another_colour(show):
    root = show(BackwardStepper(X, np.array([[9.0, 27], [-18, 36]]), kernel_size=2, stride=2))
    cells = root.locator("[data-grid=grad_output] .gx-cell")
    assert [cells.nth(n).get_attribute("data-value") for n in range(4)] == ["9", "27", "−18", "36"]
    fills = [cells.nth(n).locator("rect").get_attribute("fill") for n in range(4)]
    assert fills == ["var(--gx-flow)", "var(--gx-flow)", "var(--gx-pick)", "var(--gx-flow)"]


def test_sentence_subtracts_what_is_below_zero(show):
    widget = BackwardStepper(X, np.array([[9.0, 27], [-18, 36]]), kernel_size=3, stride=1)
    widget.step = 7
    assert Picture(show(widget)).sentence.endswith("36 − 18 = 18.")


def test_sentence_says_what_an_input_collects(open_stepper):
    assert Picture(open_stepper("average", "gather", step=15)).sentence == (
        "Backward, input (1, 1) asks the 4 windows that hold it and collects 4 × 1/4 = 1. It is written once."
    )


def test_overwritten_elements_are_hatched(open_stepper):
    lost = {tuple(mark["cell"]) for mark in Picture(open_stepper(write="=", step=18)).named("lost", "grad_input")}
    differs = passes("max", (2, 1), "+=", 9) != passes("max", (2, 1), "=", 9)
    assert lost == set(map(tuple, np.argwhere(differs.reshape(X.shape)).tolist()))


def test_balance_is_stated_at_the_end(open_stepper):
    notes = open_stepper(write="=", step=18).locator(".gx-notes").inner_text().split("\n")
    assert notes == ["sum of grad_output", "9", "sum of grad_input", "4", "lost by =", "5 of 9"]


def test_arrows_end_where_the_gradient_goes(open_stepper):
    picture = Picture(open_stepper(form="gather", step=9 + 6))
    ends = {(tuple(arrow["start"]), tuple(arrow["end"])) for arrow in picture.arrows}
    assert ends == {((row, column), (1, 1)) for row in (0, 1) for column in (0, 1)}


def test_slider_and_buttons_go_to_both_ends(open_stepper):
    root = open_stepper()
    slider = root.locator("[data-control='step'] input")
    slider.focus()
    for key, step in [("ArrowRight", "1"), ("End", "18"), ("ArrowLeft", "17"), ("Home", "0")]:
        root.page.keyboard.press(key)
        assert root.locator("[data-control='step']").get_attribute("data-value") == step


def test_a_step_beyond_the_end_goes_back_with_the_form(open_stepper):
    root = open_stepper(form="gather", step=25)
    choose(root, "form", "scatter")
    assert root.locator("[data-control='step']").get_attribute("data-value") == "18"


def test_a_click_goes_to_the_step_of_an_element(open_stepper):
    root = open_stepper()
    click(root, "y", (1, 0))
    assert Picture(root).sentence.startswith("Forward, output (1, 0)")
    click(root, "grad_output", (2, 2))
    assert Picture(root).sentence.startswith("Backward, output (2, 2)")


@pytest.mark.parametrize("width", [900, 360])
@pytest.mark.parametrize(("form", "write"), FORMS)
def test_no_step_hides_a_number_or_leaves_the_picture(open_stepper, form, write, width):
    root = open_stepper("max", form, write, viewport={"width": width, "height": 900})
    pictures = steps_forward(root, 60, crossed=True)
    # Fewer than were asked for: the last step was reached.
    assert 9 < len(pictures) < 60
    for picture in pictures:
        assert (picture.outside, picture.crossed) == ([], []), picture.sentence


def test_new_picture_comes_at_once(show):
    stepper = BackwardStepper(np.arange(36.0).reshape(6, 6), kernel_size=(3, 2), stride=1)
    stepper.step = 20
    root = show(stepper)
    moves = {
        "control": (root.locator("[data-control='kernel_size'] input:checked"), latency.BOTH),
        "step": (root.locator("[data-control='step'] input"), latency.BOTH),
    }
    latency.hold(root, moves)
