"""A real browser and a real JupyterLab, each started once and stopped when this folder's tests are done."""

import shutil

import pytest

from tests.browser.lab import Lab
from tests.browser.tabs import Tabs

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "chrome")


@pytest.fixture(scope="session")
def chromium():
    """The path of a browser of Chromium's family."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium here: install it (apt-get install chromium) to run the browser tests")
    return found


# For this package only, not for the whole session: while Playwright runs, no other test can run an event loop.
@pytest.fixture(scope="package")
def browser(chromium):
    """A headless browser."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def lab(browser, tmp_path_factory):
    """A JupyterLab with folders of its own."""
    pytest.importorskip("jupyterlab", reason="jupyterlab is not installed")
    with Lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@pytest.fixture(scope="package")
def tabs(browser):
    """Pages for tests that need no server."""
    return Tabs(browser)


@pytest.fixture
def show(tabs, tmp_path):
    """Opens a page with one widget from disk; its explorable, once drawn. No test may leave an error behind."""
    from course_lib.widgets import page

    opened = []

    def open_page(widget, **options):
        path = tmp_path / "page.html"
        path.write_text(page([widget], type(widget).__name__), encoding="utf-8")
        tab = tabs.lend(**{"viewport": {"width": 900, "height": 900}, **options})
        opened.append(tab)
        tab.goto(path.as_uri())
        root = tab.locator(".gx").first
        # The element itself: a test that reads it a hundred times need not look it up a hundred times.
        root.handle = tab.wait_for_selector(".gx[data-drawn]")
        return root

    yield open_page
    for tab in opened:
        assert tab.problems == []
        tabs.take_back(tab)
