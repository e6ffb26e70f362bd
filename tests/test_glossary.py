"""The glossary: it is made from its data, its links lead somewhere, and no word of the course is missing."""

import inspect
import re

import pytest

from course_lib import numpy_ops
from course_lib.workspace import COURSE
from tools import glossary
from tools.convert import read_source

ENTRIES = glossary.entries()
CHAPTERS = sorted(path.stem for path in (COURSE / "sources" / "chapters").glob("*.py"))
# Words of the house style that are no arguments.
WORDS = {
    "window",
    "tap",
    "coverage",
    "upstream gradient",
    "convolution",
    "cross-correlation",
    "tie",
    "route",
    "density",
}
RESULTS = {"y", "grad_input", "grad_weight", "grad_bias"}


def names():
    """Everything that code calls by a name, and every term."""
    return {name for entry in ENTRIES for name in (entry["term"], *entry.get("names", ()))}


def test_page_is_made_from_the_data():
    assert glossary.PAGE.read_text(encoding="utf-8") == glossary.page()


def test_every_argument_of_every_operation_has_an_entry():
    found = {
        name for function in numpy_ops.__all__ for name in inspect.signature(getattr(numpy_ops, function)).parameters
    }
    assert found - names() == set()


def test_every_word_and_every_result_has_an_entry():
    assert (WORDS | RESULTS) - names() == set()


def test_terms_stand_once():
    terms = [entry["term"] for entry in ENTRIES]
    assert len(set(terms)) == len(terms)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["term"])
def test_entry_is_whole_and_leads_to_a_cell(entry):
    assert set(entry) - {"names"} == {"term", "zh", "en", "cn", "at"}
    assert entry["en"].endswith(".")
    assert entry["cn"].endswith("。")
    assert re.search("[\u4e00-\u9fff]", entry["zh"])
    chapter, cell = glossary.place(entry, CHAPTERS)
    assert cell in {found.id for found in read_source(COURSE / "sources" / "chapters" / f"{chapter}.py")}
