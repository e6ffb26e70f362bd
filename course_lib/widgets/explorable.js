// Draws the course's explorables. Python computed every number in the table; this file only puts it on the screen.
// A widget kind is one entry of KINDS: the state it keeps, where its grids stand, what they show, and what Enter does.

// ---- Elements -------------------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "rect", "circle", "path", "text", "tspan"]);

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
  return node;
}

function make(tag, attributes = {}, ...children) {
  const node = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  set(node, attributes).append(...children); // Strings become text nodes: nothing is ever read as markup.
  return node;
}

function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// JupyterLab's shortcuts take the arrow keys of a focused element, unless the element itself carries this mark.
const KEEPS_KEYS = { "data-lm-suppress-shortcuts": "true" };

let named = 0;
const uniqueName = () => `gx-${(named += 1)}-${Math.random().toString(36).slice(2, 8)}`;

// ---- Numbers and positions as text ----------------------------------------------------------------------------------

function decimal(value, digits = 4) {
  if (typeof value === "string") return value; // NaN and the infinities come as words.
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(digits))).replace("-", "−");
}

// Numbers that stand in one grid have the same number of decimals.
function aligned(values) {
  const numbers = values.filter((value) => typeof value === "number");
  const largest = Math.max(...numbers.map(Math.abs), 0);
  if (numbers.every(Number.isInteger) || largest >= 100) return (value) => (typeof value === "number" ? fixed(value, 0) : value);
  const digits = largest >= 10 ? 1 : largest >= 0.1 ? 2 : 4;
  return (value) => (typeof value === "number" ? fixed(value, digits) : value);
}

const fixed = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace("-", "");

function fraction(value) {
  for (let below = 1; below <= 144; below += 1) {
    const above = Math.round(value * below);
    if (Math.abs(above - value * below) < 1e-9 * below) return below === 1 ? `${above}` : `${above}/${below}`;
  }
  return decimal(value, 3);
}

const place = ([row, column]) => `(${row}, ${column})`.replaceAll("-", "−");
const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const list = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

function span(word, positions) {
  const [first, last] = [positions[0], positions.at(-1)];
  return first === last ? `${word} ${first}` : `${word}s ${first} to ${last}`;
}

// ---- The table ------------------------------------------------------------------------------------------------------

const pick = (packed, index) => (typeof packed === "object" ? packed.values[packed.codes[index]] : packed);
const unravel = (index, shape) => [Math.floor(index / shape[1]), index % shape[1]];
const ravel = ([row, column], shape) => row * shape[1] + column;
const inside = ([row, column], shape) => row >= 0 && row < shape[0] && column >= 0 && column < shape[1];

// Routes, output by output, from the packed form; unpacked once and kept.
function routesOf(entry, outputs) {
  if (entry.unpacked) return entry.unpacked;
  let next = 0;
  entry.unpacked = Array.from({ length: outputs }, (_, output) => {
    const length = typeof entry.counts === "number" ? entry.counts : entry.counts[output];
    return Array.from({ length }, () => {
      const route = { output, input: entry.inputs[next], weight: pick(entry.weights, next) };
      next += 1;
      return route;
    });
  });
  return entry.unpacked;
}

function openTable(text) {
  const table = JSON.parse(text);
  const starts = new Set();
  for (const key of Object.keys(table.settings)) {
    const words = key.split(" ");
    words.forEach((_, index) => starts.add(words.slice(0, index + 1).join(" ")));
  }
  table.allows = (...values) => starts.has(values.join(" "));
  return table;
}

// The options of each control that go with the controls before it. A value that does not go gives way to the nearest.
function settle(table, state) {
  const [values, open] = [[], {}];
  for (const { name, options } of table.controls) {
    open[name] = options.filter((option) => table.allows(...values, option));
    const distance = (option) => (typeof option === "number" ? Math.abs(option - state[name]) : 0);
    if (!open[name].includes(state[name])) state[name] = [...open[name]].sort((a, b) => distance(a) - distance(b))[0];
    values.push(state[name]);
  }
  return { key: values.join(" "), open };
}

// ---- Controls -------------------------------------------------------------------------------------------------------

function makeControl({ name, label, options }, change) {
  const group = uniqueName();
  const inputs = options.map((option) => {
    const input = make("input", { type: "radio", name: group, value: option, ...KEEPS_KEYS });
    input.addEventListener("change", () => change({ [name]: option }));
    return input;
  });
  const labels = inputs.map((input, index) => make("label", {}, input, make("span", {}, String(options[index]))));
  const names = { class: "gx-control", role: "radiogroup", "aria-label": label, "data-control": name };
  const node = make("div", names, make("span", { class: "gx-name" }, label), make("div", { class: "gx-options" }, ...labels));
  const draw = (value, open = options, matters = true) => {
    inputs.forEach((input, index) => {
      input.checked = options[index] === value;
      input.disabled = !matters || !open.includes(options[index]);
    });
    set(node, { "data-value": value, "data-idle": !matters });
  };
  return { node, draw };
}

