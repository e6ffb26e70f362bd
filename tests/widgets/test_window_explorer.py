"""The window explorable: its arguments, and a table that says what the loops say."""

import numpy as np
import pytest
from traitlets import TraitError

from course_lib import loops
from course_lib.widgets import WindowExplorer, table
from tests.widgets import decode

X = np.random.default_rng(1).permutation(42).reshape(6, 7) - 20.0
WINDOW = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


@pytest.fixture(scope="module")
def explorer():
    """A widget with all choices."""
    return WindowExplorer(X)


@pytest.fixture(scope="module")
def allowed(explorer):
    """The settings that exist: window, operation, entry."""
    found = [
        ([values[name] for name in WINDOW], values["operation"], entry)
        for values, entry in decode.entries(explorer.table)
        if "refusal" not in entry
    ]
    assert len(found) > 100
    return found


def place(explorer, entry):
    """The geometry of one setting."""
    return explorer.table["geometry"][entry["geometry"]]


def tap(explorer, entry):
    """Rows and columns of the taps of every output, (outputs, 2, kernel)."""
    found = place(explorer, entry)
    return [(rows, columns) for rows in found["rows"] for columns in found["columns"]]


def test_outputs_are_those_of_the_loops(explorer, allowed):
    for window, operation, entry in allowed:
        pool = loops.max_pool if operation == "max" else loops.avg_pool
        expected = pool(X[None, None], *window)
        np.testing.assert_allclose(decode.floats(explorer.table["outputs"][entry["outputs"]]), expected.ravel(), 1e-5)


def test_output_shape_is_that_of_the_loops(explorer, allowed):
    for window, _, entry in allowed:
        assert tuple(place(explorer, entry)["shape"]) == loops.max_pool(X[None, None], *window).shape[2:]


def test_winners_are_the_indices_of_the_loops(explorer, allowed):
    for window, operation, entry in allowed:
        if operation == "max":
            expected = loops.max_pool(X[None, None], *window, return_indices=True)[1]
            np.testing.assert_array_equal(explorer.table["chosen"][entry["chosen"]], expected.ravel())


def test_divisors_make_the_averages_of_the_loops(explorer, allowed):
    for window, operation, entry in allowed:
        if operation == "average":
            sums = loops.avg_pool(X[None, None], *window, divisor_override=1)
            divisors = explorer.table["chosen"][entry["chosen"]]
            np.testing.assert_allclose(sums.ravel() / divisors, loops.avg_pool(X[None, None], *window).ravel())


def test_taps_hold_the_largest_element(explorer, allowed):
    for window, operation, entry in allowed:
        if operation == "max":
            expected = loops.max_pool(X[None, None], *window).ravel()
            for (rows, columns), value in zip(tap(explorer, entry), expected, strict=True):
                real = np.ix_([row for row in rows if 0 <= row < 6], [column for column in columns if 0 <= column < 7])
                assert X[real].max() == value


def test_free_elements_get_no_share_of_an_average(explorer, allowed):
    for window, operation, entry in allowed:
        if operation == "average":
            shape = place(explorer, entry)["shape"]
            shares = loops.avg_pool_backward(np.ones((1, 1, *shape)), (1, 1, *X.shape), *window)
            np.testing.assert_array_equal(place(explorer, entry)["free"], np.flatnonzero(shares == 0))


def test_last_windows_reach_as_far_over_as_is_said(explorer, allowed):
    for window, _, entry in allowed:
        found = place(explorer, entry)
        ends = [max(found["rows"][-1]) - 5 - window[2], max(found["columns"][-1]) - 6 - window[2]]
        assert found["over"] == [max(0, end) for end in ends]


