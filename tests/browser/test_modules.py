"""Every explorable draws with the script that a notebook stores with it: what they share, and its own kind."""

import numpy as np
import pytest

from course_lib import widgets
from course_lib.widgets import fragment

pytestmark = pytest.mark.browser

X = np.array([[2.0, 7, 1, 3], [5, -4, 0, 8], [9, 3, 6, 2], [1, 0, 4, 5]])
MADE = {
    "BackwardStepper": lambda: widgets.BackwardStepper(X, kernel_size=2, stride=2),
    "BorderExplorer": lambda: widgets.BorderExplorer(X),
    "CoverageExplorer": lambda: widgets.CoverageExplorer(5),
    "GradientCheckExplorer": widgets.GradientCheckExplorer,
    "KernelGradientExplorer": lambda: widgets.KernelGradientExplorer(X, np.ones((2, 2))),
    "PrecisionExplorer": widgets.PrecisionExplorer,
    "RoutingExplorer": lambda: widgets.RoutingExplorer(X),
    "SparsityExplorer": lambda: widgets.SparsityExplorer(X / 9 * (X > 0), kernel_size=2, stride=2),
    "TieExplorer": widgets.TieExplorer,
    "WindowExplorer": lambda: widgets.WindowExplorer(X),
}


def test_every_explorable_is_tried():
    assert set(MADE) == {name for name in widgets.__all__ if name.endswith(("Explorer", "Stepper"))}


@pytest.mark.parametrize("name", MADE)
def test_explorable_draws_with_its_own_module(name, tabs, tmp_path):
    widget = MADE[name]()
    module = f'<style>{widget._css}</style><script type="module">{widget._esm}\nmountAll(document);</script>'
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html><meta charset='utf-8'>{fragment(widget.state())}{module}", encoding="utf-8")
    tab = tabs.lend()
    tab.goto(path.as_uri())
    tab.wait_for_selector(".gx[data-drawn]")
    assert tab.problems == []
    tabs.take_back(tab)