// ---- Grids ----------------------------------------------------------------------------------------------------------

// A grid of cells that keeps its elements between drawings. With a label it can be reached by keyboard and clicked.
function makeGrid(name, label = null) {
  const parts = { ring: make("rect", { class: "gx-focus", rx: 4 }), title: make("text", { class: "gx-title" }) };
  for (const part of ["rulers", "padding", "body"]) parts[part] = make("g");
  const node = make("g", { class: "gx-grid", "data-grid": name }, ...Object.values(parts));
  const texts = make("g", { class: "gx-texts", "aria-hidden": "true" });
  if (label) set(node, { role: "grid", tabindex: 0, "aria-label": label, ...KEEPS_KEYS });
  const grid = { node, parts, texts, label, id: uniqueName(), shape: "", cells: [] };
  return { node, texts, draw: (spec) => drawGrid(grid, spec) };
}

function drawGrid(grid, spec) {
  const { node, parts, texts, label, id } = grid;
  if (grid.shape !== String(spec.shape)) rebuildCells(grid, spec.shape);
  const font = fitting(spec.cells.map((cell) => cell.text), spec.cell);
  spec.cells.forEach((cell, index) => {
    const start = corner(spec, unravel(index, spec.shape));
    drawCell(grid.cells[index], cell, start, spec.cell);
    drawNumber(texts.children[index], cell, start, spec.cell, font);
  });
  set(parts.ring, ringBox(spec));
  set(parts.title, { x: spec.origin[0], y: corner(spec, [-spec.padding, 0]).y - 24 });
  parts.title.replaceChildren(spec.title, make("tspan", { dx: 8 }, spec.shape.join(" × ")));
  parts.rulers.replaceChildren(...rulers(spec));
  parts.padding.replaceChildren(...paddingCells(spec));
  set(node, { "data-shape": spec.shape.join(","), "aria-activedescendant": label && `${id}-${spec.picked}` });
  grid.cells.forEach((cell, index) => set(cell, { "aria-selected": label && spec.active && index === spec.picked }));
}

function rebuildCells(grid, shape) {
  grid.shape = String(shape);
  grid.cells = Array.from({ length: shape[0] * shape[1] }, (_, index) => {
    const names = { class: "gx-cell", id: `${grid.id}-${index}`, "data-cell": unravel(index, shape).join(",") };
    return make("g", { ...names, role: grid.label && "gridcell" }, make("rect"));
  });
  grid.texts.replaceChildren(...grid.cells.map(() => make("text")));
  const rows = Array.from({ length: shape[0] }, (_, row) => grid.cells.slice(row * shape[1], (row + 1) * shape[1]));
  grid.parts.body.replaceChildren(...rows.map((cells) => make("g", { role: grid.label && "row" }, ...cells)));
}

function drawCell(node, cell, { x, y }, size) {
  set(node.firstChild, { x, y, width: size, height: size, fill: cell.fill, "fill-opacity": cell.strength ?? 1 });
  set(node, { "data-value": cell.text, "aria-label": cell.label });
}

// Numbers lie above the arrows, so that an arrow never hides one.
function drawNumber(node, cell, { x, y }, size, font) {
  const look = { class: cell.faint && "gx-faint", "font-size": font, style: cell.ink && `fill: ${cell.ink}; stroke: none` };
  set(node, { x: x + size / 2, y: y + size / 2, ...look });
  say(node, font ? cell.text : "");
}

function ringBox(spec) {
  const { x, y } = corner(spec, [-spec.padding, -spec.padding]);
  const [height, width] = spec.shape.map((length) => (length + 2 * spec.padding) * spec.cell);
  return { x: x - 18, y: y - 18, width: width + 22, height: height + 22 };
}

const corner = ({ origin, cell }, [row, column]) => ({ x: origin[0] + column * cell, y: origin[1] + row * cell });
const middle = (spec, at) => ({ x: corner(spec, at).x + spec.cell / 2, y: corner(spec, at).y + spec.cell / 2 });

function fitting(texts, cell) {
  const longest = Math.max(...texts.map((text) => text.length), 2);
  const font = Math.min(13, cell * 0.4, (cell - 4) / (longest * 0.6));
  return font < 8.5 ? null : Math.round(font * 2) / 2;
}

