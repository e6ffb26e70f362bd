"""Explorables on a plain page."""

import json
import re

import numpy as np

from course_lib.widgets import RoutingExplorer, fragment, head, page

STATE_NAMES = {
    "kernel_size",
    "operation",
    "padding",
    "picked_input",
    "picked_output",
    "show",
    "side",
    "stride",
    "table",
    "ties",
}


def test_state_is_the_table_and_the_controls():
    assert set(RoutingExplorer(np.eye(3)).state()) == STATE_NAMES


def test_fragment_holds_the_state_and_no_tag_from_it():
    state = {"table": "</script><b>", "side": "<!--"}
    text = fragment(state)
    inner = re.fullmatch(r'<div data-explorable><script type="application/json">(.*)</script></div>', text)[1]
    assert "<" not in inner
    assert json.loads(inner) == state


def test_page_names_its_title_without_markup():
    assert "<title>a &lt; b</title>" in page([], "a < b")


def test_page_holds_one_place_for_each_widget():
    text = page([RoutingExplorer(np.eye(3)), RoutingExplorer(np.eye(4))], "Two")
    assert text.count("<div data-explorable>") == 2


def test_head_asks_for_no_other_file():
    assert not re.search(
        r"""\bimport\s*[("'{*]|\bfrom\s+["']|@import|url\(|<link|src=|https?://(?!www\.w3\.org/2000/svg)""", head()
    )


def test_head_cannot_be_ended_by_its_own_script():
    assert head().count("</script>") == 1
