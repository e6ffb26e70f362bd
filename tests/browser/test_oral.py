"""The oral drill in JupyterLab, whose kernel is killed in mid-answer, and on a page without a kernel."""

import json
import os
import signal
from contextlib import suppress
from itertools import groupby

import nbformat
import pytest

from course_lib.widgets import oral, page
from tests.browser.lab import READY, RUN, TRIES, errors, execute
from tools.convert import METADATA

pytestmark = pytest.mark.browser

CELL = """from course_lib.widgets import oral

oral("max-route", "How?")"""
TYPED = ["All goes to the winner, zero to the others", ", and this is typed when", " the kernel is dead."]


def press(root, name):
    """Presses a button."""
    root.get_by_role("button", name=name).click()


def events(lab):
    """What the journal holds."""
    lines = (lab.root.parent / "work" / "interview.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def run_again(tab):
    """Runs all cells with the new kernel, until the drill offers to go on."""
    from playwright.sync_api import TimeoutError as TooLate

    # JupyterLab may tell of the kernel's end more than once, and the later dialog lies over the page.
    dialog = tab.get_by_role("dialog").get_by_role("button", name="Ok")
    tab.add_locator_handler(dialog, lambda button: button.first.click())
    for _ in range(TRIES):
        tab.wait_for_function(READY)
        if dialog.count():
            dialog.first.click()
        # A run that never ends is a known fault of JupyterLab.
        tab.evaluate(RUN, 15_000)
        with suppress(TooLate):
            tab.get_by_role("button", name="Go on").wait_for(timeout=10_000)
            return
    raise AssertionError("the drill does not offer to go on")


@pytest.fixture(scope="module")
def killed(lab, browser):
    """A notebook whose kernel was killed while an answer was typed, and that was run again."""
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)], metadata=METADATA), lab.root / "oral.ipynb"
    )
    tab = lab.run(browser, "oral.ipynb", viewport={"width": 1100, "height": 1000})
    tab.get_by_role("textbox", name="How does the gradient go back").press_sequentially(TYPED[0])
    process = int(execute(tab, "import os; print(os.getpid())"))
    tab.get_by_role("textbox", name="How does the gradient go back").press_sequentially(TYPED[1])
    os.kill(process, signal.SIGKILL)
    tab.get_by_role("textbox", name="How does the gradient go back").press_sequentially(TYPED[2])
    tab.get_by_role("button", name="Ok").click()
    run_again(tab)
    yield tab
    # Not lent to other tests: a dialog may still come.
    tab.close()


def test_nothing_typed_is_lost_when_the_kernel_is_killed(killed, lab):
    assert killed.locator(".go textarea").input_value() == "".join(TYPED)
    assert execute(killed, "pass") == ""
    assert events(lab)[-1]["text"] == "".join(TYPED)


def test_a_whole_question_is_asked_in_jupyterlab(killed, lab):
    root = killed.locator(".go")
    press(root, "Go on")
    press(root, "I have finished")
    assert root.get_by_label("all of the upstream gradient goes to the winner").is_checked()
    root.get_by_label("ties need one rule").check()
    press(root, "That is what I said")
    root.locator("textarea").fill("The sum of the three.")
    press(root, "I have finished")
    root.get_by_text("A model answer").wait_for()
    press(root, "again (suggested)")
    root.get_by_text("It comes again in 10 minutes.").wait_for()
    # Text is written whenever typing rests: once or more, by how fast the machine is.
    assert [what for what, _ in groupby(event["what"] for event in events(lab))][-5:] == [
        "ticked", "follow-up", "follow-up text", "followed", "rated",
    ]  # fmt: skip
    assert errors(killed) == []
    assert killed.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('course oral'))") == []


def test_page_without_a_kernel_ends_with_the_answer_and_keeps_it(tabs, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "work"))
    path = tmp_path / "page.html"
    path.write_text(page([oral("max-route", "How?")], "Oral"), encoding="utf-8")
    tab = tabs.lend()
    tab.goto(path.as_uri())
    tab.get_by_role("textbox").fill("The winner.")
    press(tab, "I have finished")
    assert tab.get_by_text("Without a kernel the drill ends here").is_visible()
    tab.reload()
    assert tab.get_by_role("textbox").input_value() == "The winner."
    tabs.take_back(tab)