// Row and column numbers beside a grid.
function rulers(spec) {
  const [rows, columns] = [spec.rowNames ?? [...Array(spec.shape[0]).keys()], spec.columnNames ?? [...Array(spec.shape[1]).keys()]];
  const start = corner(spec, [-spec.padding, -spec.padding]);
  const ruler = (x, y, name) => make("text", { class: "gx-ruler", x, y }, decimal(name));
  return [
    ...rows.map((name, row) => ruler(start.x - 10, middle(spec, [row, 0]).y, name)),
    ...columns.map((name, column) => ruler(middle(spec, [0, column]).x, start.y - 9, name)),
  ];
}

function paddingCells(grid) {
  const found = [];
  for (let row = -grid.padding; row < grid.shape[0] + grid.padding; row += 1)
    for (let column = -grid.padding; column < grid.shape[1] + grid.padding; column += 1)
      if (!inside([row, column], grid.shape)) found.push(paddingCell(grid, corner(grid, [row, column])));
  return found;
}

function paddingCell({ cell, filler }, { x, y }) {
  const box = make("rect", { x: x + 1.5, y: y + 1.5, width: cell - 3, height: cell - 3, rx: 2 });
  const text = make("text", { x: x + cell / 2, y: y + cell / 2, "font-size": Math.min(11, cell * 0.36) }, cell < 26 ? "" : filler);
  return make("g", { class: "gx-padding" }, box, text);
}

// ---- Marks over the grids -------------------------------------------------------------------------------------------

// Every mark lies on a pale edge, which keeps it visible on any grey.
function frame(grid, { on, kind, rows, columns }) {
  const from = corner(grid, [rows[0], columns[0]]);
  const to = corner(grid, [rows.at(-1) + 1, columns.at(-1) + 1]);
  const box = { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y, rx: 2 };
  const data = { "data-mark": kind, "data-on": on, "data-rows": rows.join(","), "data-columns": columns.join(",") };
  return make("g", { class: `gx-${kind}`, ...data }, make("rect", { class: "gx-edge", ...box }), make("rect", box));
}

function circle(grid, { on, at, kind, weight, size, shift = 0 }) {
  const { x, y } = middle(grid, at);
  const round = { cx: x + shift * grid.cell, cy: y + shift * grid.cell, r: size * grid.cell };
  const data = { "data-mark": kind, "data-on": on, "data-cell": at.join(","), "data-weight": weight };
  return make("g", { class: `gx-${kind}`, ...data }, make("circle", { class: "gx-edge", ...round }), make("circle", round));
}

// The height at which a curve from a to b crosses x; both ends of the curve are level.
function heightAt(x, a, b) {
  let [low, high] = [0, 1];
  for (let step = 0; step < 20; step += 1) {
    const t = (low + high) / 2;
    const here = a.x + (b.x - a.x) * (1.5 * t * (1 - t) + t ** 3);
    if (here > x) low = t;
    else high = t;
  }
  return a.y + (b.y - a.y) * low ** 2 * (3 - 2 * low);
}

function arrow({ from, to, data, weight }) {
  const bend = (from.x + to.x) / 2;
  const line = { d: `M${from.x},${from.y} C${bend},${from.y} ${bend},${to.y} ${to.x + 5},${to.y}` };
  const head = { d: `M${to.x},${to.y} l9,-5 v10 z`, class: "gx-head" };
  const width = { "stroke-width": 1.4 + 1.6 * weight };
  const edge = make("path", { class: "gx-edge", ...line, "stroke-width": 4.4 + 1.6 * weight });
  return make("g", { class: "gx-arrow", ...data }, edge, make("path", { ...line, ...width }), make("path", head));
}

function tag(x, y, text) {
  const width = 12 + 7.2 * text.length;
  const box = make("rect", { x: x - width / 2, y: y - 10, width, height: 20, rx: 10 });
  return make("g", { class: "gx-tag" }, box, make("text", { x, y }, text));
}

// The weights of the arrows, in the gap between the grids: one tag if all are equal, else one each.
function tags(arrows, gap) {
  const heights = arrows.map(({ from, to }) => heightAt(gap, from, to));
  const words = [...new Set(arrows.map(({ label }) => label))];
  if (words.length > 1) return arrows.map(({ label }, index) => tag(gap, heights[index], label));
  const mean = heights.reduce((sum, height) => sum + height, 0) / heights.length;
  return words.map((word) => tag(gap, mean, arrows.length > 1 ? `${word} each` : word));
}

// ---- Routing: which way does the gradient go? -----------------------------------------------------------------------

const MANY = 4; // Up to so many winners have arrows of their own; more run together to the edge of the window.

const optionsOf = (table, name) => table.controls.find((control) => control.name === name).options;

