"""The routing explorable in Python: its arguments, its traits and its text form."""

import json

import numpy as np
import pytest
from traitlets import TraitError

from course_lib.widgets import RoutingExplorer

X = np.arange(30.0).reshape(5, 6)


@pytest.fixture
def explorer():
    """A widget on a small grid."""
    return RoutingExplorer(X, kernel_size=(2, 3), stride=(2, 1), padding=(0, 1))


@pytest.mark.parametrize(
    ("x", "kind", "message"),
    [
        (np.zeros((2, 3, 4)), ValueError, r"x must have shape \(H, W\); got shape \(2, 3, 4\). Take one plane"),
        (np.zeros(4), ValueError, r"x must have shape \(H, W\); got shape \(4,\)\.$"),
        (np.zeros((17, 4)), ValueError, r"1 to 16 rows and columns; got shape \(17, 4\). Cut a piece out: x\["),
        (np.zeros((0, 4)), ValueError, r"1 to 16 rows and columns; got shape \(0, 4\)"),
        (np.zeros((4, 4), bool), TypeError, r"x must have dtype .*; got x.dtype=bool"),
        (np.zeros((4, 4), complex), TypeError, r"x must have dtype .*; got x.dtype=complex128"),
        ([["a", "b"]], TypeError, r"x must have dtype .*; got x.dtype=<U1"),
    ],
    ids=["rank three", "rank one", "too large", "empty", "bool", "complex", "text"],
)  # fmt: skip
def test_explorer_refuses_an_input_in_one_sentence(x, kind, message):
    with pytest.raises(kind, match=message):
        RoutingExplorer(x)


@pytest.mark.parametrize(
    ("choices", "kind", "message"),
    [
        ({"kernel_size": 7}, ValueError, r"kernel_size must fit into the padded input; got kernel_size=7, padding=0"),
        ({"kernel_size": (2, 9)}, ValueError, r"kernel_size must fit into the padded input; got kernel_size=9"),
        ({"kernel_size": 0}, ValueError, r"kernel_size must be at least 1 .*; got kernel_size=0"),
        ({"kernel_size": 2.5}, TypeError, r"kernel_size must be an integer; got kernel_size=2.5"),
        ({"kernel_size": ()}, ValueError, r"kernel_size must offer at least one choice; got kernel_size=\(\)"),
        ({"stride": None}, TypeError, r"stride must be an integer; got stride=None"),
        ({"padding": -1}, ValueError, r"padding must be at least 0 .*; got padding=-1"),
        ({"padding": 2}, ValueError, r"padding must be at most half of kernel_size; got padding=2, kernel_size=2"),
        ({"operation": "min"}, ValueError, r"operation must be 'max' or 'average'; got operation='min'"),
        ({"ties": ("first", "any")}, ValueError, r"ties must be 'first' or 'last' or 'split'; got ties='any'"),
        ({"ties": ()}, ValueError, r"ties must offer at least one choice; got ties=\(\)"),
        ({"picture": 1}, TypeError, r"picture must be True or False; got picture=1"),
    ],
    ids=str,
)
def test_explorer_refuses_a_choice_in_one_sentence(choices, kind, message):
    with pytest.raises(kind, match=message):
        RoutingExplorer(X, **choices)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("kernel_size", 4, r"kernel_size must be 2 or 3; got kernel_size=4"),
        ("kernel_size", "3", r"kernel_size.*expected an int"),
        ("stride", 3, r"stride must be 2 or 1; got stride=3|stride must be 1 or 2; got stride=3"),
        ("operation", "min", r"operation must be 'max' or 'average'; got operation='min'"),
        ("ties", "none", r"ties must be 'first' or 'last' or 'split'; got ties='none'"),
        ("side", "both", r"side.*expected any of"),
        ("show", "all", r"show.*expected any of"),
        ("picked_output", (2, 0), r"must lie in the grid of 2 rows and 3 columns; got picked_output=\(2, 0\)"),
        ("picked_input", (0, -1), r"must lie in the grid of 5 rows and 6 columns; got picked_input=\(0, -1\)"),
    ],
)  # fmt: skip
def test_explorer_refuses_a_value_and_keeps_the_old_one(explorer, name, value, message):
    before = getattr(explorer, name)
    with pytest.raises(TraitError, match=message):
        setattr(explorer, name, value)
    assert getattr(explorer, name) == before


def test_explorer_refuses_padding_over_half_the_kernel():
    explorer = RoutingExplorer(X, kernel_size=(4, 2), padding=(0, 2))
    explorer.kernel_size = 2
    with pytest.raises(TraitError, match=r"padding must be at most half of kernel_size; got padding=2, kernel_size=2"):
        explorer.padding = 2


def test_explorer_takes_values_that_fit_only_together():
    explorer = RoutingExplorer(X, kernel_size=(4, 2), padding=(2, 0))
    with explorer.hold_trait_notifications():
        explorer.kernel_size, explorer.padding = 2, 0
    assert explorer.output_shape() == (2, 3)


def test_explorer_starts_with_the_first_choices():
    explorer = RoutingExplorer(X, kernel_size=(3, 2), stride=(2, 1), padding=(1, 0), operation=("average", "max"))
    values = (explorer.operation, explorer.kernel_size, explorer.stride, explorer.padding, explorer.ties)
    assert values == ("average", 3, 2, 1, "first")


def test_explorer_shows_numbers_in_ascending_order(explorer):
    options = {control["name"]: control["options"] for control in explorer.table["controls"]}
    assert (options["kernel_size"], options["stride"]) == ([2, 3], [1, 2])


def test_explorer_moves_a_pick_into_a_smaller_output(explorer):
    explorer.stride = 1
    explorer.picked_output = (3, 4)
    explorer.stride = 2
    assert explorer.picked_output == (1, 2)


def test_explorer_tells_its_observers(explorer):
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), "kernel_size")
    explorer.kernel_size = 3
    assert seen == [3]


def test_explorer_takes_what_the_browser_sends(explorer):
    explorer.set_state(
        {"kernel_size": 3, "stride": 1, "side": "input", "picked_input": [4, 5], "picked_output": [2, 3]}
    )
    assert (explorer.output_shape(), explorer.picked_input, explorer.picked_output) == ((3, 4), (4, 5), (2, 3))


@pytest.mark.parametrize(
    ("x", "picture"),
    [(np.eye(8), False), (np.eye(9), True), (np.eye(4).astype(np.uint8), True)],
    ids=["small", "large", "bytes"],
)
def test_explorer_draws_bytes_and_large_inputs_in_grey(x, picture):
    assert RoutingExplorer(x).table["input"]["picture"] is picture


def test_explorer_can_be_told_how_to_draw():
    assert RoutingExplorer(np.eye(9), picture=False).table["input"]["picture"] is False


def test_explorer_text_form_is_one_short_line_that_never_changes(explorer):
    before = explorer._repr_mimebundle_()[0]["text/plain"]
    explorer.kernel_size = 3
    assert [before, explorer._repr_mimebundle_()[0]["text/plain"]] == ["RoutingExplorer(5 × 6 input)"] * 2


def test_explorer_sends_its_table_as_one_string(explorer):
    assert json.loads(explorer.get_state()["table"]) == explorer.table


def test_explorer_leaves_its_input_alone():
    x = X.copy()
    RoutingExplorer(x)
    np.testing.assert_array_equal(x, X)


def test_explorer_takes_a_list():
    assert RoutingExplorer([[1, 2], [3, 4]]).table["input"]["values"] == [1, 2, 3, 4]
