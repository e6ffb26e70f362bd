"""Predictions: on a page without a kernel, and in JupyterLab, where they are remembered."""

import json

import nbformat
import numpy as np
import pytest

from course_lib.widgets import bets, page, predict
from tests.browser.lab import errors, execute
from tools.convert import METADATA

pytestmark = pytest.mark.browser

GRID = np.array([[1.0, -4.5, 2.0], [0.5, 3.0, 7.0]])


@pytest.fixture
def show(tabs, tmp_path, monkeypatch):
    """Opens a page with one prediction from disk."""
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "work"))
    opened = []

    def open_page(asked, **options):
        path = tmp_path / "page.html"
        path.write_text(page([asked], "Predict"), encoding="utf-8")
        tab = tabs.lend(**options)
        opened.append(tab)
        tab.goto(path.as_uri())
        return tab.locator(".gp")

    yield open_page
    for tab in opened:
        assert tab.problems == []
        assert len(tab.requests) == 1
        tabs.take_back(tab)


def choice():
    """A question with choices."""
    return predict("03-centre", "How many, if `k = 3`?", choices=["1", "2", "4"], answer="4", why="Because `2 · 2`.")


def number(answer="4/9", **options):
    """A question for a number."""
    return predict("03-sum", "How much?", number="windows", answer=answer, why="So.", **options)


def place():
    """A question for an element."""
    return predict("03-who", "Which one wins?", grid=GRID, answer=(1, 2), why="It is the largest.")


def commit(root):
    """Presses the button."""
    root.get_by_role("button", name="That is my prediction").click()


def shown(root, selector):
    """The visible text of a part."""
    return " ".join(root.locator(selector).inner_text().split())


def compare(root):
    """The answer, unfolded."""
    root.locator("summary").click()
    return shown(root, "details").removeprefix("Compare ")


def test_the_answer_is_out_of_sight_before_the_prediction(show):
    root = show(choice())
    assert not root.locator("details").is_visible()
    assert "Because" not in root.inner_text()


def test_a_choice_is_shown_and_then_compared(show):
    root = show(choice())
    root.get_by_label("2").check()
    commit(root)
    assert shown(root, ".gp-said") == "You predicted 2."
    assert compare(root) == "The answer: 4. Because 2 · 2."
    assert root.locator("details code").inner_text() == "2 · 2"


def test_a_prediction_that_holds_is_called_so(show):
    root = show(choice())
    root.get_by_label("4").check()
    commit(root)
    assert compare(root).startswith("It is what you predicted: 4.")


def test_the_choice_stays_as_it_was_made(show):
    root = show(choice())
    root.get_by_label("2").check()
    commit(root)
    assert root.get_by_label("2").is_checked()
    assert root.locator("input:enabled").count() == 0


@pytest.mark.parametrize(("ask", "wanted"), [(choice, "Choose one"), (number, "Write a number"), (place, "Choose an")])
def test_nothing_is_taken_without_an_answer(show, ask, wanted):
    root = show(ask())
    commit(root)
    assert shown(root, ".gp-hint").startswith(wanted)
    assert not root.locator("details").is_visible()


@pytest.mark.parametrize(
    ("typed", "said", "holds"),
    [
        ("4/9", "4/9", True), ("0.44", "0.44", True), ("0,444", "", False), ("0,44", "0.44", True),
        ("0.4", "0.4", False), (" 4 / 9 windows", "4/9", True), ("−1", "−1", False), ("many", "", False),
        ("1/0", "", False), ("", "", False), ("5e-1", "5e−1", False),
    ],
)  # fmt: skip
def test_a_number_is_read_as_people_write_it(show, typed, said, holds):
    root = show(number())
    root.get_by_role("textbox").fill(typed)
    root.get_by_role("textbox").press("Enter")
    if not said:
        assert shown(root, ".gp-hint").startswith("Write a number")
        return
    assert shown(root, ".gp-said") == f"You predicted {said} windows."
    assert compare(root).startswith("It is what you predicted" if holds else "The answer: 4/9 windows.")


def test_a_tolerance_counts_as_the_same(show):
    root = show(number(answer=100, tolerance=10))
    root.get_by_role("textbox").fill("92")
    commit(root)
    assert compare(root) == "It is what you predicted: 100 windows. So."


def test_a_grid_is_clicked(show):
    root = show(place())
    root.get_by_label("row 0, column 1: −4.5").click()
    commit(root)
    assert shown(root, ".gp-said") == "You predicted row 0, column 1."
    assert compare(root) == "The answer: row 1, column 2. It is the largest."