function routingLayout(table) {
  const [rows, columns] = table.input.shape;
  const pad = Math.max(...optionsOf(table, "padding"));
  const outputs = Object.values(table.geometry).map((geometry) => geometry.shape);
  const most = [0, 1].map((axis) => Math.max(...outputs.map((shape) => shape[axis])));
  const [left, top, gap] = [22, 44, 96];
  const cell = Math.max(20, Math.min(40, Math.floor((740 - 2 * left - gap) / (columns + 2 * pad + most[1]))));
  const right = left + (columns + 2 * pad) * cell;
  return {
    cell, pad, gapAt: right + (gap - left) / 2, top,
    input: [left + pad * cell, top + pad * cell],
    output: [right + gap, top + pad * cell],
    width: right + gap + most[1] * cell + 4,
    height: top + Math.max(rows + 2 * pad, pad + most[0]) * cell + 8,
    ...detailLayout(Math.max(...optionsOf(table, "kernel_size"))),
  };
}

function detailLayout(kernel) {
  const [detail, slot] = [30, Math.max(30 * kernel + 44, 150)];
  return { detail, slot, detailWidth: 2 * slot, detailHeight: 46 + 30 * kernel };
}

// What the table says about one state, with the names used below.
function lookUp(table, state) {
  const setting = table.settings[state.key];
  const geometry = table.geometry[setting.geometry];
  const size = geometry.shape[0] * geometry.shape[1];
  const now = {
    state, geometry, tone: table.input, values: table.input.values, shapeIn: table.input.shape, shapeOut: geometry.shape,
    y: table.outputs[setting.outputs], received: table.received[setting.received],
    routes: routesOf(table.routes[setting.routes], size), maxima: routesOf(geometry.maxima, size),
    isMax: state.operation === "max",
  };
  now.windowOf = ([row, column]) => ({ rows: geometry.rows[row], columns: geometry.columns[column] });
  now.holders = ([row, column]) => ({
    rows: [...geometry.rows.keys()].filter((window) => geometry.rows[window].includes(row)),
    columns: [...geometry.columns.keys()].filter((window) => geometry.columns[window].includes(column)),
  });
  now.routesTo = (element) => now.routes.flat().filter(({ input }) => input === ravel(element, now.shapeIn));
  return now;
}

function shade(tone, value) {
  const level = typeof value === "number" && tone.high > tone.low ? (value - tone.low) / (tone.high - tone.low) : 0;
  if (!tone.picture) return { fill: "var(--gx-ink)", strength: 0.03 + 0.15 * level };
  const grey = Math.round(255 * Math.max(0, Math.min(1, level)));
  return { fill: `rgb(${grey},${grey},${grey})`, ink: grey > 127 ? "#000" : "#fff" };
}

const heat = (colour, part) => ({ fill: `var(--gx-${colour})`, strength: part > 0 ? 0.12 + 0.5 * part : 0, faint: part === 0 });

function inputCells(now) {
  const { show } = now.state;
  const counts = show === "gradient" ? now.received : now.geometry.coverage;
  const top = Math.max(...counts.values, 0) || 1;
  const text = aligned(now.values);
  return now.values.map((value, index) => {
    const label = `row ${unravel(index, now.shapeIn).join(", column ")}: ${decimal(value)}`;
    if (show === "values") return { text: text(value), label, ...shade(now.tone, value) };
    const number = pick(counts, index);
    const words = show === "gradient" ? `receives ${fraction(number)}` : `in ${count(number, "window")}`;
    return { text: fraction(number), label: `${label}, ${words}`, ...heat(show === "gradient" ? "flow" : "pick", number / top) };
  });
}

function outputCells(now) {
  const text = aligned(now.y);
  return now.y.map((value, index) => {
    const label = `row ${unravel(index, now.shapeOut).join(", column ")}: ${decimal(value)}`;
    if (now.state.show === "gradient") return { text: "1", label: `${label}, upstream gradient 1`, ...heat("flow", 0.5) };
    return { text: text(value), label, ...shade(now.tone, value) };
  });
}

const TITLES = {
  values: ["input x", "output y"],
  gradient: ["grad_input", "grad_output"],
  coverage: ["coverage", "output y"],
};

function routingGrids(now, layout) {
  const { cell } = layout;
  const { state } = now;
  const titles = TITLES[state.show];
  const common = (name, shape) => ({ name, shape, cell, origin: layout[name], active: state.side === name });
  return {
    input: {
      ...common("input", now.shapeIn), padding: state.padding, filler: now.isMax ? "−∞" : "0", cells: inputCells(now),
      title: titles[0], picked: ravel(state.picked_input, now.shapeIn),
    },
    output: {
      ...common("output", now.shapeOut), padding: 0, cells: outputCells(now),
      title: titles[1], picked: ravel(state.picked_output, now.shapeOut),
    },
  };
}

