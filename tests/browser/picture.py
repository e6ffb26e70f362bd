"""Reads back from a page what an explorable shows: from the elements that are drawn, not from the table behind them."""

import json
import re

import numpy as np

READ = """(root) => {
  const numbers = (text) => (text ? text.split(",").map(Number) : null);
  const box = (node) => { const { x, y, width, height } = node.getBoundingClientRect(); return [x, y, width, height]; };
  const all = (selector) => [...root.querySelectorAll(selector)];
  const [grids, titles] = [{}, {}];
  for (const grid of all("[data-grid]")) {
    if (grid.getAttribute("display") === "none") continue;
    const cells = [...grid.querySelectorAll("[data-cell]")];
    titles[grid.dataset.grid] = grid.querySelector(".gx-title")?.firstChild?.textContent ?? "";
    const picked = cells.filter((cell) => cell.getAttribute("aria-selected") === "true");
    grids[grid.dataset.grid] = {
      shape: numbers(grid.dataset.shape), values: cells.map((cell) => cell.dataset.value),
      boxes: cells.map(box), picked: picked.map((cell) => numbers(cell.dataset.cell)),
    };
  }
  const marks = all("[data-mark]").map((node) => ({
    kind: node.dataset.mark, on: node.dataset.on, cell: numbers(node.dataset.cell), rows: numbers(node.dataset.rows),
    columns: numbers(node.dataset.columns), weight: node.dataset.weight && Number(node.dataset.weight),
    box: box(node.lastElementChild ?? node),
  }));
  const arrows = all("[data-from]").map((node) => ({
    start: numbers(node.dataset.from), end: numbers(node.dataset.to), weight: Number(node.dataset.weight),
  }));
  const fits = (svg, node) => {
    const [frame, text] = [svg.getBoundingClientRect(), node.getBoundingClientRect()];
    return text.left >= frame.left - 1 && text.right <= frame.right + 1 && text.bottom <= frame.bottom + 1;
  };
  const outside = all("svg").flatMap((svg) => [...svg.querySelectorAll("text")]
    .filter((node) => node.textContent && !fits(svg, node)).map((node) => node.textContent));
  const sentence = root.querySelector(".gx-sentence").textContent.replaceAll("\\u00a0", " ");
  return { grids, titles, outside, marks, arrows, sentence, ...root.dataset };
}"""


CROSSED = """(root) => {
  const texts = [...root.querySelectorAll(".gx-stage .gx-texts text")].filter((node) => node.textContent);
  const boxes = texts.map((node) => [node.textContent, node.getBoundingClientRect()]);
  const found = new Set();
  for (const path of root.querySelectorAll(".gx-arrow path:not(.gx-head)")) {
    const [length, { a, b, c, d, e, f }] = [path.getTotalLength(), path.getScreenCTM()];
    for (let at = 0; at <= length; at += 1) {
      const point = path.getPointAtLength(at);
      const [x, y] = [a * point.x + c * point.y + e, b * point.x + d * point.y + f];
      for (const [text, box] of boxes) {
        // The box of a text has room above and below its digits.
        const room = box.height / 4;
        if (x > box.left && x < box.right && y > box.top + room && y < box.bottom - room) found.add(text);
      }
    }
  }
  return [...found];
}"""

# One call for many pictures: an explorable draws while it handles a click, and the way to Python and back takes longer.
CLICKS = """(root, nodes, crossed) => nodes.map(([selector, number]) => {
  const node = root.querySelectorAll(selector)[number];
  if (node.disabled || node.getAttribute("aria-disabled")) return null;
  node.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  return { ...read(root), crossed: crossed ? across(root) : null };
})"""
OPTIONS = """(root) => [...root.querySelectorAll("[data-control][role='radiogroup']")].flatMap((control) =>
  [...control.querySelectorAll("input")].map((_, number) => [control.dataset.control, number]))"""


def tell(root, script, *values):
    """What a script finds, as text: a structure takes several times as long to Python."""
    kept = getattr(root, "handle", root)
    told = f"JSON.stringify(({script})(root, ...values), (key, value) => value === undefined ? null : value)"
    return json.loads(kept.evaluate(f"(root, values) => {told}", list(values)))


class Picture:
    """One reading of an explorable; with `crossed`, the numbers of the grids that an arrow runs across, if asked."""

    def __init__(self, root=None, found=None):
        for name, value in (found or tell(root, READ)).items():
            setattr(self, name, value)

    def numbers(self, grid):
        """The numbers in a grid, as an array; fractions as they are meant."""
        values = [number(text) for text in self.grids[grid]["values"]]
        return np.array(values).reshape(self.grids[grid]["shape"])

    def named(self, kind, on="input"):
        """The marks of one kind on one grid."""
        return [mark for mark in self.marks if mark["kind"] == kind and mark["on"] == on]

    def window(self):
        """Rows and columns of the frame around the picked output's window."""
        (mark,) = self.named("window")
        return mark["rows"], mark["columns"]

    def weights(self):
        """How much of the picked output's gradient each input element gets, by the marks on the elements."""
        weights = np.zeros(self.grids["input"]["shape"])
        for mark in self.named("winner") + self.named("share"):
            weights[tuple(mark["cell"])] += mark["weight"]
        return weights

    def received(self):
        """How much the picked input gets from each output, by the arrows."""
        received = np.zeros(self.grids["output"]["shape"])
        for arrow in self.arrows:
            received[tuple(arrow["start"])] += arrow["weight"]
        return received

    def box(self, grid, cell):
        """Where a cell lies on the screen: left, top, width, height."""
        shape = self.grids[grid]["shape"]
        return self.grids[grid]["boxes"][cell[0] * shape[1] + cell[1]]


def number(text):
    """A number as the page writes it."""
    above, _, below = text.replace("−", "-").replace("∞", "inf").partition("/")
    return float(above) / float(below or 1)


def choose(root, control, option):
    """Clicks one option of a control."""
    exactly = re.compile(f"^{re.escape(str(option))}$")
    root.locator(f"[data-control='{control}'] label").filter(has_text=exactly).click()


def cell_of(root, grid, cell):
    """The element of one cell."""
    return root.locator(f"[data-grid='{grid}'] [data-cell='{cell[0]},{cell[1]}']")


def click(root, grid, cell):
    """Clicks a cell with the mouse: whatever lies on top there gets the click."""
    cell_of(root, grid, cell).click()


def walk(root, grid, shape, crossed=False):
    """Picks every cell of a grid in turn, without the mouse's waits; yields the cell and the picture."""
    cells = list(np.ndindex(*shape))
    nodes = [[f"[data-grid='{grid}'] [data-cell='{row},{column}']", 0] for row, column in cells]
    yield from zip(cells, clicks(root, nodes, crossed), strict=True)


def clicks(root, nodes, crossed=False):
    """The pictures after one click on each element, (selector, number); None where it is disabled by then."""
    script = f"(...values) => {{ const [read, across] = [{READ}, {CROSSED}]; return ({CLICKS})(...values); }}"
    return [found and Picture(found=found) for found in tell(root, script, nodes, crossed)]


def every_control(root, crossed=False):
    """Chooses each option of each control in turn, back and forth; yields a picture after each."""
    options = tell(root, OPTIONS)
    nodes = [[f"[data-control='{name}'][role='radiogroup'] input", number] for name, number in options]
    found = zip(options, clicks(root, nodes, crossed), strict=True)
    yield from ((name, picture) for (name, _), picture in found if picture)
