"""The sparsity explorable on a plain page: the maps that it draws are the gradients of the library."""

import re

import numpy as np
import pytest

from course_lib import routing
from course_lib.experiments import photograph
from course_lib.widgets import SparsityExplorer
from course_lib.widgets.sparsity_table import measured
from tests.browser import latency
from tests.browser.picture import Picture, choose

pytestmark = pytest.mark.browser

SHAPE = (40, 60)
READ = """(map) => ({
  box: map.dataset.box.split(",").map(Number),
  paths: [...map.querySelectorAll("path")].map((node) => ({
    d: node.getAttribute("d"), fill: node.style.fill, strength: Number(node.getAttribute("fill-opacity") ?? 0),
  })),
})"""


def drawn(root, name):
    """The gradient that a map shows: signs by colour, sizes by strength, from the paths on the page."""
    found = root.locator(f"[data-map='{name}']").evaluate(READ)
    left, top, pixel = found["box"]
    values = np.zeros(SHAPE)
    for path in found["paths"]:
        sign = {"var(--gx-flow)": 1, "var(--gx-pick)": -1}.get(path["fill"], 0)
        for x, y, wide in re.findall(r"M([\d.]+),([\d.]+)h([\d.]+)v", path["d"]):
            row, column = round((float(y) - top) / pixel), round((float(x) - left) / pixel)
            values[row, column : column + round(float(wide) / pixel)] = sign * (path["strength"] - 0.25) * 20
    return values


def settings():
    """Operation, kernel size and stride: tiles, overlap and gaps."""
    return [
        (name, *window) for name in ("max", "average", "strided convolution") for window in ((2, 2), (3, 1), (2, 3))
    ]


def open_setting(root, operation, kernel_size, stride):
    """Chooses a setting."""
    for name, value in (("operation", operation), ("kernel_size", kernel_size), ("stride", stride)):
        choose(root, name, value)


def test_maps_are_the_gradients_of_the_library(show):
    root = show(SparsityExplorer())
    for setting in settings():
        open_setting(root, *setting)
        expected = measured(photograph("flower", size=SHAPE), *setting)["pool"]
        found = drawn(root, "pool")
        np.testing.assert_array_equal(np.sign(found), np.sign(expected))
        np.testing.assert_allclose(found / 15, expected / np.abs(expected).max(), atol=1 / 15 + 1e-9)


def test_bar_and_sentence_say_the_density_of_the_map(show):
    root = show(SparsityExplorer())
    for setting in settings():
        open_setting(root, *setting)
        density = routing.density(drawn(root, "pool"))
        bar = root.locator("[data-bar='pool']")
        widths = [float(bar.locator("rect").nth(number).get_attribute("width")) for number in (1, 0)]
        np.testing.assert_allclose(widths[0] / widths[1], density, atol=1e-3)
        stated = float(re.search(r"elements before it get gradient, ([\d.]+) %", Picture(root).sentence)[1])
        np.testing.assert_allclose(stated / 100, density, atol=6e-4)


def test_a_convolution_in_front_shows_a_second_dense_map(show):
    root = show(SparsityExplorer())
    assert root.locator("[data-map='photo']").count() == 0
    choose(root, "front", "convolution")
    expected = measured(photograph("flower", size=SHAPE), "max", 2, 2, convolved=True)
    np.testing.assert_array_equal(np.sign(drawn(root, "pool")), np.sign(expected["pool"]))
    np.testing.assert_array_equal(np.sign(drawn(root, "photo")), np.sign(expected["photo"]))
    assert "of the photograph's gradient 100 % is not zero" in Picture(root).sentence


def test_small_table_holds_every_density(show):
    root = show(SparsityExplorer())
    texts = [text.replace("\u00a0", " ") for text in Picture(root).grids["densities"]["values"]]
    found = np.array([float(text.removesuffix(" %")) for text in texts]).reshape(3, 4)
    x = photograph("flower", size=SHAPE)
    expected = [[routing.density(measured(x, "max", k, s)["pool"]) for s in (1, 2, 3, 4)] for k in (2, 3, 4)]
    np.testing.assert_allclose(found / 100, expected, atol=6e-4)


def test_photograph_is_drawn_in_its_greys(show):
    root = show(SparsityExplorer())
    paths = root.locator("[data-map='greys']").evaluate(
        "(map) => [...map.querySelectorAll('path')].map((node) => [node.getAttribute('d'), node.style.fill])"
    )
    x = photograph("flower", size=SHAPE)
    found = np.full(SHAPE, np.nan)
    for path, fill in paths:
        grey = int(re.match(r"rgb\((\d+),", fill)[1]) / 255
        for left, top, wide in re.findall(r"M([\d.]+),([\d.]+)h([\d.]+)v", path):
            column = round((float(left) - 1) / 4)
            found[round((float(top) - 24) / 4), column : column + round(float(wide) / 4)] = grey
    np.testing.assert_allclose(found, x, atol=1 / 70 + 1 / 255)


@pytest.mark.parametrize("width", [900, 360])
def test_every_text_lies_inside_the_picture(show, width):
    root = show(SparsityExplorer(), viewport={"width": width, "height": 900})
    choose(root, "front", "convolution")
    assert Picture(root).outside == []


def test_new_picture_comes_at_once(show):
    root = show(SparsityExplorer(front=("convolution", "nothing")))
    moves = {
        "stride": (root.locator("[data-control='stride'] input:checked"), ["ArrowRight"]),
        "operation": (root.locator("[data-control='operation'] input:checked"), ["ArrowRight"]),
    }
    latency.hold(root, moves)
