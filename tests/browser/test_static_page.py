"""The routing explorable on a plain page opened from disk: no kernel, no server, no other file."""

import json
from itertools import product

import numpy as np
import pytest

from course_lib import loops
from course_lib.widgets import RoutingExplorer, fragment, head
from tests.browser import latency
from tests.browser.picture import Picture, choose, click, clicks, walk

pytestmark = pytest.mark.browser

GRID = np.array(
    [
        [0.12, 0.55, 0.31, 0.90, 0.07, 0.43],
        [0.66, 0.21, 0.84, 0.18, 0.39, 0.72],
        [0.05, 0.77, 0.48, 0.60, 0.29, 0.14],
        [0.93, 0.36, 0.02, 0.51, 0.81, 0.24],
        [0.45, 0.68, 0.57, 0.10, 0.34, 0.99],
    ]
)
TIED = np.array([[5.0, 5.0, 1.0], [2.0, 5.0, 0.0], [3.0, 4.0, 4.0]])
# Tiles, overlapping windows, and overlapping windows over padding.
WINDOWS = [(2, 2, 0), (3, 1, 0), (3, 2, 1)]


def explorer(x=GRID, **values):
    """A widget that starts with some values of its controls."""
    widget = RoutingExplorer(x, kernel_size=(2, 3), stride=(1, 2), padding=(0, 1))
    with widget.hold_trait_notifications():
        for name, value in values.items():
            setattr(widget, name, value)
    return widget


def shares(operation, x, window, output):
    """What one output's upstream gradient of 1 gives to each input element, by the plain loops."""
    batch = x[None, None]
    if operation == "max":
        y, indices = loops.max_pool(batch, *window, return_indices=True)
        return loops.max_pool_backward(one_hot(y.shape, output), indices, batch.shape)[0, 0]
    y = loops.avg_pool(batch, *window)
    return loops.avg_pool_backward(one_hot(y.shape, output), batch.shape, *window)[0, 0]


def one_hot(shape, output):
    """An upstream gradient of 1 at one output and 0 elsewhere."""
    grad = np.zeros(shape)
    grad[0, 0, *output] = 1
    return grad


def all_shares(operation, x, window):
    """`shares` of every output: (*output, *input)."""
    shape = loops.avg_pool(x[None, None], *window).shape[2:]
    return np.array([shares(operation, x, window, output) for output in np.ndindex(*shape)]).reshape(*shape, *x.shape)


def set_window(root, operation, window):
    """Chooses an operation and a window."""
    for name, value in zip(("operation", "kernel_size", "stride", "padding"), (operation, *window), strict=True):
        choose(root, name, value)


