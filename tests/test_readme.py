"""What the README and its neighbours say is there."""

import re

import pytest

from course_lib import cli
from course_lib.workspace import COURSE
from tools import run_tests

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def text(page):
    """A page of the repository."""
    return (COURSE / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_to_a_file(page):
    links = re.findall(r'\]\(([^)#:]+)\)|src="([^"]+)"', text(page))
    assert [link for pair in links for link in pair if link and not (COURSE / link).exists()] == []


@pytest.mark.parametrize(("folder", "sources"), [("notebooks", "chapters"), ("exercises", "exercises")])
def test_readme_links_to_every_notebook_that_has_a_source(folder, sources):
    linked = set(re.findall(rf"\({folder}/(\w+)\.ipynb\)", text("README.md")))
    assert linked == {path.stem for path in (COURSE / "sources" / sources).glob("*.py")}


def test_readme_names_fourteen_chapters_in_order():
    rows = re.findall(r"^\| (\d\d) \| .*\? \| (?:\[open\]\(notebooks/(\d\d)_.*\)|to come) \|$", text("README.md"), re.M)
    assert [row[0] for row in rows] == [f"{number:02}" for number in range(14)]
    assert all(row[1] in ("", row[0]) for row in rows)


def test_readme_shows_code_that_runs():
    (block,) = re.findall(r"```python\n(.*?)```", text("README.md"), re.S)
    names = {}
    exec(block, names)
    assert names["grad_input"].sum() == 4


@pytest.mark.parametrize("page", PAGES)
def test_every_course_command_of_a_page_exists(page):
    words = set(re.findall(r"`(?:\.venv/bin/)?course (\w+)|start\.py (\w+)", text(page)))
    assert {word for pair in words for word in pair if word} <= set(cli.COMMANDS)


def test_contributing_names_every_step_of_the_tests():
    assert all(f"`{name}`" in text("CONTRIBUTING.md") for name in run_tests.steps())
