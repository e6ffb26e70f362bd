"""One page as text and as HTML: the same content, escaped, and never colour alone."""

import html
import re

import numpy as np
import pytest

from course_lib.exercises import check, display, hint, progress
from course_lib.exercises.display import Link, Page, Row

PAGE = Page(
    heading="A <heading>",
    figure="1 of 2",
    mark=display.WRONG,
    rows=(
        Row(display.PASSED, "first", "1 of 1", "passed 1 case"),
        Row(display.WRONG, Link("second", "../a?b=1&c=2"), "0 of 1", "wrong & so on", (("yours", "[1, <2>]"),)),
    ),
    paragraphs=("One sentence.", Link("chapter 02", "../notebooks/02.ipynb")),
    block=("Your code printed", "a\n  b"),
)
TEXT = """\
A <heading>: 1 of 2
  ✓ first (1 of 1): passed 1 case
  ✗ second (../a?b=1&c=2) (0 of 1): wrong & so on
      yours: [1, <2>]
One sentence.
chapter 02 (../notebooks/02.ipynb)
Your code printed:
  a
    b"""


def words_of_html(page):
    """What a reader sees, without spaces; the address of a link after its text."""
    linked = re.sub(r'<a href="([^"]*)">(.*?)</a>', r"\2(\1)", display.html(page))
    return re.sub(r"\s", "", html.unescape(re.sub(r"<[^>]*>", "", linked)))


def test_text_is_laid_out_in_lines():
    assert display.text(PAGE) == TEXT


def test_html_holds_the_words_of_the_text():
    text = re.sub(r"[\s:]", "", TEXT).replace("(1of1)", "1of1").replace("(0of1)", "0of1")
    assert words_of_html(PAGE).replace(":", "") == text


def test_long_lines_are_wrapped_without_breaking_words():
    page = Page("h", rows=(Row(display.OPEN, "a", "", " ".join(["word"] * 60)),))
    assert max(map(len, display.text(page).splitlines())) <= display.WIDTH
    assert display.text(page).count("word") == 60


@pytest.mark.parametrize(
    "make",
    [
        lambda: check(3),
        lambda: check(3, max_gradient=np.zeros((2, 2)), tie_rule="b", other=1),
        lambda: hint(3, 0),
        progress,
    ],
    ids=["not started", "wrong", "hint", "progress"],
)
def test_two_runs_show_the_same(make):
    first, second = make(), make()
    assert repr(first) == repr(second)
    assert first._repr_html_() == second._repr_html_()


def test_every_mark_stands_beside_words():
    shown = check(3, max_gradient=np.zeros((2, 2)), tie_rule="c")._repr_html_()
    for mark, words in ((display.PASSED, "passed"), (display.WRONG, "wrong value"), (display.OPEN, "not started")):
        assert mark in shown
        assert words in shown


def test_text_takes_its_colour_from_the_page():
    # Only the marks and the bar at the side have a colour of their own, and none has a background.
    shown = check(3)._repr_html_()
    assert set(re.findall(r"[^-]color:([^;\"]+)", shown)) <= set(display.COLOURS.values())
    assert set(re.findall(r"background:([^;\"]+)", shown)) == {"transparent"}


def test_an_array_of_several_lines_keeps_them_on_the_page_and_takes_one_in_text():
    page = Page("a", rows=(Row("✗", "b", "", "c", (("yours", "\n[[1,\n  2]]"),)),))
    assert "yours: [[1, 2]]" in display.text(page)
    assert "pre-wrap" in display.html(page)
    assert "\n[[1,\n  2]]" in display.html(page)