// Where a route ends: at the edge of a winner's ring, or at the mark of a share.
function routeEnd(now, grid, element) {
  const { x, y } = middle(grid, element);
  return { x: x + (now.isMax ? 0.42 : 0.2) * grid.cell, y };
}

function routeArrow(now, { input, output }, route) {
  const [from, to] = [unravel(route.output, now.shapeOut), unravel(route.input, now.shapeIn)];
  const start = { x: corner(output, from).x, y: middle(output, from).y };
  const data = { "data-from": from.join(","), "data-to": to.join(","), "data-weight": route.weight };
  return { from: start, to: routeEnd(now, input, to), weight: route.weight, label: fraction(route.weight), data };
}

function routeMark(now, route) {
  const look = now.isMax ? { kind: "winner", size: 0.42 } : { kind: "share", size: 0.13, shift: 0.28 };
  return { on: "input", at: unravel(route.input, now.shapeIn), weight: route.weight, ...look };
}

// Many arrows to one window run together and end at its edge.
function trunk(now, { input }, arrows, window) {
  const [first, last] = [middle(input, [window.rows[0], 0]).y, middle(input, [window.rows.at(-1), 0]).y];
  const to = { x: corner(input, [0, window.columns.at(-1) + 1]).x + 2, y: (first + last) / 2 };
  return { ...arrows[0], to, label: `${arrows[0].label} each`, data: { "data-from": arrows[0].data["data-from"] } };
}

function outputMarks(now, grids) {
  const at = now.state.picked_output;
  const window = now.windowOf(at);
  const routes = now.routes[ravel(at, now.shapeOut)];
  const arrows = routes.map((route) => routeArrow(now, grids, route));
  return {
    frames: [
      { on: "input", kind: "window", ...window },
      { on: "output", kind: "picked", rows: [at[0]], columns: [at[1]] },
    ],
    circles: [...routes.map((route) => routeMark(now, route)), ...losers(now, at)],
    arrows: arrows.length > (now.isMax ? MANY : 1) ? [trunk(now, grids, arrows, window)] : arrows,
  };
}

// Elements as large as the winner that get nothing under the rule for ties.
function losers(now, at) {
  if (!now.isMax) return [];
  const index = ravel(at, now.shapeOut);
  const winners = now.routes[index].map((route) => route.input);
  const equals = now.maxima[index].filter((route) => !winners.includes(route.input));
  return equals.map((route) => ({ on: "input", at: unravel(route.input, now.shapeIn), kind: "equal", size: 0.42 }));
}

function inputMarks(now, grids) {
  const at = now.state.picked_input;
  const routes = now.routesTo(at);
  const paying = routes.map((route) => unravel(route.output, now.shapeOut));
  const windows = allPairs(now.holders(at));
  return {
    frames: [
      ...windows.map((window) => ({ on: "input", kind: "holder", ...now.windowOf(window) })),
      ...windows.map(([row, column]) => ({ on: "output", kind: "holder", rows: [row], columns: [column] })),
      ...paying.map(([row, column]) => ({ on: "output", kind: "payer", rows: [row], columns: [column] })),
      { on: "input", kind: "picked", rows: [at[0]], columns: [at[1]] },
    ],
    circles: [],
    arrows: routes.map((route) => routeArrow(now, grids, route)),
  };
}

const allPairs = ({ rows, columns }) => rows.flatMap((row) => columns.map((column) => [row, column]));

function outputSentence(now) {
  const at = now.state.picked_output;
  const [index, window] = [ravel(at, now.shapeOut), now.windowOf(at)];
  const real = (positions, size) => positions.filter((position) => position >= 0 && position < size);
  const [rows, columns] = [real(window.rows, now.shapeIn[0]), real(window.columns, now.shapeIn[1])];
  const padded = rows.length * columns.length < window.rows.length * window.columns.length;
  const covers = `its window covers ${span("row", rows)}, ${span("column", columns)}${padded ? " and some padding" : ""}.`;
  const ending = now.isMax ? winnerSentence(now, index) : shareSentence(now.routes[index], padded);
  return `Output ${place(at)} is ${decimal(now.y[index])}: ${covers} ${ending}`;
}

function winnerSentence(now, index) {
  const routes = now.routes[index];
  const winners = routes.map((route) => place(unravel(route.input, now.shapeIn)));
  const value = decimal(now.values[routes[0].input]);
  const equals = now.maxima[index].length;
  if (routes.length > 1) {
    return `The largest value, ${value}, stands at inputs ${list(winners)}: each gets ${fraction(routes[0].weight)} of the upstream gradient 1.`;
  }
  const tie = equals > 1 ? `${equals} inputs tie at ${value}, and the ${now.state.ties} one wins: input ${winners[0]}` : "";
  return `${tie || `The winner is input ${winners[0]} with value ${value}`}; it gets all of the upstream gradient 1.`;
}