def test_a_grid_is_answered_from_the_keyboard(show):
    root = show(place())
    for key in ("Tab", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "Space", "Tab", "Enter"):
        root.page.keyboard.press(key)
    assert shown(root, ".gp-said") == "You predicted row 1, column 2."


def test_a_choice_is_answered_from_the_keyboard(show):
    root = show(choice())
    for key in ("Tab", "Space", "ArrowDown", "Tab", "Enter", "Enter"):
        root.page.keyboard.press(key)
    assert shown(root, ".gp-said") == "You predicted 2."
    assert "The answer: 4." in shown(root, "details")


def test_a_prediction_can_be_changed_until_it_is_compared(show):
    root = show(choice())
    root.get_by_label("2").check()
    commit(root)
    root.get_by_role("button", name="Change it").click()
    root.get_by_label("4").check()
    commit(root)
    assert shown(root, ".gp-said") == "You predicted 4."
    compare(root)
    # A page learns a moment later that its details are open.
    root.get_by_role("button", name="Change it").wait_for(state="hidden")


def test_the_question_labels_the_control(show):
    root = show(choice())
    assert root.get_by_role("radiogroup", name="How many, if k = 3?").is_visible()
    assert show(number()).get_by_role("textbox", name="How much?").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_page(show, scheme):
    from tests.browser.contrast import contrast, luminance

    root = show(choice(), color_scheme=scheme)
    read = "(node) => getComputedStyle(node).color.match(/\\d+/g).slice(0, 3).map(Number)"
    paper = luminance((255, 255, 255) if scheme == "light" else (18, 18, 18))
    for part in (".gp-question", ".gp-label", ".gp-choices label"):
        assert contrast(luminance(root.locator(part).first.evaluate(read)), paper) > 4.5


CELL = """from course_lib.widgets import predict

predict("03-centre", "How many windows hold the centre?", choices=["1", "4"], answer="4", why="Two along each axis.")"""


def write(path, cell):
    """Writes a notebook of one cell."""
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=METADATA), path)


@pytest.fixture(scope="module")
def notebook(lab, browser):
    """A notebook with one prediction, which was run in JupyterLab."""
    write(lab.root / "predict.ipynb", nbformat.v4.new_code_cell(CELL))
    tab = lab.run(browser, "predict.ipynb", viewport={"width": 1100, "height": 800})
    yield tab
    lab.put_away(tab)


def test_jupyterlab_remembers_a_prediction(notebook, lab):
    root = notebook.locator(".gp")
    root.wait_for()
    assert errors(notebook) == []
    root.locator("input").first.focus()
    for key in ("Space", "ArrowDown", "Tab", "Enter"):
        notebook.keyboard.press(key)
    assert shown(root, ".gp-said") == "You predicted 4."
    assert execute(notebook, "pass") == ""
    stored = json.loads((lab.root.parent / "work" / "progress.json").read_text(encoding="utf-8"))
    assert stored["predictions"] == {"03-centre": {"given": "4"}}


def test_jupyterlab_shows_a_prediction_again_when_the_cell_is_run_again(notebook):
    notebook.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    notebook.wait_for_function("document.querySelector('.gp .gp-said')?.textContent === 'You predicted 4.'")


def test_jupyterlab_folds_the_answer_where_widgets_are_not_trusted(lab, browser):
    bundle = predict("03-centre", "How many?", choices=["1", "4"], answer="4", why="Why.")._repr_mimebundle_()[0]
    output = nbformat.v4.new_output("execute_result", data=bundle, execution_count=1)
    cell = nbformat.v4.new_code_cell("predict", outputs=[output], execution_count=1)
    write(lab.root / "untrusted.ipynb", cell)
    tab = browser.new_page()
    tab.goto(f"http://127.0.0.1:{lab.port}/lab/tree/untrusted.ipynb?token={lab.token}&reset")
    tab.locator(".jp-OutputArea-output").wait_for()
    assert "How many?" in tab.locator(".jp-OutputArea-output").inner_text()
    assert not tab.get_by_text("Why.").is_visible()
    tab.get_by_text("Think first").click()
    assert tab.get_by_text("Why.").is_visible()
    tab.close()


def test_bets_are_compared_claim_by_claim(show):
    root = show(bets("12-routes", {4: "false", 5: "only if"}))
    commit(root)
    assert root.get_by_role("status").first.inner_text() == "Choose for every claim first."
    root.get_by_label("claim 4: true").check()
    root.get_by_label("claim 5: only if").press("Space")
    commit(root)
    root.get_by_text("Compare").click()
    assert root.locator("details p").all_inner_texts() == [
        "Claim 4: false; you said true.",
        "Claim 5: only if, as you said.",
    ]
