"""The tie explorable: its arguments, conservation, and what PyTorch does, by PyTorch."""

import numpy as np
import pytest
from traitlets import TraitError

from course_lib.widgets import TieExplorer
from course_lib.widgets.tie_table import WINDOWS, gradient
from tests.widgets import decode

ALL = {name: np.array(values) for name, values in WINDOWS.items()}


@pytest.fixture(scope="module")
def explorer():
    """A widget with the usual windows and an upstream gradient of 6."""
    return TieExplorer()


@pytest.mark.parametrize("name", ALL)
def test_max_pool2d_pays_whom_pytorch_pays(explorer, name):
    torch = pytest.importorskip("torch")
    x = torch.tensor(ALL[name])[None, None].requires_grad_()
    y = torch.nn.functional.max_pool2d(x, ALL[name].shape)
    y.backward(torch.full_like(y, 6))
    found = explorer.table["settings"][f"{name} first"]["grads"]["max_pool2d"]["values"]
    np.testing.assert_array_equal(decode.floats(found), x.grad.numpy().ravel())


@pytest.mark.parametrize("name", ALL)
def test_amax_pays_whom_pytorch_pays(explorer, name):
    torch = pytest.importorskip("torch")
    x = torch.tensor(ALL[name])[None, None].requires_grad_()
    y = x.amax((2, 3))
    y.backward(torch.full_like(y, 6))
    found = explorer.table["settings"][f"{name} first"]["grads"]["amax"]["values"]
    np.testing.assert_array_equal(decode.floats(found), x.grad.numpy().ravel())


@pytest.mark.parametrize("rule", ["first", "last", "split"])
@pytest.mark.parametrize("name", ALL)
def test_every_rule_keeps_the_sum(explorer, name, rule):
    chosen = explorer.table["settings"][f"{name} {rule}"]["grads"]["chosen"]
    assert (chosen["sum"], chosen["kept"]) == (6, True)


@pytest.mark.parametrize(("name", "total"), [("one maximum", 6), ("two equal", 12), ("all equal", 24), ("NaN", 0)])
def test_mask_does_not_keep_the_sum(explorer, name, total):
    chosen = explorer.table["settings"][f"{name} mask"]["grads"]["chosen"]
    assert (chosen["sum"], chosen["kept"]) == (total, total == 6)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("first", [6, 0, 0, 0]), ("last", [0, 0, 6, 0]), ("split", [3, 0, 3, 0]), ("mask", [6, 0, 6, 0])],
)
def test_gradient_of_two_equal_elements(rule, expected):
    np.testing.assert_array_equal(gradient(ALL["two equal"], 6.0, rule).ravel(), expected)


def test_zeros_of_both_signs_tie_and_are_told_apart(explorer):
    entry = explorer.table["settings"]["−0.0 and 0.0 first"]
    assert (entry["equal"], entry["values"][:2], entry["best"]) == ([0, 1], ["−0.0", "0.0"], "−0.0")


def test_each_not_a_number_is_as_large_as_the_other(explorer):
    assert explorer.table["settings"]["NaN first"]["equal"] == [1, 2]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("one maximum last", "One element is the largest. It gets all of the upstream gradient 6, under every rule."),
        ("two equal split", "2 elements tie at 5. Each gets an equal share, 6 / 2."),
        ("two equal last", "2 elements tie at 5. The last of them in row-major order, (1, 0), gets all of the upstream "
         "gradient 6."),
        ("all equal mask", "4 elements tie at 5. A mask x == y pays each in full: 4 · 6 = 24, 4 times the upstream "
         "gradient."),
        ("NaN first", "NaN wins over every number. Under each rule the last NaN, (1, 0), gets all of the upstream "
         "gradient 6."),
        ("all −∞ first", "4 elements tie at −∞. The first of them in row-major order, (0, 0), gets all of the upstream "
         "gradient 6."),
    ],
)  # fmt: skip
def test_sentence_says_who_is_paid(explorer, key, text):
    assert explorer.table["settings"][key]["sentence"] == text


@pytest.mark.parametrize(
    ("windows", "options", "kind", "message"),
    [
        ([[1.0]], {}, TypeError, r"windows must be a mapping of names to arrays; got list"),
        ({}, {}, ValueError, r"windows must have at least one entry, each with a name; got names \[\]"),
        ({"a": np.zeros((5, 2))}, {}, ValueError, r"windows\['a'\] must have 1 to 4 rows and columns; got .*5, 2"),
        (None, {"upstream": 0}, ValueError, r"upstream must not be zero, .*; got upstream=0"),
        (None, {"upstream": np.nan}, ValueError, r"upstream must not be zero, .*; got upstream=nan"),
        (None, {"upstream": "6"}, TypeError, r"upstream must be a number; got upstream='6'"),
        (None, {"ties": "all"}, ValueError, r"ties must be 'first' or 'last' or 'split' or 'mask'; got ties='all'"),
    ],
)  # fmt: skip
def test_explorer_refuses_an_argument_in_one_sentence(windows, options, kind, message):
    with pytest.raises(kind, match=message):
        TieExplorer(windows, **options)


def test_explorer_refuses_a_window_that_it_does_not_have(explorer):
    with pytest.raises(TraitError, match=r"window must be 'one maximum' or .*; got window='none'"):
        explorer.window = "none"


def test_explorer_text_form_is_one_short_line(explorer):
    assert repr(explorer) == "TieExplorer(7 windows)"
