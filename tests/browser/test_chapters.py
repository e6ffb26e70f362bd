"""Chapters opened in JupyterLab as a learner opens them: every cell runs, and the widget answers."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from course_lib import loops
from tests.browser.lab import errors
from tests.browser.picture import Picture, choose, click

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CHAPTERS = ["00_how_do_i_use_this_course", "02_where_does_the_gradient_go"]


@pytest.fixture(scope="module", params=CHAPTERS)
def chapter(request, lab, browser):
    """A chapter that was run in JupyterLab."""
    name = f"{request.param}.ipynb"
    if not (NOTEBOOKS / name).exists():
        pytest.skip(f"notebooks/{name} is not built: python -m tools.build")
    shutil.copy(NOTEBOOKS / name, lab.root / name)
    page = lab.run(browser, name, viewport={"width": 1280, "height": 1000})
    yield page
    lab.put_away(page)


@pytest.fixture
def root(chapter):
    """The chapter's routing explorable, showing values."""
    root = chapter.locator(".gx[data-kind='routing']").first
    root.wait_for(state="attached")
    root.scroll_into_view_if_needed()
    choose(root, "show", "values")
    return root


def options(root, control):
    """The choices of a control."""
    return root.locator(f"[data-control='{control}'] label").all_inner_texts()


def test_chapter_runs_without_an_error(chapter):
    assert errors(chapter) == []


@pytest.mark.parametrize("operation", ["max", "average"])
def test_chapter_widget_follows_its_controls(root, operation):
    choose(root, "operation", operation)
    pool = {"max": loops.max_pool, "average": loops.avg_pool}[operation]
    for kernel_size in options(root, "kernel_size"):
        for stride in options(root, "stride"):
            choose(root, "kernel_size", kernel_size)
            choose(root, "stride", stride)
            picture = Picture(root)
            padding = int(picture.setting.split()[3])
            x = picture.numbers("input")[None, None]
            expected = pool(x, int(kernel_size), int(stride), padding)[0, 0]
            # Numbers on the screen are rounded; to the nearest whole one, where they are large.
            np.testing.assert_allclose(picture.numbers("output"), expected, atol=0.51 if x.max() >= 100 else 0.051)


def test_chapter_widget_shows_the_winner_of_a_clicked_output(root):
    choose(root, "operation", "max")
    click(root, "output", (0, 0))
    picture = Picture(root)
    (winner,) = picture.named("winner")
    rows, columns = picture.window()
    real = [(r, c) for r in rows for c in columns if r >= 0 and c >= 0]
    assert tuple(winner["cell"]) in real
    x = picture.numbers("input")
    assert x[tuple(winner["cell"])] == max(x[place] for place in real)