function shareSentence(routes, padded) {
  const each = `Each of its ${count(routes.length, "element")} gets ${fraction(routes[0].weight)} of the upstream gradient 1.`;
  return padded ? `${each} The share of the padding reaches no input.` : each;
}

function inputSentence(now) {
  const at = now.state.picked_input;
  const index = ravel(at, now.shapeIn);
  const routes = now.routesTo(at);
  const held = pick(now.geometry.coverage, index);
  const start = `Input ${place(at)} is ${decimal(now.values[index])}: `;
  if (!held) return `${start}no window holds it, so it receives no gradient.`;
  const holds = `${count(held, "window")} ${held === 1 ? "holds" : "hold"} it`;
  if (!routes.length) return `${start}${holds}. It wins none of them, so it receives no gradient.`;
  const from = list(routes.map((route) => place(unravel(route.output, now.shapeOut))));
  const pays = now.isMax ? `. It wins ${routes.length === held ? "" : `${routes.length} of them: `}` : ", ";
  const outputs = `output${routes.length === 1 ? "" : "s"} ${from}`;
  const sum = sumText(routes.map((route) => fraction(route.weight)), fraction(pick(now.received, index)));
  return `${start}${holds}${pays}${outputs}. It receives ${sum}.`;
}

const reachSentence = ({ received, values }) =>
  ` From all outputs together, ${received.reached} of ${count(values.length, "input")} receive gradient.`;

function sumText(terms, total) {
  if (terms.length === 1) return total;
  const equal = terms.every((term) => term === terms[0]);
  return equal && terms.length > 3 ? `${terms.length} × ${terms[0]} = ${total}` : `${terms.join(" + ")} = ${total}`;
}

// The two small grids below: the numbers of the window and their shares, or the outputs that hold the element.
function routingDetail(now, layout) {
  return now.state.side === "output" ? windowDetail(now, layout) : holderDetail(now, layout);
}

function smallGrid(name, title, layout, where, positions, cells) {
  const { detail: cell, slot } = layout;
  const shape = [positions.rows.length, positions.columns.length];
  const origin = [22 + where * slot, 40];
  return { name, title, shape, cell, origin, cells, padding: 0, rowNames: positions.rows, columnNames: positions.columns };
}

function windowDetail(now, layout) {
  const window = now.windowOf(now.state.picked_output);
  const routes = now.routes[ravel(now.state.picked_output, now.shapeOut)];
  const outside = { outside: true, faint: true, fill: "none" };
  const text = aligned(now.values);
  const values = allPairs(window).map((at) => {
    if (!inside(at, now.shapeIn)) return { text: now.isMax ? "−∞" : "0", ...outside };
    const value = now.values[ravel(at, now.shapeIn)];
    return { text: text(value), ...shade(now.tone, value) };
  });
  const weights = allPairs(window).map((at) => {
    const route = inside(at, now.shapeIn) && routes.find(({ input }) => input === ravel(at, now.shapeIn));
    return inside(at, now.shapeIn) ? weightCell(route) : { text: "–", ...outside };
  });
  return [
    smallGrid("window", "window", layout, 0, window, values),
    smallGrid("weights", "gradient", layout, 1, window, weights),
  ];
}

const weightCell = (route) => ({ text: fraction(route ? route.weight : 0), ...heat("flow", route ? route.weight : 0) });

function holderDetail(now, layout) {
  const holders = now.holders(now.state.picked_input);
  const routes = now.routesTo(now.state.picked_input);
  const outputs = allPairs(holders).map((at) => ravel(at, now.shapeOut));
  const text = aligned(now.y);
  const values = outputs.map((output) => ({ text: text(now.y[output]), ...shade(now.tone, now.y[output]) }));
  const weights = outputs.map((output) => weightCell(routes.find((route) => route.output === output)));
  return [
    smallGrid("window", "its outputs", layout, 0, holders, values),
    smallGrid("weights", "gradient", layout, 1, holders, weights),
  ];
}

function routingLegend({ side, operation, ties }) {
  const gradient = ["arrow", "gradient"];
  if (side === "input") return [["picked", "picked"], ["holder", "its windows"], ["payer", "sends gradient"], gradient];
  if (operation !== "max") return [["window", "window"], ["share", "gets a share"], gradient];
  const equal = ties === "split" ? [] : [["equal", "equal, not chosen"]];
  return [["window", "window"], ["winner", "winner"], ...equal, gradient];
}