def test_a_setting_that_the_library_refuses_holds_its_sentence(explorer):
    for values, entry in decode.entries(explorer.table):
        if "refusal" in entry:
            with pytest.raises(ValueError) as refused:
                loops.max_pool(X[None, None], *(values[name] for name in WINDOW))
            assert explorer.table["refusals"][entry["refusal"]] == str(refused.value)


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"stride": 2}, "⌊(6 + 2·0 − 1·(3 − 1) − 1) / 2⌋ + 1 = ⌊3 / 2⌋ + 1 = 2"),
        ({"stride": 2, "ceil_mode": True}, "⌈(6 + 2·0 − 1·(3 − 1) − 1) / 2⌉ + 1 = ⌈3 / 2⌉ + 1 = 3"),
        ({"stride": 1, "dilation": 2}, "⌊(6 + 2·0 − 2·(3 − 1) − 1) / 1⌋ + 1 = ⌊1 / 1⌋ + 1 = 2"),
    ],
    ids=["floor", "ceil", "dilated"],
)
def test_size_of_the_output_is_worked_in_numbers(choices, text):
    explorer = WindowExplorer(X, kernel_size=3, padding=0, **{"dilation": 1, "ceil_mode": False, **choices})
    assert dict(explorer.table["geometry"][0]["notes"])["rows"] == text


def test_size_says_when_a_window_is_taken_back():
    explorer = WindowExplorer(np.eye(5), kernel_size=2, stride=3, padding=1, dilation=1, ceil_mode=True)
    text = dict(explorer.table["geometry"][0]["notes"])["rows and columns"]
    assert text.endswith("= ⌈5 / 3⌉ + 1 = 3, less 1 that would start behind the input: 2")
    assert loops.max_pool(np.eye(5)[None, None], 2, 3, 1, 1, True).shape[2] == 2


def test_explorer_refuses_to_start_where_the_library_refuses():
    with pytest.raises(ValueError, match=r"padding must be at most half of kernel_size; got padding=2, kernel_size=3"):
        WindowExplorer(X, kernel_size=3, padding=2)


@pytest.mark.parametrize(
    ("choices", "kind", "message"),
    [
        ({"dilation": 0}, ValueError, r"dilation must be at least 1 .*; got dilation=0"),
        ({"ceil_mode": 1}, TypeError, r"ceil_mode must be True or False; got ceil_mode=1"),
        ({"ceil_mode": ()}, ValueError, r"ceil_mode must offer at least one choice; got ceil_mode=\(\)"),
        ({"operation": "sum"}, ValueError, r"operation must be 'max' or 'average'; got operation='sum'"),
    ],
    ids=str,
)
def test_explorer_refuses_a_choice_in_one_sentence(choices, kind, message):
    with pytest.raises(kind, match=message):
        WindowExplorer(X, **choices)


def test_explorer_refuses_a_large_input():
    with pytest.raises(ValueError, match=r"1 to 12 rows and columns; got shape \(13, 4\)"):
        WindowExplorer(np.zeros((13, 4)))


def test_explorer_shows_a_refused_setting_and_comes_back():
    explorer = WindowExplorer(X, kernel_size=(2, 4), padding=(0, 2))
    explorer.padding = 2
    assert explorer.refusal() == "padding must be at most half of kernel_size; got padding=2, kernel_size=2."
    explorer.kernel_size = 4
    assert (explorer.refusal(), explorer.output_shape()) == (None, (4, 4))


def test_explorer_moves_a_pick_into_a_smaller_output(explorer):
    widget = WindowExplorer(X, kernel_size=2, stride=(1, 3), picture=False)
    widget.picked_output = (4, 5)
    widget.stride = 3
    assert widget.picked_output == (1, 1)


def test_explorer_refuses_a_pick_outside_the_output():
    with pytest.raises(TraitError, match=r"must lie in the grid of 3 rows and 3 columns; got picked_output=\(3, 0\)"):
        WindowExplorer(X).picked_output = (3, 0)


def test_explorer_text_form_is_one_short_line():
    assert WindowExplorer(X)._repr_mimebundle_()[0]["text/plain"] == "WindowExplorer(6 × 7 input)"


def test_table_of_the_largest_input_stays_under_300_kb():
    assert table.size(WindowExplorer(np.random.default_rng(0).random((12, 12))).table) < 300_000
