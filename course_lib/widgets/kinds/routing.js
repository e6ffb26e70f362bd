// The routing explorable: which way does the gradient go? The braces keep its names from those of other kinds.
{

const MANY = 4; // Up to so many winners have arrows of their own; more run together to the edge of the window.

// The grids side by side, or one above the other where there is little room.
function layout(table, narrow) {
  const [rows, columns] = table.input.shape;
  const pad = Math.max(...optionsOf(table, "padding"));
  const outputs = Object.values(table.geometry).map((geometry) => geometry.shape);
  const most = [0, 1].map((axis) => Math.max(...outputs.map((shape) => shape[axis])));
  const small = detailLayout(Math.max(...optionsOf(table, "kernel_size")), narrow);
  return { ...(narrow ? stacked : beside)([rows, columns].map((size) => size + 2 * pad), most, pad), ...small };
}

function detailLayout(kernel, narrow) {
  const detail = narrow ? Math.min(34, Math.floor(130 / kernel)) : 34;
  const slot = Math.max(detail * kernel + 40, narrow ? 165 : 150);
  return { detail, slot, detailWidth: 2 * slot, detailHeight: 46 + detail * kernel };
}

// What the table says about one state, with the names used below.
function lookUp(table, state) {
  const setting = table.settings[state.key];
  const geometry = table.geometry[setting.geometry];
  const size = geometry.shape[0] * geometry.shape[1];
  return {
    state, geometry, tone: table.input, values: table.input.values,
    shapeIn: table.input.shape, shapeOut: geometry.shape,
    y: table.outputs[setting.outputs], received: table.received[setting.received],
    routes: routesOf(table.routes[setting.routes], size), maxima: routesOf(geometry.maxima, size),
    isMax: state.operation === "max",
  };
}

function routesTo(now, element) {
  const wanted = ravel(element, now.shapeIn);
  return now.routes.flat().filter(({ input }) => input === wanted);
}

// Both grids of the gradient view have one scale.
const strongest = ({ received }) => Math.max(...received.values, 1);

function receivedCells(now) {
  return now.values.map((value, index) => {
    const number = pick(now.received, index);
    const label = `${nameOf(index, now.shapeIn, value)}, receives ${fraction(number)}`;
    return { text: fraction(number), label, ...heat("flow", number / strongest(now)) };
  });
}

function upstreamCells(now) {
  const cell = { text: "1", ...heat("flow", 1 / strongest(now)) };
  const name = (value, index) => nameOf(index, now.shapeOut, value);
  return now.y.map((value, index) => ({ ...cell, label: `${name(value, index)}, upstream gradient 1` }));
}

function coverageCells(now) {
  const top = Math.max(...now.geometry.coverage.values, 1);
  return now.values.map((value, index) => {
    const number = pick(now.geometry.coverage, index);
    const label = `${nameOf(index, now.shapeIn, value)}, in ${count(number, "window")}`;
    return { text: String(number), label, ...heat("pick", number / top) };
  });
}

const inputValues = (now) => valueCells(now, now.values, now.shapeIn);
const outputValues = (now) => valueCells(now, now.y, now.shapeOut);

// What each view shows in the two grids: a title, and the cells.
const VIEWS = {
  values: { input: ["input x", inputValues], output: ["output y", outputValues] },
  gradient: { input: ["grad_input", receivedCells], output: ["grad_output", upstreamCells] },
  coverage: { input: ["coverage", coverageCells], output: ["output y", outputValues] },
};

function grid(now, layout, name, shape, picked) {
  const { state } = now;
  const [title, cells] = VIEWS[state.show][name];
  return {
    key: `${state.key} ${state.show}`, name, shape, title, subtitle: shape.join(" × "), cells: () => cells(now),
    origin: layout[name], cell: layout.cell, padding: 0, active: state.side === name, picked: ravel(picked, shape),
  };
}

function grids(now, layout) {
  const { state } = now;
  const border = { padding: state.padding, filler: now.isMax ? "−∞" : "0" };
  return {
    input: { ...grid(now, layout, "input", now.shapeIn, state.picked_input), ...border },
    output: { ...grid(now, layout, "output", now.shapeOut, state.picked_output), below: layout.upright },
  };
}

// Whether an element stands in the first line of a window along the arrow's way: the frame lies on the line before it.
function atStart(now, output, [row, column], upright) {
  const { rows, columns } = windowOf(now, output);
  return upright ? column === columns[0] : row === rows[0];
}

// A route ends at a winner's ring, at the mark of a share, or within the frame of the picked element.
function routeArrow(now, { input, output }, route, { upright }, edge = null) {
  const [from, to] = [unravel(route.output, now.shapeOut), unravel(route.input, now.shapeIn)];
  const data = { "data-from": from.join(","), "data-to": edge ? null : to.join(","), "data-weight": route.weight };
  const tip = now.state.side === "input" || !atStart(now, from, to, upright) ? 0.3 : -0.3;
  const look = { weight: route.weight, label: fraction(route.weight), data, tip, upright, edge };
  return cellArrow({ grid: output, at: from }, { grid: input, at: to }, look);
}

function routeMark(now, route) {
  const look = now.isMax ? { kind: "winner", size: 0.42 } : { kind: "share", size: 0.13, shift: 0.28 };
  return { on: "input", at: unravel(route.input, now.shapeIn), weight: route.weight, ...look };
}

// Many arrows to one window run together and end at its edge.
function outputMarks(now, both, measures) {
  const at = now.state.picked_output;
  const window = windowOf(now, at);
  const routes = now.routes[ravel(at, now.shapeOut)];
  const many = routes.length > (now.isMax ? MANY : 1);
  const arrows = routes.map((route) => routeArrow(now, both, route, measures, many && window));
  return {
    frames: [
      { on: "input", kind: "window", ...window },
      { on: "output", kind: "picked", rows: [at[0]], columns: [at[1]] },
    ],
    circles: [...routes.map((route) => routeMark(now, route)), ...losers(now, at)],
    arrows: many ? [{ ...arrows[0], label: `${arrows[0].label} each` }] : arrows,
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

function inputMarks(now, both, measures) {
  const at = now.state.picked_input;
  const routes = routesTo(now, at);
  const paying = routes.map((route) => unravel(route.output, now.shapeOut));
  const windows = allPairs(holdersOf(now, at));
  return {
    frames: [
      ...windows.map((window) => ({ on: "input", kind: "holder", ...windowOf(now, window) })),
      ...windows.map(([row, column]) => ({ on: "output", kind: "holder", rows: [row], columns: [column] })),
      ...paying.map(([row, column]) => ({ on: "output", kind: "payer", rows: [row], columns: [column] })),
      { on: "input", kind: "picked", rows: [at[0]], columns: [at[1]] },
    ],
    circles: [],
    arrows: routes.map((route) => routeArrow(now, both, route, measures)),
  };
}

function outputSentence(now) {
  const at = now.state.picked_output;
  const [index, window] = [ravel(at, now.shapeOut), windowOf(now, at)];
  const real = (positions, size) => positions.filter((position) => position >= 0 && position < size);
  const [rows, columns] = [real(window.rows, now.shapeIn[0]), real(window.columns, now.shapeIn[1])];
  const padded = rows.length * columns.length < window.rows.length * window.columns.length;
  const covers = `${span("row", rows)}, ${span("column", columns)}${padded ? " and some padding" : ""}`;
  const ending = now.isMax ? winnerSentence(now, index) : shareSentence(now.routes[index], padded);
  return `Output ${place(at)} is ${decimal(now.y[index])}: its window covers ${covers}. ${ending}`;
}

function winnerSentence(now, index) {
  const routes = now.routes[index];
  const winners = routes.map((route) => place(unravel(route.input, now.shapeIn)));
  const value = decimal(now.values[routes[0].input]);
  const equals = now.maxima[index].length;
  if (routes.length > 1) {
    const each = `each gets ${fraction(routes[0].weight)} of the upstream gradient 1`;
    return `The largest value, ${value}, stands at inputs ${list(winners)}: ${each}.`;
  }
  const start = equals > 1 ? `${equals} inputs tie at ${value}, and the ${now.state.ties} one wins: input ${winners[0]}`
    : `The winner is input ${winners[0]} with value ${value}`;
  return `${start}; it gets all of the upstream gradient 1.`;
}

function shareSentence(routes, padded) {
  const share = fraction(routes[0].weight);
  const each = `Each of its ${count(routes.length, "element")} gets ${share} of the upstream gradient 1.`;
  return padded ? `${each} The share of the padding is lost.` : each;
}

function inputSentence(now) {
  const at = now.state.picked_input;
  const index = ravel(at, now.shapeIn);
  const routes = routesTo(now, at);
  const held = pick(now.geometry.coverage, index);
  const start = `Input ${place(at)} is ${decimal(now.values[index])}: `;
  if (!held) return `${start}no window holds it, so it receives no gradient.`;
  const holds = `${start}${count(held, "window")} ${held === 1 ? "holds" : "hold"} it`;
  if (!routes.length) return `${holds}. It wins none of them, so it receives no gradient.`;
  const sum = sumText(routes.map((route) => fraction(route.weight)), fraction(pick(now.received, index)));
  return `${holds}${now.isMax ? winsText(now, routes, held) : blockText(holdersOf(now, at))}. It receives ${sum}.`;
}

function winsText(now, routes, held) {
  const places = list(routes.map((route) => place(unravel(route.output, now.shapeOut))));
  const outputs = `output${routes.length === 1 ? "" : "s"} ${places}`;
  return `. It wins ${routes.length === held ? outputs : `${routes.length} of them: ${outputs}`}`;
}

const reachSentence = ({ received, values }) =>
  ` All outputs together reach ${received.reached} of ${count(values.length, "input")}.`;

// The two small grids below: the numbers of the window and their shares, or the outputs that hold the element.
function details(now, layout) {
  return now.state.side === "output" ? windowDetail(now, layout) : holderDetail(now, layout);
}

function smallGrid(name, title, layout, where, positions, cells) {
  const { detail: cell, slot } = layout;
  const shape = [positions.rows.length, positions.columns.length];
  const names = [positions.rows, positions.columns];
  return { name, title, shape, cell, names, origin: [22 + where * slot, 40], cells: () => cells, padding: 0 };
}

function windowDetail(now, layout) {
  const window = windowOf(now, now.state.picked_output);
  const routes = now.routes[ravel(now.state.picked_output, now.shapeOut)];
  const outside = { faint: true, fill: "none" };
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

// Nothing where no window holds the element.
function holderDetail(now, layout) {
  const holders = holdersOf(now, now.state.picked_input);
  if (!holders.rows.length || !holders.columns.length) return [null, null];
  const routes = routesTo(now, now.state.picked_input);
  const outputs = allPairs(holders).map((at) => ravel(at, now.shapeOut));
  const text = aligned(now.y);
  const values = outputs.map((output) => ({ text: text(now.y[output]), ...shade(now.tone, now.y[output]) }));
  const weights = outputs.map((output) => weightCell(routes.find((route) => route.output === output)));
  return [
    smallGrid("window", "its outputs", layout, 0, holders, values),
    smallGrid("weights", "gradient", layout, 1, holders, weights),
  ];
}

function legend({ side, operation, ties }) {
  const gradient = ["arrow", "gradient"];
  if (side === "input") return [["picked", "picked"], ["holder", "its windows"], ["payer", "sends gradient"], gradient];
  if (operation !== "max") return [["window", "window"], ["share", "gets a share"], gradient];
  const equal = ties === "split" ? [] : [["equal", "equal, not chosen"]];
  return [["window", "window"], ["winner", "winner"], ...equal, gradient];
}

KINDS.routing = {
  controls: [{ name: "show", label: "show", options: Object.keys(VIEWS) }],
  picks: { input: "picked_input", output: "picked_output" },
  labels: { input: "Input x", output: "Output y" },
  details: ["window", "weights"],
  hint: "Click a cell. Or press Tab to reach a grid, move with the arrow keys, follow the gradient with Enter.",
  legend,
  layout,
  settle(table, state) {
    const { shape } = table.geometry[table.settings[state.key].geometry];
    state.picked_output = state.picked_output.map((at, axis) => Math.min(at, shape[axis] - 1));
  },
  draw(table, state, measures) {
    const now = lookUp(table, state);
    const both = grids(now, measures);
    const [marks, sentence] = state.side === "output" ? [outputMarks, outputSentence] : [inputMarks, inputSentence];
    const words = sentence(now) + (state.show === "gradient" ? reachSentence(now) : "");
    return { grids: both, ...marks(now, both, measures), sentence: words, details: details(now, measures) };
  },
  // Enter follows the gradient to the other side: to a winner, or to an output that pays.
  follow(table, state) {
    const now = lookUp(table, state);
    if (state.side === "output") {
      const [route] = now.routes[ravel(state.picked_output, now.shapeOut)];
      return { side: "input", ...(route && { picked_input: unravel(route.input, now.shapeIn) }) };
    }
    const [route] = routesTo(now, state.picked_input);
    const [holder] = allPairs(holdersOf(now, state.picked_input));
    const output = route ? unravel(route.output, now.shapeOut) : holder;
    return { side: "output", ...(output && { picked_output: output }) };
  },
};

}