const routing = {
  controls: [{ name: "show", label: "show", options: ["values", "gradient", "coverage"] }],
  picks: { input: "picked_input", output: "picked_output" },
  labels: { input: "Input x", output: "Output y" },
  details: ["window", "weights"],
  legend: routingLegend,
  layout: routingLayout,
  settle(table, state) {
    const { shape } = table.geometry[table.settings[state.key].geometry];
    state.picked_output = state.picked_output.map((at, axis) => Math.min(at, shape[axis] - 1));
  },
  draw(table, state, layout) {
    const now = lookUp(table, state);
    const grids = routingGrids(now, layout);
    const [marks, sentence] = state.side === "output" ? [outputMarks, outputSentence] : [inputMarks, inputSentence];
    const words = sentence(now) + (state.show === "gradient" ? reachSentence(now) : "");
    return { grids, ...marks(now, grids), sentence: words, details: routingDetail(now, layout) };
  },
  // Enter follows the gradient to the other side: to a winner, or to an output that pays.
  follow(table, state) {
    const now = lookUp(table, state);
    if (state.side === "output") {
      const [route] = now.routes[ravel(state.picked_output, now.shapeOut)];
      return { side: "input", ...(route && { picked_input: unravel(route.input, now.shapeIn) }) };
    }
    const [route] = now.routesTo(state.picked_input);
    const [holder] = allPairs(now.holders(state.picked_input));
    const output = route ? unravel(route.output, now.shapeOut) : holder;
    return { side: "output", ...(output && { picked_output: output }) };
  },
};

const KINDS = { routing };

// ---- The widget -----------------------------------------------------------------------------------------------------

// From below: the cells, the arrows, the numbers, the marks.
function makePicture(kind, layout) {
  const grids = Object.fromEntries(Object.entries(kind.labels).map(([name, label]) => [name, makeGrid(name, label)]));
  const details = kind.details.map((name) => makeGrid(name));
  const [arrows, marks] = [make("g", { class: "gx-marks" }), make("g", { class: "gx-marks" })];
  const nodes = (all, part) => Object.values(all).map((grid) => grid[part]);
  const stage = canvas("gx-stage", layout.width, layout.height, ...nodes(grids, "node"), arrows, ...nodes(grids, "texts"), marks);
  const detail = canvas("gx-detail", layout.detailWidth, layout.detailHeight, ...nodes(details, "node"), ...nodes(details, "texts"));
  set(detail, { "aria-hidden": "true" }); // The sentence says the same.
  const draw = (scene) => {
    for (const [name, spec] of Object.entries(scene.grids)) grids[name].draw(spec);
    details.forEach((grid, index) => grid.draw(scene.details[index]));
    const frames = scene.frames.map((mark) => frame(scene.grids[mark.on], mark));
    const circles = scene.circles.map((mark) => circle(scene.grids[mark.on], mark));
    arrows.replaceChildren(...scene.arrows.map(arrow));
    marks.replaceChildren(...frames, ...circles, ...tags(scene.arrows, layout.gapAt));
  };
  return { stage, detail, grids, draw };
}

function canvas(name, width, height, ...children) {
  const style = `max-width: ${width}px`;
  return make("svg", { class: name, viewBox: `0 0 ${width} ${height}`, width, height, style }, ...children);
}

const square = () => make("rect", { x: 2, y: 2, width: 12, height: 12, rx: 2 });
const ring = () => make("circle", { cx: 8, cy: 8, r: 6 });
const ICONS = {
  window: square, picked: square, holder: square, payer: square, winner: ring, equal: ring,
  share: () => make("circle", { cx: 8, cy: 8, r: 4 }),
  arrow: () => make("path", { d: "M16,7 H9 V4 L1,8 L9,12 V9 H16 z", class: "gx-head" }),
};

function legendEntry([kind, text]) {
  const icon = make("svg", { viewBox: "0 0 16 16", width: 16, height: 16, class: `gx-${kind}` }, ICONS[kind]());
  return make("span", {}, set(icon, { "aria-hidden": "true" }), text);
}

const HINT = "Click a cell. Or press Tab to reach a grid, move with the arrow keys, and follow the gradient with Enter.";

function cellAt(node) {
  const cell = node.closest?.("[data-cell]");
  const grid = cell?.closest("[data-grid]");
  return grid && { name: grid.dataset.grid, at: cell.dataset.cell.split(",").map(Number) };
}

function listenToPointer(stage, picture, kind, change) {
  const choose = (event) => {
    const found = cellAt(event.target);
    if (!found || !(found.name in kind.picks)) return;
    picture.grids[found.name].node.focus({ preventScroll: true });
    change({ side: found.name, [kind.picks[found.name]]: found.at });
  };
  stage.addEventListener("click", choose);
  stage.addEventListener("pointermove", (event) => event.buttons === 1 && event.pointerType === "mouse" && choose(event));
}

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function moved(at, key, shape) {
  if (key === "Home") return [at[0], 0];
  if (key === "End") return [at[0], shape[1] - 1];
  return at.map((position, axis) => Math.max(0, Math.min(shape[axis] - 1, position + MOVES[key][axis])));
}

