"""The static pages of the whole course, opened from disk: no kernel, no server, no request."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.site import command
from course_lib.site.pages import everything
from course_lib.workspace import COURSE
from tests.browser.picture import Picture, choose

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the pages."""
    folder = tmp_path_factory.mktemp("site")
    for name, text in everything(COURSE).items():
        command.write(folder / name, text)
    return folder


@pytest.fixture
def visit(site, tabs):
    """Opens pages from disk; each must load nothing else and say nothing is wrong."""
    opened = []

    def open_page(name, **options):
        tab = tabs.lend(**options)
        opened.append(tab)
        tab.goto((site / name).as_uri())
        return tab

    yield open_page
    for tab in opened:
        assert tab.problems == []
        assert [url for url in tab.requests if not url.startswith(("file:", "data:"))] == []
        tabs.take_back(tab)


def names(site):
    """Every page."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))


READ = """() => ({
  wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  places: document.querySelectorAll("[data-explorable], [data-predict]").length,
  alive: document.querySelectorAll("[data-explorable] > .gx[data-drawn], [data-predict] > .gp").length,
})"""


@pytest.fixture(scope="module")
def survey(site, tabs):
    """By page: what was read at two widths, what it asked for, and what it complained of."""
    found = {}
    for name in names(site):
        tab = tabs.lend(viewport={"width": 1200, "height": 900})
        tab.goto((site / name).as_uri())
        readings = [tab.evaluate(READ)]
        tab.set_viewport_size({"width": 360, "height": 900})
        found[name] = [*readings, tab.evaluate(READ)], [*tab.requests], [*tab.problems]
        tabs.take_back(tab)
    return found


def test_no_page_asks_for_anything_or_says_that_something_is_wrong(survey):
    for name, (_, requests, problems) in survey.items():
        assert len([url for url in requests if not url.startswith("data:")]) == 1, name
        assert problems == [], name


def test_no_page_moves_sideways(survey):
    assert [
        name for name, (readings, _, _) in survey.items() if any(reading["wider"] > 0 for reading in readings)
    ] == []


def test_every_widget_of_every_chapter_is_alive(survey):
    found = {name: readings[0] for name, (readings, _, _) in survey.items()}
    assert [name for name, reading in found.items() if reading["alive"] < reading["places"]] == []
    assert sum(reading["places"] for reading in found.values()) > 10


def test_widget_of_chapter_02_pools_what_its_controls_say(visit):
    tab = visit("chapters/02_where_does_the_gradient_go.html", viewport={"width": 1200, "height": 900})
    root = tab.locator(".gx[data-kind='routing']").first
    x = Picture(root).numbers("input")[None, None]
    for operation, pool in (("max", loops.max_pool), ("average", loops.avg_pool)):
        for stride in (1, 2):
            choose(root, "operation", operation)
            choose(root, "stride", stride)
            np.testing.assert_allclose(Picture(root).numbers("output"), pool(x, 2, stride)[0, 0], atol=0.051)


def test_prediction_of_chapter_01_can_be_made_and_compared(visit):
    tab = visit("chapters/01_what_does_pooling_keep.html")
    root = tab.locator(".gp").first
    root.locator("input[type=radio]").first.check()
    root.get_by_role("button", name="That is my prediction").click()
    assert root.locator(".gp-said").inner_text().startswith("You predicted ")
    root.locator("summary").click()
    assert "answer" in root.locator("details").inner_text() or "predicted" in root.locator("details").inner_text()


def test_links_lead_from_the_first_page_to_the_last_chapter(site, visit):
    tab = visit("index.html")
    tab.get_by_role("link", name="How do I use this course?").click()
    chapters = [name for name in names(site) if name.startswith("chapters/")]
    for name in chapters[1:]:
        tab.locator("a[rel=next]").click()
        tab.wait_for_url(f"**/{name}")


def test_link_to_a_cell_leads_to_its_place(visit):
    tab = visit("chapters/02_where_does_the_gradient_go.html")
    tab.goto(f"{tab.url}#photograph")
    assert abs(tab.locator("#photograph").bounding_box()["y"]) < 50


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_page(visit, scheme):
    from tests.browser.contrast import contrast, luminance

    tab = visit("chapters/02_where_does_the_gradient_go.html", color_scheme=scheme)
    # Through a canvas, as light-dark() gives any notation of a colour.
    read = """([selector, property]) => {
      const context = document.createElement("canvas").getContext("2d");
      context.fillStyle = getComputedStyle(document.querySelector(selector))[property];
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    }"""
    paper = luminance(tab.evaluate(read, ["body", "backgroundColor"]))
    ground = luminance(tab.evaluate(read, [".code", "backgroundColor"]))
    for selector in ("h1", ".prose p", ".home", ".prose a"):
        assert contrast(luminance(tab.evaluate(read, [selector, "color"])), paper) > 4.5, selector
    for selector in (".code .kn", ".code .mf", ".code .s2", ".code .n", ".code .nf", ".code .nb"):
        assert contrast(luminance(tab.evaluate(read, [selector, "color"])), ground) > 4.5, selector


def test_paper_shows_neither_menus_nor_dark_ground(visit):
    tab = visit("chapters/02_where_does_the_gradient_go.html", color_scheme="dark")
    tab.emulate_media(media="print")
    assert tab.locator(".top").is_hidden()
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
