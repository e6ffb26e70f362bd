// Arrows from a cell of one grid to a cell of another. They run along the lines between the cells and bend only between
// the grids, so that none crosses a number.

// Both grids along the way of the arrow: where they begin and end, padding included.
function extent(grid, axis) {
  const [origin, length] = axis ? [grid.origin[1], grid.shape[0]] : [grid.origin[0], grid.shape[1]];
  const after = length + grid.padding + over(grid, 1 - axis);
  return [origin - grid.padding * grid.cell, origin + after * grid.cell];
}

// An arrow from the cell `from` to the cell `to`, each { grid, at }; its tip lies in the cell, at a distance from the
// middle along both axes, in cells; negative on the far side. `upright` if the grids stand one above the other.
// `edge`: it ends at the border of a window, { rows, columns }, instead.
function cellArrow(from, to, { tip = 0.3, upright = false, edge = null, ...rest }) {
  const main = upright ? 1 : 0;
  const axes = (point) => (upright ? [point.y, point.x] : [point.x, point.y]);
  const back = ([u, v]) => (upright ? { x: v, y: u } : { x: u, y: v });
  const [fromSide, toSide] = [extent(from.grid, main), extent(to.grid, main)];
  const ahead = toSide[0] > fromSide[0];
  const [startU, startV] = axes(corner(from.grid, from.at));
  const start = [startU + (ahead ? from.grid.cell : 0), startV];
  const leave = [ahead ? fromSide[1] + 3 : fromSide[0] - 3, startV];
  const end = edge ? edgeOf(to.grid, edge, ahead, axes) : cornerOf(to, tip, ahead, axes);
  const enter = [ahead ? toSide[0] - 3 : toSide[1] + 3, end.corner[1]];
  const points = [start, leave, enter, end.corner, end.tip].map(back);
  return { ...rest, upright, points, middle: back([(leave[0] + enter[0]) / 2, (leave[1] + enter[1]) / 2]) };
}

function cornerOf({ grid, at }, tip, ahead, axes) {
  const [u, v] = axes(middle(grid, at));
  const [side, half] = [ahead ? -1 : 1, grid.cell / 2];
  const cross = tip < 0 ? 1 : -1;
  const inner = Math.abs(tip) * grid.cell;
  return { corner: [u + side * half, v + cross * half], tip: [u + side * inner, v + cross * inner] };
}

// The line between two rows of a window that lies nearest to its middle.
function edgeOf(grid, { rows, columns }, ahead, axes) {
  const from = axes(corner(grid, [rows[0], columns[0]]));
  const to = axes(corner(grid, [rows.at(-1) + 1, columns.at(-1) + 1]));
  const lines = Math.round((to[1] - from[1]) / grid.cell);
  const v = from[1] + Math.floor(lines / 2) * grid.cell;
  const u = ahead ? from[0] : to[0];
  return { corner: [u + (ahead ? -11 : 11), v], tip: [u + (ahead ? -2 : 2), v] };
}

function arrow({ points, upright, data, weight = 1, kind = "flow" }) {
  const [start, leave, enter, turn, tip] = points;
  const at = ({ x, y }) => `${round(x)},${round(y)}`;
  const bend = upright ? (leave.y + enter.y) / 2 : (leave.x + enter.x) / 2;
  const [one, other] = upright ? [`${round(leave.x)},${bend}`, `${round(enter.x)},${bend}`]
    : [`${bend},${round(leave.y)}`, `${bend},${round(enter.y)}`];
  const { head, base } = arrowHead(turn, tip);
  const line = { d: `M${at(start)} L${at(leave)} C${one} ${other} ${at(enter)} L${at(turn)} L${at(base)}` };
  const width = { "stroke-width": 1.4 + 1.6 * weight };
  const parts = [make("path", { ...line, ...width }), make("path", { d: head, class: "gx-head" })];
  const edge = make("path", { class: "gx-edge", ...line, "stroke-width": 4.4 + 1.6 * weight });
  return { node: make("g", { class: `gx-arrow gx-${kind}`, ...data }, ...parts), edge };
}

// All edges lie below all arrows, so that arrows which meet run together.
function arrowNodes(arrows) {
  const drawn = arrows.map(arrow);
  return [...drawn.map(({ edge }) => edge), ...drawn.map(({ node }) => node)];
}

const round = (number) => Math.round(number * 10) / 10;

// A triangle that points from one point to another, and the middle of its base.
function arrowHead(from, tip, long = 9, wide = 5) {
  const length = Math.hypot(tip.x - from.x, tip.y - from.y) || 1;
  const [dx, dy] = [(tip.x - from.x) / length, (tip.y - from.y) / length];
  const base = { x: tip.x - dx * (long - 1), y: tip.y - dy * (long - 1) };
  const foot = { x: tip.x - dx * long, y: tip.y - dy * long };
  const side = { x: dy * wide, y: -dx * wide };
  const corners = [tip, { x: foot.x - side.x, y: foot.y - side.y }, { x: foot.x + side.x, y: foot.y + side.y }];
  return { base, head: `M${corners.map(({ x, y }) => `${round(x)},${round(y)}`).join(" L")} z` };
}

function tag(x, y, text, kind = "flow") {
  const width = 12 + 7.2 * text.length;
  const box = make("rect", { x: x - width / 2, y: y - 10, width, height: 20, rx: 10 });
  return make("g", { class: `gx-tag gx-${kind}` }, box, make("text", { x, y }, text));
}

// The weights of the arrows, in the gap between the grids: one tag if all are equal, else one each.
function tags(arrows) {
  const labelled = arrows.filter(({ label }) => label);
  if (!labelled.length) return [];
  const words = [...new Set(labelled.map(({ label }) => label))];
  const mean = (axis) => labelled.reduce((sum, { middle: at }) => sum + at[axis], 0) / labelled.length;
  const { kind } = labelled[0];
  if (words.length === 1) return [tag(mean("x"), mean("y"), labelled.length > 1 ? `${words[0]} each` : words[0], kind)];
  return spread(labelled).map(({ x, y, label }) => tag(x, y, label, kind));
}

// Tags that would lie on one another move apart.
function spread(arrows) {
  const axis = arrows[0].upright ? "x" : "y";
  const apart = arrows[0].upright ? 48 : 22;
  const placed = arrows.map(({ middle: at, label }) => ({ ...at, label })).sort((a, b) => a[axis] - b[axis]);
  placed.forEach((here, index) => {
    if (index) here[axis] = Math.max(here[axis], placed[index - 1][axis] + apart);
  });
  return placed;
}