function listenToKeys(stage, picture, kind, { read, change, follow }) {
  stage.addEventListener("keydown", (event) => {
    const name = event.target.dataset?.grid;
    if (!(name in kind.picks) || event.ctrlKey || event.metaKey || event.altKey) return;
    const pickName = kind.picks[name];
    if (event.key in MOVES || event.key === "Home" || event.key === "End") {
      const shape = event.target.dataset.shape.split(",").map(Number);
      change({ side: name, [pickName]: moved(read()[pickName], event.key, shape) });
    } else if (event.key === "Enter" || event.key === " ") {
      const next = read().side === name ? follow() : change({ side: name });
      picture.grids[next.side].node.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// The state that a model holds, read, changed and watched as a whole.
function watch(model, table, kind, names, draw) {
  let [own, waiting] = [false, false];
  const settled = (state) => {
    const { key, open } = settle(table, state);
    Object.assign(state, { key, open });
    kind.settle(table, state);
    return state;
  };
  const read = () => settled(Object.fromEntries(names.map((name) => [name, model.get(name)])));
  const change = (changes) => {
    const state = settled({ ...read(), ...changes });
    own = true;
    names.filter((name) => !same(model.get(name), state[name])).forEach((name) => model.set(name, state[name]));
    own = false;
    draw(state);
    model.save_changes();
    return state;
  };
  const later = () => {
    if (own || waiting) return;
    waiting = true; // Several traits often change at once: one drawing shows them all.
    queueMicrotask(() => {
      waiting = false;
      draw(read());
    });
  };
  names.forEach((name) => model.on(`change:${name}`, later));
  return { read, change, stop: () => names.forEach((name) => model.off(`change:${name}`, later)) };
}

function render({ model, el }) {
  const table = openTable(model.get("table"));
  const kind = KINDS[table.kind];
  const layout = kind.layout(table);
  const names = [...table.controls, ...kind.controls].map(({ name }) => name).concat("side", Object.values(kind.picks));
  const picture = makePicture(kind, layout);
  const sentence = make("p", { class: "gx-sentence", "aria-live": "polite" });
  const legend = make("p", { class: "gx-legend" });
  const root = make("div", { class: "gx", "data-kind": table.kind });
  const state = watch(model, table, kind, names, (now) => draw(now));
  const controls = [...table.controls, ...kind.controls].filter(({ options }) => options.length > 1)
    .map((control) => ({ ...control, ...makeControl(control, state.change) }));

  function draw(now) {
    for (const { name, only, draw: drawControl } of controls) {
      const matters = Object.entries(only ?? {}).every(([other, value]) => now[other] === value);
      drawControl(now[name], now.open[name], matters);
    }
    const scene = kind.draw(table, now, layout);
    picture.draw(scene);
    say(sentence, scene.sentence);
    legend.replaceChildren(...kind.legend(now).map(legendEntry));
    set(root, { "data-setting": now.key, "data-side": now.side, "data-show": now.show });
    set(root, { "data-drawn": Number(root.dataset.drawn ?? 0) + 1 });
  }

  const follow = () => state.change(kind.follow(table, state.read()));
  listenToPointer(picture.stage, picture, kind, state.change);
  listenToKeys(picture.stage, picture, kind, { ...state, follow });
  const words = make("div", { class: "gx-words" }, legend, sentence, make("p", { class: "gx-hint" }, HINT));
  root.append(make("div", { class: "gx-controls" }, ...controls.map(({ node }) => node)), picture.stage, make("div", { class: "gx-foot" }, words, picture.detail));
  draw(state.read());
  el.append(root);
  return () => {
    state.stop();
    root.remove();
  };
}

// ---- A page without a kernel ----------------------------------------------------------------------------------------

// What stands in for a kernel's model: it keeps the values and tells who listens.
export function pageModel(values) {
  const listeners = {};
  return {
    get: (name) => values[name],
    set(name, value) {
      values[name] = value;
      (listeners[`change:${name}`] ?? []).forEach((listener) => listener());
    },
    on: (event, listener) => (listeners[event] ??= []).push(listener),
    off(event, listener) {
      listeners[event] = (listeners[event] ?? []).filter((other) => other !== listener);
    },
    save_changes() {},
  };
}

export function mountAll(root) {
  for (const el of root.querySelectorAll("[data-explorable]")) {
    render({ model: pageModel(JSON.parse(el.querySelector("script").textContent)), el });
  }
}

export default { render };
