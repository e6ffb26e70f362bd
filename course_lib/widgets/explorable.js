// Draws the course's explorables. Python computed every number in the table; this module only puts it on the screen.
//
// The kinds of widgets stand in kinds/, one file each, which Python puts after this one: together they are one module.
// A kind is an entry of KINDS:
//   controls  its controls beside those of the table: name, label, options
//   picks     for each grid that can be picked, the name of the trait that holds the picked row and column
//   labels    for each grid of the main picture, what a screen reader calls it
//   details   the names of the small grids below
//   layout(table)               measures that never change: width, height, gapAt, detailWidth, detailHeight and its own
//   settle(table, state)        brings a state in order after a control has changed
//   draw(table, state, layout)  a scene: grids, frames, circles, arrows, details, sentence
//   legend(state)               pairs of a mark's kind and its words
//   follow(table, state)        what Enter changes

const KINDS = {};

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
  const digits = numbers.every(Number.isInteger) ? 0 : decimals(Math.max(...numbers.map(Math.abs)));
  return (value) => (typeof value === "number" ? fixed(value, digits) : value);
}

function decimals(largest) {
  if (largest >= 100) return 0;
  if (largest >= 10) return 1;
  return largest >= 0.1 ? 2 : 4;
}

const fixed = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace("-", "");

function fraction(value) {
  for (let below = 1; below <= 144; below += 1) {
    const above = Math.round(value * below);
    if (Math.abs(above - value * below) < 1e-9 * below) return below === 1 ? `${above}` : `${above}/${below}`;
  }
  return decimal(value, 3);
}

const place = ([row, column]) => `(${row},\u00a0${column})`; // Never broken between two lines.
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
  const title = make("span", { class: "gx-name" }, label);
  const node = make("div", names, title, make("div", { class: "gx-options" }, ...labels));
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
  for (const part of ["padding", "body"]) parts[part] = make("g");
  const node = make("g", { class: "gx-grid", "data-grid": name }, ...Object.values(parts));
  const texts = make("g", { class: "gx-texts", "aria-hidden": "true" }, make("g"), make("g"));
  if (label) set(node, { role: "grid", tabindex: 0, "aria-label": label, ...KEEPS_KEYS });
  const grid = { node, parts, texts, label, id: uniqueName(), shape: "", cells: [] };
  return { node, texts, draw: (spec) => drawGrid(grid, spec) };
}

// A grid whose key is that of the last drawing has the same numbers at the same places: only its pick may be new.
function drawGrid(grid, spec) {
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
  set(node, { x: spec.origin[0], y: corner(spec, [-spec.padding, 0]).y - 24 });
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
  for (let row = -grid.padding; row < grid.shape[0] + grid.padding; row += 1)
    for (let column = -grid.padding; column < grid.shape[1] + grid.padding; column += 1)
      if (!inside([row, column], grid.shape)) found.push(paddingCell(grid, corner(grid, [row, column])));
  return found;
}

function paddingCell({ cell, filler }, { x, y }) {
  const box = make("rect", { x: x + 1.5, y: y + 1.5, width: cell - 3, height: cell - 3, rx: 2 });
  const look = { x: x + cell / 2, y: y + cell / 2, "font-size": Math.min(11, cell * 0.36) };
  return make("g", { class: "gx-padding" }, box, make("text", look, cell < 26 ? "" : filler));
}

// ---- Marks over the grids -------------------------------------------------------------------------------------------

// Every mark lies on an edge in the colour of the page, which keeps it visible on any grey.
const edged = (tag, names, shape) => make("g", names, make(tag, { class: "gx-edge", ...shape }), make(tag, shape));

function frame(grid, { on, kind, rows, columns }) {
  const from = corner(grid, [rows[0], columns[0]]);
  const to = corner(grid, [rows.at(-1) + 1, columns.at(-1) + 1]);
  const box = { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y, rx: 2 };
  const data = { "data-mark": kind, "data-on": on, "data-rows": rows.join(","), "data-columns": columns.join(",") };
  return edged("rect", { class: `gx-${kind}`, ...data }, box);
}

