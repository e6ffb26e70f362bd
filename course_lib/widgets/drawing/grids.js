// Grids of cells with numbers.

// A grid of cells that keeps its elements between drawings. With a label it can be reached by keyboard and clicked.
function makeGrid(name, label = null, reachable = true) {
  const parts = { ring: make("rect", { class: "gx-focus", rx: 4 }), title: make("text", { class: "gx-title" }) };
  for (const part of ["padding", "body"]) parts[part] = make("g");
  const node = make("g", { class: "gx-grid", "data-grid": name }, ...Object.values(parts));
  const texts = make("g", { class: "gx-texts", "aria-hidden": "true" }, make("g"), make("g"));
  if (label) set(node, { role: "grid", tabindex: reachable && 0, "aria-label": label, ...KEEPS_KEYS });
  const grid = { node, parts, texts, label, id: uniqueName(), shape: "", cells: [] };
  return { node, texts, draw: (spec) => drawGrid(grid, spec) };
}

// A grid whose key is that of the last drawing has the same numbers at the same places: only its pick may be new.
function drawGrid(grid, spec) {
  for (const node of [grid.node, grid.texts]) set(node, { display: !spec && "none" });
  if (!spec) return;
  if (!spec.key || spec.key !== grid.key) drawNumbers(grid, spec, spec.cells());
  grid.key = spec.key;
  if (!grid.label) return;
  set(grid.node, { "aria-activedescendant": `${grid.id}-${spec.picked}` });
  grid.picked?.removeAttribute("aria-selected");
  grid.picked = spec.active ? set(grid.cells[spec.picked], { "aria-selected": "true" }) : null;
}

function drawNumbers(grid, spec, cells) {
  const [rulers, numbers] = grid.texts.children;
  if (grid.shape !== String(spec.shape)) rebuildCells(grid, spec.shape);
  const font = fitting(cells.map((cell) => cell.text), spec.cell);
  cells.forEach((cell, index) => {
    const start = corner(spec, unravel(index, spec.shape));
    drawCell(grid.cells[index], cell, start, spec.cell);
    drawNumber(numbers.children[index], cell, start, spec.cell, font);
  });
  drawTitle(grid.parts.title, spec);
  set(grid.parts.ring, ringBox(spec));
  set(grid.node, { "data-shape": spec.shape.join(",") });
  rulers.replaceChildren(...rulerTexts(spec));
  grid.parts.padding.replaceChildren(...paddingCells(spec));
}

function drawTitle(node, spec) {
  // Where arrows come in from above, the title stands below.
  const foot = spec.shape[0] + spec.padding + over(spec, 0);
  const y = spec.below ? corner(spec, [foot, 0]).y + 18 : corner(spec, [-spec.padding, 0]).y - (spec.lift ?? 24);
  set(node, { x: spec.origin[0], y });
  node.replaceChildren(spec.title, make("tspan", { dx: 8 }, spec.subtitle ?? ""));
}

function rebuildCells(grid, shape) {
  grid.shape = String(shape);
  grid.cells = Array.from({ length: shape[0] * shape[1] }, (_, index) => {
    const names = { class: "gx-cell", id: `${grid.id}-${index}`, "data-cell": unravel(index, shape).join(",") };
    return make("g", { ...names, role: grid.label && "gridcell" }, make("rect"));
  });
  grid.texts.lastChild.replaceChildren(...grid.cells.map(() => make("text")));
  const rows = Array.from({ length: shape[0] }, (_, row) => grid.cells.slice(row * shape[1], (row + 1) * shape[1]));
  grid.parts.body.replaceChildren(...rows.map((cells) => make("g", { role: grid.label && "row" }, ...cells)));
}

function drawCell(node, cell, { x, y }, size) {
  set(node.firstChild, { x, y, width: size, height: size, fill: cell.fill, "fill-opacity": cell.strength ?? 1 });
  set(node, { "data-value": cell.text, "aria-label": cell.label });
}

// Numbers lie above the arrows, so that an arrow never hides one.
function drawNumber(node, cell, { x, y }, size, font) {
  const ink = cell.ink && `fill: ${cell.ink}; stroke: none`;
  const look = { class: cell.faint && "gx-faint", "font-size": font, style: ink };
  set(node, { x: x + size / 2, y: y + size / 2, ...look });
  say(node, font ? cell.text : "");
}

function ringBox(spec) {
  const { x, y } = corner(spec, [-spec.padding, -spec.padding]);
  const [height, width] = spec.shape.map((length, axis) => (length + 2 * spec.padding + over(spec, axis)) * spec.cell);
  return { x: x - 18, y: y - 18, width: width + 22, height: height + 22 };
}

// Rows or columns beyond the padding that a window reaches into.
const over = (spec, axis) => spec.over?.[axis] ?? 0;

const corner = ({ origin, cell }, [row, column]) => ({ x: origin[0] + column * cell, y: origin[1] + row * cell });
const middle = (spec, at) => ({ x: corner(spec, at).x + spec.cell / 2, y: corner(spec, at).y + spec.cell / 2 });

function fitting(texts, cell) {
  const longest = Math.max(...texts.map((text) => text.length), 2);
  const font = Math.min(13, cell * 0.46, (cell - 4) / (longest * 0.6));
  return font < 9 ? null : Math.round(font * 2) / 2;
}

// Row and column numbers beside a grid.
function rulerTexts(spec) {
  const [rows, columns] = spec.names ?? spec.shape.map((size) => [...Array(size).keys()]);
  const start = corner(spec, [-spec.padding, -spec.padding]);
  const ruler = (x, y, name) => make("text", { class: "gx-ruler", x, y }, decimal(name));
  return [
    ...rows.map((name, row) => ruler(start.x - 10, middle(spec, [row, 0]).y, name)),
    ...columns.map((name, column) => ruler(middle(spec, [0, column]).x, start.y - 9, name)),
  ];
}

function paddingCells(grid) {
  const found = [];
  const last = [0, 1].map((axis) => grid.shape[axis] + grid.padding + over(grid, axis));
  for (let row = -grid.padding; row < last[0]; row += 1)
    for (let column = -grid.padding; column < last[1]; column += 1)
      if (!inside([row, column], grid.shape)) found.push(paddingCell(grid, [row, column]));
  return found;
}

// Beyond the padding there is nothing, not even a filler.
function paddingCell(grid, at) {
  const { x, y } = corner(grid, at);
  const { cell, filler } = grid;
  const beyond = at.some((position, axis) => position >= grid.shape[axis] + grid.padding);
  const box = make("rect", { x: x + 1.5, y: y + 1.5, width: cell - 3, height: cell - 3, rx: 2 });
  const look = { x: x + cell / 2, y: y + cell / 2, "font-size": Math.max(9, Math.min(11, cell * 0.36)) };
  const text = make("text", look, cell < 20 || beyond ? "" : filler);
  return make("g", { class: beyond ? "gx-padding gx-beyond" : "gx-padding" }, box, text);
}
