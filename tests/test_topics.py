"""The table of topics: every topic has its place in a chapter, and every chapter has its topics."""

import re

import pytest

from course_lib.workspace import COURSE
from tools.convert import read_source, targets

PAGE = (COURSE / "docs" / "topics.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(?P<id>[a-z0-9-]+)` \| (?P<topic>[^|]+) \| (?P<places>.+) \|$", re.MULTILINE)
PLACE = re.compile(r"\[(\d\d) · ([\w-]+)\]\(\.\./notebooks/(\w+)\.ipynb#cell-id=([\w-]+)\)")
ROWS = [match.groupdict() for match in ROW.finditer(PAGE)]
CHAPTERS = {target.stem: target for target in targets(COURSE) if target.folder == "notebooks"}


def places(row):
    """The chapter and the cell of each place of a topic."""
    return PLACE.findall(row["places"])


def cells(stem):
    """The ids of a chapter's cells."""
    return {cell.id for cell in read_source(CHAPTERS[stem].source)}


def test_every_line_of_the_tables_was_read():
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| id")]
    assert len(ROWS) == len(lines) > 60


def test_topics_have_ids_of_their_own():
    names = [row["id"] for row in ROWS]
    assert len(set(names)) == len(names)


def test_every_topic_has_a_place():
    assert [row["id"] for row in ROWS if not places(row)] == []


def test_places_are_links_and_nothing_else():
    assert [row["id"] for row in ROWS if PLACE.sub("", row["places"]).strip(", ")] == []


@pytest.mark.parametrize("stem", CHAPTERS)
def test_every_cell_that_is_named_is_in_its_chapter(stem):
    found = [place for row in ROWS for place in places(row) if place[2] == stem]
    assert all(number == stem[:2] and text == name for number, text, _, name in found)
    assert {name for *_, name in found} <= cells(stem)


def test_no_place_is_in_a_chapter_that_is_not_there():
    assert {stem for row in ROWS for _, _, stem, _ in places(row)} <= set(CHAPTERS)


def test_every_chapter_has_topics():
    assert {stem for row in ROWS for _, _, stem, _ in places(row)} == set(CHAPTERS)
