// Marks over the grids: frames, rings, arrows.

// Every mark lies on an edge in the colour of the page, which keeps it visible on any grey.
const edged = (tag, names, shape) => make("g", names, make(tag, { class: "gx-edge", ...shape }), make(tag, shape));

// A frame around the cells from the first row and column to the last; a positive inset draws it further inside.
function frame(grid, { on, kind, rows, columns, inset = 0 }) {
  const from = corner(grid, [rows[0], columns[0]]);
  const to = corner(grid, [rows.at(-1) + 1, columns.at(-1) + 1]);
  const size = { width: to.x - from.x - 2 * inset, height: to.y - from.y - 2 * inset };
  const box = { x: from.x + inset, y: from.y + inset, ...size, rx: 2 };
  const data = { "data-mark": kind, "data-on": on, "data-rows": rows.join(","), "data-columns": columns.join(",") };
  return edged("rect", { class: `gx-${kind}`, ...data }, box);
}

// A ring around a number; wider than high where cells are small, so that it never lies on the digits.
function circle(grid, { on, at, kind, weight, size, shift = 0 }) {
  const { x, y } = middle(grid, at);
  const high = size * grid.cell;
  const wide = size > 0.3 ? Math.max(high, Math.min(0.48 * grid.cell, 19)) : high;
  const [left, top] = [x + shift * grid.cell - wide, y + shift * grid.cell - high];
  const round = { x: left, y: top, width: 2 * wide, height: 2 * high, rx: high };
  const data = { "data-mark": kind, "data-on": on, "data-cell": at.join(","), "data-weight": weight };
  return edged("rect", { class: `gx-${kind}`, ...data }, round);
}

// The taps of a window, which stand apart from one another where it is dilated.
function tapFrames({ dilation = 1 }, window) {
  if (dilation === 1) return [];
  const one = { on: "input", kind: "tap", inset: 3 };
  return allPairs(window).map(([row, column]) => ({ ...one, rows: [row], columns: [column] }));
}

// Diagonal lines in a cell, for what a number alone does not say.
function hatch(grid, at, kind) {
  const { x, y } = corner(grid, at);
  const [size, lines] = [grid.cell, []];
  for (let step = 8; step < 2 * size; step += 8) {
    const [from, to] = [Math.max(0, step - size), Math.min(step, size)];
    lines.push(`M${x + from},${y + step - from} L${x + to},${y + step - to}`);
  }
  const data = { "data-mark": kind, "data-on": grid.name, "data-cell": at.join(",") };
  return make("path", { class: `gx-${kind}`, d: lines.join(" "), ...data });
}
