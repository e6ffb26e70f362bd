"""Reads back from a page what a chart shows: the drawn lines and marks, by the axes that are drawn with them."""

import numpy as np

from tests.browser.picture import tell

READ = """(root) => {
  const box = (node) => ["x", "y", "width", "height"].map((name) => Number(node.getAttribute(name)));
  return [...root.querySelectorAll("[data-chart]")].map((chart) => {
    const all = (selector) => [...chart.closest("svg").querySelectorAll(selector)];
    return {
      x: chart.dataset.x.split(",").map(Number), y: chart.dataset.y.split(",").map(Number), area: box(chart.firstChild),
      curves: Object.fromEntries(all("[data-curve]").map((node) => [node.dataset.curve, node.getAttribute("d")])),
      dots: all("[data-dot]").map(({ lastChild: node, dataset }) => ({
        ...dataset, x: Number(node.getAttribute("cx")), y: Number(node.getAttribute("cy")),
      })),
      rules: Object.fromEntries(all("[data-rule]").map((node) => [node.dataset.rule,
        { x: Number(node.firstChild.getAttribute("x1")), text: node.textContent }])),
    };
  });
}"""


class Chart:
    """One reading of the only chart of an explorable."""

    def __init__(self, root):
        (found,) = tell(root, READ)
        self.x, self.y, self.area = found["x"], found["y"], found["area"]
        self.curves = {name: self._points(path) for name, path in found["curves"].items()}
        self.dots = {dot["dot"]: (*self._numbers(dot["x"], dot["y"]), dot) for dot in found["dots"]}
        self.rules = {name: (self._numbers(rule["x"], 0)[0], rule["text"]) for name, rule in found["rules"].items()}

    def _numbers(self, across, down):
        """What a place in the picture stands for."""
        left, top, width, height = self.area
        share = np.subtract(across, left) / width, 1 - np.subtract(down, top) / height
        return tuple(low + part * (high - low) for part, (low, high) in zip(share, (self.x, self.y), strict=True))

    def _points(self, path):
        """The corners of a line, (points, 2), in the numbers of the axes."""
        pairs = [pair.split(",") for pair in path.replace("M", " ").replace("L", " ").split()]
        return np.array([self._numbers(float(across), float(down)) for across, down in pairs]).reshape(-1, 2)