@pytest.mark.parametrize("operation", ["max", "average"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_page_shows_where_each_output_sends_its_gradient(show, operation, window):
    root = show(explorer())
    set_window(root, operation, window)
    expected = all_shares(operation, GRID, window)
    for output, picture in walk(root, "output", expected.shape[:2]):
        assert picture.grids["output"]["picked"] == [list(output)]
        np.testing.assert_allclose(picture.weights(), expected[output], atol=1e-9)


@pytest.mark.parametrize("operation", ["max", "average"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_page_shows_what_each_input_receives(show, operation, window):
    root = show(explorer())
    set_window(root, operation, window)
    expected = all_shares(operation, GRID, window)
    holds = all_shares("average", GRID, window) > 0
    for element, picture in walk(root, "input", GRID.shape):
        np.testing.assert_allclose(picture.received(), expected[:, :, *element], atol=1e-9)
        assert len(picture.named("holder")) == holds[:, :, *element].sum()


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_page_frames_the_window_of_the_picked_output(show, window):
    root = show(explorer())
    set_window(root, "average", window)
    kernel, stride, padding = window
    click(root, "output", (1, 1))
    first = stride - padding
    assert Picture(root).window() == (list(range(first, first + kernel)),) * 2


@pytest.mark.parametrize("operation", ["max", "average"])
def test_gradient_view_shows_the_sum_from_all_outputs(show, operation):
    root = show(explorer(operation=operation, kernel_size=3, show="gradient"))
    expected = all_shares(operation, GRID, (3, 1, 0)).sum(axis=(0, 1))
    np.testing.assert_allclose(Picture(root).numbers("input"), expected, atol=1e-9)


def test_coverage_view_shows_how_many_windows_hold_each_element(show):
    root = show(explorer(kernel_size=3, show="coverage"))
    expected = (all_shares("average", GRID, (3, 1, 0)) > 0).sum(axis=(0, 1))
    np.testing.assert_array_equal(Picture(root).numbers("input"), expected)


@pytest.mark.parametrize("operation", ["max", "average"])
def test_value_view_shows_input_and_output(show, operation):
    picture = Picture(show(explorer(operation=operation)))
    pool = {"max": loops.max_pool, "average": loops.avg_pool}[operation]
    np.testing.assert_array_equal(picture.numbers("input"), GRID)
    np.testing.assert_allclose(picture.numbers("output"), pool(GRID[None, None], 2, 1)[0, 0], atol=0.006)


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("first", {(0, 0): 1}), ("last", {(1, 1): 1}), ("split", {(0, 0): 1 / 3, (0, 1): 1 / 3, (1, 1): 1 / 3})],
)
def test_page_shows_who_wins_a_tie(show, ties, expected):
    root = show(explorer(TIED, picked_output=(0, 0)))
    choose(root, "ties", ties)
    picture = Picture(root)
    assert {tuple(mark["cell"]): pytest.approx(mark["weight"]) for mark in picture.named("winner")} == expected
    assert {tuple(mark["cell"]) for mark in picture.named("equal")} == {(0, 0), (0, 1), (1, 1)} - set(expected)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_stand_on_their_elements(show, scheme):
    root = show(explorer(kernel_size=3, stride=2, padding=1, picked_output=(1, 2)), color_scheme=scheme)
    picture = Picture(root)
    (winner,) = picture.named("winner")
    np.testing.assert_allclose(centre(winner["box"]), centre(picture.box("input", winner["cell"])), atol=1)
    (frame,) = picture.named("window")
    rows, columns = picture.window()
    corners = [picture.box("input", (rows[0], columns[0])), picture.box("input", (rows[-1], columns[-1]))]
    expected = [*corners[0][:2], corners[1][0] + corners[1][2], corners[1][1] + corners[1][3]]
    left, top, width, height = frame["box"]
    np.testing.assert_allclose([left, top, left + width, top + height], expected, atol=3)


@pytest.mark.parametrize("width", [900, 360])
@pytest.mark.parametrize("operation", ["max", "average"])
def test_no_arrow_runs_across_a_number(show, operation, width):
    root = show(explorer(operation=operation, kernel_size=3), viewport={"width": width, "height": 900})
    for side, shape in (("output", (3, 4)), ("input", (5, 6))):
        for cell, picture in walk(root, side, shape, crossed=True):
            assert picture.crossed == [], (side, cell)


def test_an_input_that_no_window_holds_has_no_small_grids(show):
    widget = RoutingExplorer(GRID, kernel_size=2, stride=3, padding=0)
    widget.side, widget.picked_input = "input", (2, 2)
    root = show(widget)
    assert "no window holds it" in Picture(root).sentence
    assert not root.locator(".gx-detail .gx-title").first.is_visible()


def centre(box):
    """The middle of a box (left, top, width, height)."""
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def test_sentence_names_the_winner(show):
    root = show(explorer(kernel_size=3, picked_output=(1, 2)))
    assert Picture(root).sentence == (
        "Output (1, 2) is 0.84: its window covers rows 1 to 3, columns 2 to 4. "
        "The winner is input (1, 2) with value 0.84; it gets all of the upstream gradient 1."
    )


def test_sentence_says_what_an_input_receives(show):
    root = show(explorer(kernel_size=3, picked_input=(1, 2), side="input"))
    assert Picture(root).sentence == (
        "Input (1, 2) is 0.84: 6 windows hold it. It wins 3 of them: outputs (0, 0), (1, 1) and (1, 2). "
        "It receives 1 + 1 + 1 = 3."
    )


def test_sentence_says_what_is_lost_on_padding(show):
    root = show(explorer(operation="average", kernel_size=3, padding=1, picked_output=(0, 0)))
    assert Picture(root).sentence.endswith(
        "rows 0 to 1, columns 0 to 1 and some padding. "
        "Each of its 4 elements gets 1/9 of the upstream gradient 1. The share of the padding is lost."
    )


def test_sentence_is_announced(show):
    assert show(explorer()).locator(".gx-sentence").get_attribute("aria-live") == "polite"


def test_arrow_keys_move_the_pick_and_stop_at_the_edge(show):
    root = show(explorer(picked_output=(0, 0)))
    root.locator("[data-grid='output']").focus()
    for key, place in [("ArrowLeft", [0, 0]), ("ArrowDown", [1, 0]), ("ArrowRight", [1, 1]), ("End", [1, 4]),
                       ("ArrowRight", [1, 4]), ("Home", [1, 0]), ("ArrowUp", [0, 0])]:  # fmt: skip
        root.page.keyboard.press(key)
        assert Picture(root).grids["output"]["picked"] == [place]


def test_enter_follows_the_gradient_to_the_winner_and_back(show):
    root = show(explorer(picked_output=(1, 2)))
    root.locator("[data-grid='output']").focus()
    root.page.keyboard.press("Enter")
    picture = Picture(root)
    assert (picture.side, picture.grids["input"]["picked"]) == ("input", [[1, 2]])
    root.page.keyboard.press("Enter")
    assert Picture(root).side == "output"


def test_tab_reaches_every_control_and_both_grids(show):
    root = show(explorer())
    reached = []
    for _ in range(8):
        root.page.keyboard.press("Tab")
        reached.append(root.page.evaluate(
            "document.activeElement.closest('[data-control]')?.dataset.control ?? document.activeElement.dataset.grid"
        ))  # fmt: skip
    assert reached == ["operation", "kernel_size", "stride", "padding", "ties", "show", "input", "output"]


def test_a_choice_that_does_not_go_gives_way_to_the_nearest(show):
    widget = RoutingExplorer(GRID, kernel_size=(4, 2), stride=1, padding=(2, 1, 0))
    root = show(widget)
    choose(root, "kernel_size", 2)
    assert Picture(root).setting == "max 2 1 1 first"
    assert root.locator("[data-control='padding'] input[value='2']").is_disabled()


def test_a_pick_outside_a_smaller_output_moves_inside(show):
    root = show(explorer(picked_output=(3, 4)))
    choose(root, "stride", 2)
    assert Picture(root).grids["output"]["picked"] == [[1, 2]]


def test_page_asks_for_no_other_file(show):
    root = show(explorer())
    for option in ("average", "max"):
        choose(root, "operation", option)
    assert len(root.page.requests) == 1


def test_not_a_number_wins_and_is_written_as_a_word(show):
    x = GRID.copy()
    x[0, 0] = np.nan
    picture = Picture(show(explorer(x, picked_output=(0, 0))))
    assert picture.grids["output"]["values"][0] == "NaN"
    np.testing.assert_array_equal(np.argwhere(picture.weights()), [[0, 0]])


def test_texts_of_a_table_are_never_read_as_markup(tabs, tmp_path):
    state = explorer().state()
    trap = "</script><img src=x onerror='document.body.dataset.broken=1'>"
    state["table"] = state["table"].replace('"label":"stride"', f'"label":"{trap}"')
    path = tmp_path / "trap.html"
    path.write_text(f"<!doctype html><body>{head()}{fragment(state)}", encoding="utf-8")
    tab = tabs.lend()
    tab.goto(path.as_uri())
    tab.wait_for_selector(".gx[data-drawn]")
    assert tab.locator("[data-control='stride'] .gx-name").inner_text() == trap
    assert tab.locator("img").count() == 0
    tabs.take_back(tab)


def test_two_views_of_one_model_agree(tabs, tmp_path):
    state = json.dumps(explorer(show="gradient").state()).replace("<", "\\u003c")
    both = f"const model = pageModel({state}); for (let i = 0; i < 2; i += 1) render({{ model, el: document.body }});"
    path = tmp_path / "two.html"
    path.write_text(f"<!doctype html><body>{head().replace('mountAll(document);', both)}", encoding="utf-8")
    tab = tabs.lend()
    tab.goto(path.as_uri())
    one, other = tab.locator(".gx").nth(0), tab.locator(".gx").nth(1)
    choose(one, "stride", 2)
    click(one, "output", (1, 1))
    assert (Picture(other).setting, Picture(other).arrows) == (Picture(one).setting, Picture(one).arrows)
    tabs.take_back(tab)


def test_new_picture_of_the_largest_input_comes_at_once(show):
    x = np.random.default_rng(5).integers(0, 256, (16, 16)).astype(np.uint8)
    latency.hold(show(RoutingExplorer(x)))


def test_every_setting_draws(show):
    names = ("operation", "kernel_size", "stride", "padding")
    settings = list(product(("max", "average"), (2, 3), (1, 2), (0, 1)))
    nodes = []
    for setting in settings:
        nodes += [
            [f"[data-control='{name}'] input[value='{value}']", 0] for name, value in zip(names, setting, strict=True)
        ]
        nodes += [[f"[data-grid='{side}'] [data-cell='0,0']", 0] for side in ("input", "output")]
    pictures = [picture for number, picture in enumerate(clicks(show(explorer(TIED)), nodes)) if number % 6 > 3]
    drawn = [(picture.setting, picture.side) for picture in pictures]
    words = [" ".join(map(str, setting)) + " first" for setting in settings]
    assert drawn == list(product(words, ("input", "output")))
