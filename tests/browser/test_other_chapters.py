"""Every other chapter in JupyterLab: all cells run, its predictions stand there, and its explorable answers."""

import shutil
from pathlib import Path

import pytest

from tests.browser.lab import errors
from tests.browser.test_chapters import CHAPTERS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
OTHERS = [path.stem for path in sorted(NOTEBOOKS.glob("*.ipynb")) if path.stem not in CHAPTERS]


@pytest.fixture(scope="module", params=OTHERS)
def chapter(request, lab, browser):
    """A chapter that was run in JupyterLab, and its text as it is stored."""
    name = f"{request.param}.ipynb"
    shutil.copy(NOTEBOOKS / name, lab.root / name)
    page = lab.run(browser, name, viewport={"width": 1280, "height": 1000})
    page.source = (NOTEBOOKS / name).read_text(encoding="utf-8")
    yield page
    lab.put_away(page)


def test_chapter_runs_without_an_error(chapter):
    assert errors(chapter) == []


def test_chapter_shows_its_predictions(chapter):
    assert '"Prediction ' in chapter.source
    chapter.locator(".gp").first.wait_for(state="attached")


def test_chapter_explorables_answer_a_change(chapter):
    if "Explorer" not in chapter.source and "Stepper" not in chapter.source:
        pytest.skip("this chapter has no explorable")
    if "PrecisionExplorer" in chapter.source:
        pytest.skip("test_kernel_answers.py drives it in JupyterLab")
    root = chapter.locator(".gx").first
    root.wait_for(state="attached")
    root.scroll_into_view_if_needed()
    before = root.get_attribute("data-drawn")
    root.locator("label:has(input[type=radio]:not(:checked))").first.click()
    chapter.wait_for_function("([root, before]) => root.dataset.drawn !== before", arg=[root.element_handle(), before])
