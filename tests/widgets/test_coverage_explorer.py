"""The coverage explorable: its arguments, and counts that are those of the loops."""

import numpy as np
import pytest

from course_lib import loops
from course_lib.widgets import CoverageExplorer, table
from tests.widgets import decode

SIZE = (6, 7)
WINDOW = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


@pytest.fixture(scope="module")
def explorer():
    """A widget with all choices."""
    return CoverageExplorer(SIZE, ceil_mode=(False, True))


@pytest.fixture(scope="module")
def allowed(explorer):
    """The settings that exist: window, geometry."""
    found = [
        ([values[name] for name in WINDOW], explorer.table["geometry"][entry["geometry"]])
        for values, entry in decode.entries(explorer.table)
        if "refusal" not in entry
    ]
    assert len(found) > 50
    return found


def counts(window):
    """How many windows hold each element, by what each passes on of an upstream gradient of 1, undivided."""
    y = loops.avg_pool(np.zeros((1, 1, *SIZE)), *window)
    return loops.avg_pool_backward(np.ones_like(y), (1, 1, *SIZE), *window, divisor_override=1)[0, 0]


def test_coverage_counts_the_windows_of_the_loops(allowed):
    for window, place in allowed:
        np.testing.assert_array_equal(decode.packed(place["coverage"], 42), counts(window).ravel())


def test_coverage_is_the_product_of_its_profiles(allowed):
    for _, place in allowed:
        np.testing.assert_array_equal(decode.packed(place["coverage"], 42), np.outer(*place["profiles"]).ravel())


def test_free_elements_are_those_in_no_window(allowed):
    for window, place in allowed:
        np.testing.assert_array_equal(place["free"], np.flatnonzero(counts(window) == 0))


def test_sum_of_the_counts_is_stated(allowed):
    for window, place in allowed:
        assert dict(place["notes"])["sum of the counts"].endswith(f"= {counts(window).sum():.0f}")


def test_centre_of_five_by_five_is_in_four_windows():
    place = CoverageExplorer(5, kernel_size=3, stride=2, padding=0, dilation=1).table["geometry"][0]
    assert decode.packed(place["coverage"], 25)[12] == 4


@pytest.mark.parametrize(
    ("size", "kind", "message"),
    [
        (13, ValueError, r"size must be at most 12 rows and columns; got size=13"),
        (0, ValueError, r"size must be at least 1 .*; got size=0"),
        ((5, 5, 5), ValueError, r"size must have one entry for each of the 2 spatial axes; got size=\(5, 5, 5\)"),
        ("5", TypeError, r"size must be an integer or 2 integers; got size='5'"),
    ],
    ids=str,
)
def test_explorer_refuses_a_size_in_one_sentence(size, kind, message):
    with pytest.raises(kind, match=message):
        CoverageExplorer(size)


def test_explorer_starts_in_the_middle():
    assert CoverageExplorer(5).picked_input == (2, 2)


def test_explorer_text_form_is_one_short_line():
    assert repr(CoverageExplorer((5, 6))) == "CoverageExplorer(5 × 6 input)"


def test_table_of_the_largest_size_stays_under_300_kb():
    assert table.size(CoverageExplorer(12, ceil_mode=(False, True)).table) < 300_000
