"""The routing explorable in a real JupyterLab: a notebook is run, the widget driven by mouse, keyboard and Python."""

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_lib import loops
from tests.browser import contrast, latency
from tests.browser.lab import code_cells, errors, execute, use_theme
from tests.browser.picture import Picture, choose, click

pytestmark = pytest.mark.browser

X = np.array(
    [[3, 7, 1, 8, 2, 0], [5, 2, 9, 4, 6, 1], [0, 8, 3, 7, 5, 2], [6, 1, 4, 2, 9, 3], [2, 5, 7, 0, 1, 8]], float
)
CELLS = [
    new_markdown_cell("# Where does the gradient go?"),
    new_code_cell(f"import numpy as np\nfrom course_lib.widgets import RoutingExplorer\nx = np.array({X.tolist()})"),
    new_code_cell("explorer = RoutingExplorer(x, kernel_size=(2, 3), stride=(1, 2), padding=(0, 1))\nexplorer"),
]


@pytest.fixture(scope="module")
def opened(lab, browser):
    """A small notebook that was run in JupyterLab."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(new_notebook(cells=CELLS, metadata=kernel), lab.root / "routing.ipynb")
    page = lab.run(browser, "routing.ipynb", viewport={"width": 1280, "height": 900})
    page.wait_for_selector(".gx[data-drawn]")
    yield page
    lab.put_away(page)


@pytest.fixture
def root(opened):
    """The explorable, at the values it starts with."""
    execute(
        opened,
        "with explorer.hold_trait_notifications():\n"
        "    explorer.operation, explorer.kernel_size, explorer.stride, explorer.padding = 'max', 2, 1, 0\n"
        "    explorer.ties, explorer.show, explorer.side = 'first', 'values', 'output'\n"
        "explorer.picked_output, explorer.picked_input = (0, 0), (0, 0)",
    )
    root = opened.locator(".gx").first
    wait_for(root, lambda picture: picture.setting == "max 2 1 0 first" and picked(picture, "output") == [0, 0])
    root.scroll_into_view_if_needed()
    return root


def wait_for(root, condition):
    """Reads the picture until it fulfils the condition; the kernel's answer takes a moment."""
    for _ in range(400):
        picture = Picture(root)
        if condition(picture):
            return picture
        root.page.wait_for_timeout(50)
    raise AssertionError(f"the picture never came: {picture.setting}, {picture.sentence}")


def picked(picture, side):
    """The picked cell of a grid, or None."""
    return next(iter(picture.grids[side]["picked"]), None)


def winners(kernel_size, stride):
    """Row and column of each window's winner, by the plain loops: (*output, 2)."""
    indices = loops.max_pool(X[None, None], kernel_size, stride, return_indices=True)[1][0, 0]
    return np.stack(np.unravel_index(indices, X.shape), axis=-1)


def test_notebook_runs_without_an_error(opened):
    assert errors(opened) == []


def test_text_form_of_the_widget_is_one_short_line(opened):
    (output,) = code_cells(opened)[-1]["outputs"]
    assert output["data"]["text/plain"] == "RoutingExplorer(5 × 6 input)"


def test_control_changes_what_the_picture_shows(root):
    choose(root, "kernel_size", 3)
    choose(root, "stride", 2)
    expected = loops.max_pool(X[None, None], 3, 2)[0, 0]
    np.testing.assert_array_equal(Picture(root).numbers("output"), expected)


def test_clicked_output_shows_its_winner(root):
    choose(root, "kernel_size", 3)
    click(root, "output", (2, 1))
    picture = Picture(root)
    assert picture.window() == ([2, 3, 4], [1, 2, 3])
    np.testing.assert_array_equal(np.argwhere(picture.weights() == 1), [winners(3, 1)[2, 1]])


def test_arrow_keys_after_a_click_move_the_pick_and_not_the_notebook(root):
    cell = root.page.evaluate("window.jupyterapp.shell.currentWidget.content.activeCellIndex")
    click(root, "output", (2, 1))
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp"):
        root.page.keyboard.press(key)
    picture = Picture(root)
    assert picked(picture, "output") == [2, 3]
    np.testing.assert_array_equal(np.argwhere(picture.weights() == 1), [winners(2, 1)[2, 3]])
    # The click made the widget's cell the active one; the arrows left it there.
    assert root.page.evaluate("window.jupyterapp.shell.currentWidget.content.activeCellIndex") >= cell
    assert root.page.evaluate("document.activeElement.dataset.grid") == "output"


def test_arrow_keys_move_a_control_in_command_mode(root):
    root.page.evaluate("window.jupyterapp.commands.execute('notebook:enter-command-mode')")
    root.locator("[data-control='kernel_size'] input[value='2']").focus()
    root.page.keyboard.press("ArrowRight")
    assert Picture(root).setting == "max 3 1 0 first"
    root.page.keyboard.press("ArrowLeft")
    assert Picture(root).setting == "max 2 1 0 first"


def test_enter_follows_the_gradient(root):
    click(root, "output", (1, 1))
    root.page.keyboard.press("Enter")
    picture = Picture(root)
    assert picked(picture, "input") == winners(2, 1)[1, 1].tolist()
    assert root.page.evaluate("document.activeElement.dataset.grid") == "input"


def test_python_reads_what_the_reader_chose(root):
    choose(root, "kernel_size", 3)
    click(root, "input", (3, 4))
    root.page.wait_for_timeout(300)
    told = execute(root.page, "print(explorer.kernel_size, explorer.side, explorer.picked_input)")
    assert told == "3 input (3, 4)\n"


def test_python_drives_the_picture(root):
    execute(root.page, "explorer.kernel_size = 3; explorer.stride = 2; explorer.operation = 'average'")
    picture = wait_for(root, lambda picture: picture.setting == "average 3 2 0 first")
    np.testing.assert_allclose(picture.numbers("output"), loops.avg_pool(X[None, None], 3, 2)[0, 0], atol=0.006)


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_and_marks_stand_out_in_both_themes(root, theme):
    use_theme(root.page, theme)
    ratios = contrast.ratios(root)
    assert min(ratios[name] for name in ("sentence", "number", "hint")) >= 4.5, ratios
    assert min(ratios.values()) >= 3, ratios


def test_new_picture_comes_at_once(root):
    latency.hold(root)
