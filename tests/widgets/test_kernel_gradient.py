"""The kernel-gradient explorable: its arguments, and a table that says what the library says."""

import numpy as np
import pytest
from traitlets import TraitError

from course_lib import conv, loops
from course_lib.widgets import KernelGradientExplorer, table

X = np.array([[1, 2, 0, 3, 1], [0, 1, 4, 2, 2], [5, 1, 0, 1, 3], [2, 2, 1, 0, 1], [1, 3, 2, 4, 0]], float)
WEIGHT = np.array([[1, -1, 2], [0, 3, -2], [1, 1, 4]], float)
NAMES = ("stride", "padding", "dilation")


@pytest.fixture(scope="module")
def explorer():
    """A widget on a small grid."""
    return KernelGradientExplorer(X, WEIGHT)


def settings(explorer):
    """Every window as keywords, its entry, and the upstream gradient as an array."""
    for key, entry in explorer.table["settings"].items():
        window = dict(zip(NAMES, map(int, key.split()), strict=True))
        yield window, entry, np.array(entry["grad_output"], float).reshape(entry["shape"])


def gradients(window, upstream):
    """grad_input and grad_weight by the plain loops."""
    found = loops.conv_backward(upstream[None, None], X[None, None], WEIGHT[None, None], **window)
    return found[0][0, 0], found[1][0, 0]


def test_table_has_every_window_in_which_the_kernel_fits(explorer):
    assert len(explorer.table["settings"]) == 8


def test_products_of_a_weight_add_up_to_its_gradient(explorer):
    for window, entry, upstream in settings(explorer):
        sums = np.array(entry["to_weight"]).sum(axis=1).reshape(WEIGHT.shape)
        np.testing.assert_allclose(sums, gradients(window, upstream)[1], rtol=1e-12)


def test_products_that_reach_an_input_add_up_to_its_gradient(explorer):
    for window, entry, upstream in settings(explorer):
        met, sent = np.array(entry["met"]), np.array(entry["to_input"], float)
        sums = np.bincount(met[met >= 0], sent[met >= 0], minlength=X.size).reshape(X.shape)
        np.testing.assert_allclose(sums, gradients(window, upstream)[0], rtol=1e-12)


def test_gradients_in_the_table_are_those_of_the_loops(explorer):
    for window, entry, upstream in settings(explorer):
        for name, expected in zip(("grad_input", "grad_weight"), gradients(window, upstream), strict=True):
            np.testing.assert_allclose(entry[name], expected.ravel(), rtol=1e-12)


def test_outputs_are_those_of_the_library(explorer):
    for window, entry, _ in settings(explorer):
        np.testing.assert_allclose(entry["y"], conv(X[None, None], WEIGHT[None, None], **window).ravel(), rtol=1e-12)


def test_inputs_that_a_weight_meets_make_the_output(explorer):
    for _, entry, _ in settings(explorer):
        met = np.array(entry["met"])
        values = np.where(met < 0, 0, X.ravel()[met])
        np.testing.assert_allclose(WEIGHT.ravel() @ values, entry["y"], rtol=1e-12)


def test_upstream_of_one_number_is_that_number():
    entry = KernelGradientExplorer(X, WEIGHT, grad_output=1).table["settings"]["1 0 1"]
    np.testing.assert_array_equal(entry["grad_output"], np.ones(9))


def test_upstream_array_is_cut_to_the_outputs():
    given = np.arange(25.0).reshape(5, 5)
    entry = KernelGradientExplorer(X, WEIGHT, grad_output=given).table["settings"]["1 0 1"]
    np.testing.assert_array_equal(entry["grad_output"], given[:3, :3].ravel())


def test_table_of_the_largest_grids_stays_under_300_kb():
    widget = KernelGradientExplorer(np.random.default_rng(0).random((8, 8)), np.random.default_rng(1).random((5, 5)))
    assert table.size(widget.table) < 300_000


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"x": np.zeros(4)}, ValueError, r"x must have shape \(H, W\); got shape \(4,\)\.$"),
        ({"x": np.zeros((9, 4))}, ValueError, r"x must have 1 to 8 rows and columns; got shape \(9, 4\)"),
        ({"weight": np.zeros((6, 2))}, ValueError, r"weight must have 1 to 5 rows and columns; got shape \(6, 2\)"),
        (
            {"weight": np.zeros((1, 1, 2, 2))},
            ValueError,
            r"weight must have shape \(H, W\).*Take one plane with weight",
        ),
        ({"x": np.zeros((2, 2))}, ValueError, r"weight must fit into the padded input; got weight of shape \(1, 1, 3"),
        ({"dilation": (1, 3)}, ValueError, r"weight must fit into the padded input; got .*dilation=3"),
        ({"stride": 0}, ValueError, r"stride must be at least 1 .*; got stride=0"),
        ({"padding": "same"}, TypeError, r"padding must be an integer; got padding='same'"),
        ({"dilation": ()}, ValueError, r"dilation must offer at least one choice; got dilation=\(\)"),
        ({"grad_output": np.ones((2, 3))}, ValueError, r"grad_output must have a row .*, \(3, 3\); got shape \(2, 3\)"),
        ({"grad_output": "1"}, TypeError, r"grad_output must be a number; got grad_output='1'"),
    ],
    ids=str,
)
def test_explorer_refuses_an_argument_in_one_sentence(arguments, kind, message):
    given = {"x": X, "weight": WEIGHT, "padding": 0, "dilation": 1, **arguments}
    with pytest.raises(kind, match=message):
        KernelGradientExplorer(given.pop("x"), given.pop("weight"), **given)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("stride", 3, r"stride must be 1 or 2; got stride=3"),
        ("picked_weight", (3, 0), r"must lie in the grid of 3 rows and 3 columns; got picked_weight=\(3, 0\)"),
        ("picked_input", (0, 5), r"must lie in the grid of 5 rows and 5 columns; got picked_input=\(0, 5\)"),
        ("picked_output", (3, 0), r"must lie in the grid of 3 rows and 3 columns; got picked_output=\(3, 0\)"),
        ("side", "kernel", r"side.*expected any of"),
    ],
)
def test_explorer_refuses_a_value_and_keeps_the_old_one(name, value, message):
    explorer = KernelGradientExplorer(X, WEIGHT)
    before = getattr(explorer, name)
    with pytest.raises(TraitError, match=message):
        setattr(explorer, name, value)
    assert getattr(explorer, name) == before


def test_explorer_refuses_values_that_do_not_go_together():
    explorer = KernelGradientExplorer(np.ones((3, 3)), WEIGHT, padding=(1, 0))
    explorer.dilation = 2
    with pytest.raises(TraitError, match=r"weight must fit into the padded input; got .*padding=0, dilation=2"):
        explorer.padding = 0


def test_explorer_moves_a_pick_into_a_smaller_output():
    explorer = KernelGradientExplorer(X, WEIGHT)
    explorer.picked_output = (2, 2)
    explorer.stride = 2
    assert explorer.picked_output == (1, 1)


def test_explorer_text_form_is_one_short_line(explorer):
    assert repr(explorer) == "KernelGradientExplorer(5 × 5 input, 3 × 3 kernel)"