function circle(grid, { on, at, kind, weight, size, shift = 0 }) {
  const { x, y } = middle(grid, at);
  const round = { cx: x + shift * grid.cell, cy: y + shift * grid.cell, r: size * grid.cell };
  const data = { "data-mark": kind, "data-on": on, "data-cell": at.join(","), "data-weight": weight };
  return edged("circle", { class: `gx-${kind}`, ...data }, round);
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

// ---- The widget -----------------------------------------------------------------------------------------------------

// From below: the cells, the arrows, the numbers, the marks.
function makePicture(kind, layout) {
  const grids = Object.fromEntries(Object.entries(kind.labels).map(([name, label]) => [name, makeGrid(name, label)]));
  const details = kind.details.map((name) => makeGrid(name));
  const [arrows, marks] = [make("g", { class: "gx-marks" }), make("g", { class: "gx-marks" })];
  const layers = (all, ...between) => [...all.map(({ node }) => node), ...between, ...all.map(({ texts }) => texts)];
  const stage = canvas("gx-stage", layout.width, layout.height, ...layers(Object.values(grids), arrows), marks);
  const detail = canvas("gx-detail", layout.detailWidth, layout.detailHeight, ...layers(details));
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

const HINT = "Click a cell. Or press Tab to reach a grid, move with the arrow keys, follow the gradient with Enter.";

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
  const drags = (event) => event.buttons === 1 && event.pointerType === "mouse";
  stage.addEventListener("pointermove", (event) => drags(event) && choose(event));
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

function makeControls(table, kind, change) {
  const shown = [...table.controls, ...kind.controls].filter(({ options }) => options.length > 1);
  const controls = shown.map((control) => ({ ...control, ...makeControl(control, change) }));
  const draw = (state) => {
    for (const { name, only, draw: drawOne } of controls) {
      const matters = Object.entries(only ?? {}).every(([other, value]) => state[other] === value);
      drawOne(state[name], state.open[name], matters);
    }
  };
  return { node: make("div", { class: "gx-controls" }, ...controls.map(({ node }) => node)), draw };
}

function makeWords(kind) {
  const legend = make("p", { class: "gx-legend" });
  const sentence = make("p", { class: "gx-sentence", "aria-live": "polite" });
  const node = make("div", { class: "gx-words" }, legend, sentence, make("p", { class: "gx-hint" }, HINT));
  const draw = (state, text) => {
    legend.replaceChildren(...kind.legend(state).map(legendEntry));
    say(sentence, text);
  };
  return { node, draw };
}

function render({ model, el }) {
  const table = openTable(model.get("table"));
  const kind = KINDS[table.kind];
  const layout = kind.layout(table);
  const names = [...table.controls, ...kind.controls].map(({ name }) => name);
  const state = watch(model, table, kind, [...names, "side", ...Object.values(kind.picks)], draw);
  const controls = makeControls(table, kind, state.change);
  const [picture, words] = [makePicture(kind, layout), makeWords(kind)];
  const foot = make("div", { class: "gx-foot" }, words.node, picture.detail);
  const root = make("div", { class: "gx", "data-kind": table.kind }, controls.node, picture.stage, foot);
  let drawn = 0;

  function draw(now) {
    const scene = kind.draw(table, now, layout);
    controls.draw(now);
    picture.draw(scene);
    words.draw(now, scene.sentence);
    drawn += 1;
    set(root, { "data-setting": now.key, "data-side": now.side, "data-show": now.show, "data-drawn": drawn });
  }

  listenToPointer(picture.stage, picture, kind, state.change);
  const follow = () => state.change(kind.follow(table, state.read()));
  listenToKeys(picture.stage, picture, kind, { ...state, follow });
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
