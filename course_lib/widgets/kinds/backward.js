// The backward stepper: both passes, element by element.
{

// The forward pass above, the backward pass below; inputs to the left, outputs to the right.
function layout(table, narrow) {
  const { input, output, pad } = mostRoom(table);
  const [left, top, gap] = [22, 44, narrow ? 62 : 110];
  const room = (narrow ? 340 : 620) - 2 * left - gap;
  const cell = Math.max(17, Math.min(40, Math.floor(room / (input[1] + output[1]))));
  const tall = Math.max(input[0], pad + output[0]) * cell;
  const [first, second] = [top + pad * cell, top + tall + 64 + pad * cell];
  const right = left + input[1] * cell + gap;
  const kernel = Math.max(...optionsOf(table, "kernel_size"));
  const slot = narrow ? 106 : 150;
  const detail = Math.min(32, Math.floor((slot - 30) / kernel));
  return {
    cell, narrow, detail, slot, x: [left + pad * cell, first], y: [right, first],
    grad_input: [left + pad * cell, second], grad_output: [right, second],
    width: right + Math.max(output[1] * cell, narrow ? 92 : 140) + 4, height: second + tall - pad * cell + 8,
    detailWidth: 3 * slot + 8, detailHeight: 46 + detail * kernel,
  };
}

// What the table says about one state, and how far both passes have come.
function lookUp(table, state) {
  const setting = table.settings[state.key];
  const geometry = table.geometry[setting.geometry];
  const { y, chosen, upstream } = table.forward[setting.forward];
  const scatter = table.scatter[setting.scatter];
  const back = state.step - y.length;
  return {
    state, geometry, tone: table.input, values: table.input.values, shapeIn: table.input.shape,
    shapeOut: geometry.shape, y, chosen, upstream, notes: scatter.notes, last: setting.last,
    routes: withAmounts(routesOf(table.routes[setting.routes], y.length), scatter),
    isMax: state.operation === "max", gathers: state.form === "gather",
    forwards: Math.min(state.step, y.length), backwards: Math.max(back, 0),
    phase: state.step === 0 ? "start" : back > 0 ? state.form : "forward",
    now: (back > 0 ? back : state.step) - 1,
  };
}

// The routes of each output, each with what it adds and what stands in its place then.
function withAmounts(routes, scatter) {
  let next = 0;
  return routes.map((ways) => ways.map((way) => {
    const amount = pick(scatter.amounts, next);
    next += 1;
    return { ...way, amount, after: pick(scatter.after, next - 1) };
  }));
}

// What stands in an element once the first outputs have sent their gradients.
function standing(now, element, outputs) {
  const ways = now.routes.slice(0, outputs).flat().filter(({ input }) => input === element);
  return ways.length ? ways.at(-1).after : 0;
}

const waysTo = (now, element) => now.routes.flat().filter(({ input }) => input === element);
const sumOf = (now, element) => waysTo(now, element).at(-1)?.after ?? 0;

// Elements whose gradient was overwritten by now.
function overwritten(now) {
  if (now.gathers || now.state.write === "+=") return [];
  const counts = now.values.map(() => 0);
  now.routes.slice(0, now.backwards).flat().forEach(({ input }) => { counts[input] += 1; });
  return [...counts.keys()].filter((element) => counts[element] > 1);
}

// A gradient as text, with a true minus; and its colour: red above zero, blue below, as in every other picture.
const exact = (value) => fraction(value).replace("-", "−");
const signHeat = (value, part) => heat(value < 0 ? "pick" : "flow", part);
const asSum = (text) => text.replaceAll("+ −", "− ");

function gradCells(now) {
  const sums = now.values.map((_, element) => sumOf(now, element));
  const most = Math.max(...[...now.upstream, ...sums].map(Math.abs), 1e-9);
  const cell = (value, index, shape) => {
    return { text: exact(value), label: nameOf(index, shape, value), ...signHeat(value, Math.abs(value) / most) };
  };
  const blank = (index, shape) => {
    return { text: "", label: `row ${unravel(index, shape).join(", column ")}: not yet`, fill: "none" };
  };
  const input = now.values.map((_, element) => {
    if (!now.gathers) return cell(standing(now, element, now.backwards), element, now.shapeIn);
    return element < now.backwards ? cell(sums[element], element, now.shapeIn) : blank(element, now.shapeIn);
  });
  return { input, output: now.upstream.map((value, index) => cell(value, index, now.shapeOut)), blank };
}

function grids(now, measures) {
  const { state, shapeIn, shapeOut } = now;
  const grads = gradCells(now);
  const size = (shape) => (measures.narrow ? "" : shape.join(" × "));
  const values = valueCells(now, now.y, shapeOut);
  const y = values.map((cell, index) => (index < now.forwards ? cell : grads.blank(index, shapeOut)));
  const spec = (name, title, shape, cells, rest = {}) => ({
    name, title, subtitle: size(shape), shape, cells: () => cells, origin: measures[name], cell: measures.cell,
    key: `${state.key} ${name} ${state.step}`, padding: 0, ...rest,
  });
  const border = { padding: state.padding, over: now.geometry.over };
  return {
    x: spec("x", "x", shapeIn, valueCells(now, now.values, shapeIn), { ...border, filler: now.isMax ? "−∞" : "0" }),
    y: spec("y", "y", shapeOut, y),
    grad_input: spec("grad_input", "grad_input", shapeIn, grads.input, { ...border, filler: "" }),
    grad_output: spec("grad_output", "grad_output", shapeOut, grads.output),
  };
}

const cellFrame = (on, kind, [row, column]) => ({ on, kind, rows: [row], columns: [column] });

function forwardMarks(now, all) {
  const at = unravel(now.now, now.shapeOut);
  const window = windowOf(now, at);
  const from = [window.rows[Math.floor(window.rows.length / 2)], window.columns.at(-1)];
  const edge = { rows: [at[0]], columns: [at[1]] };
  const look = { kind: "read", weight: 0.4, edge, label: now.isMax ? "max" : `÷ ${now.chosen[now.now]}` };
  return {
    frames: [{ on: "x", kind: "window", ...window }, cellFrame("y", "picked", at)],
    circles: winners(now, now.now, "x"),
    arrows: [cellArrow({ grid: all.x, at: from }, { grid: all.y, at }, look)],
  };
}

function winners(now, output, on) {
  if (!now.isMax) return [];
  return now.routes[output].map(({ input, weight }) => {
    return { on, at: unravel(input, now.shapeIn), kind: "winner", weight, size: 0.44 };
  });
}

function flow(now, all, { output, input, amount }, edge = null) {
  const [from, to] = [unravel(output, now.shapeOut), unravel(input, now.shapeIn)];
  const data = { "data-from": from.join(","), "data-to": to.join(","), "data-weight": amount };
  const tip = edge || to[0] > windowOf(now, from).rows[0] ? 0.3 : -0.3;
  return cellArrow({ grid: all.grad_output, at: from }, { grid: all.grad_input, at: to }, {
    weight: 0.5, label: exact(amount), data, edge, tip,
  });
}

function scatterMarks(now, all) {
  const at = unravel(now.now, now.shapeOut);
  const window = windowOf(now, at);
  const ways = now.routes[now.now];
  const many = ways.length > 1;
  const dots = now.isMax ? winners(now, now.now, "grad_input") : [];
  const arrows = ways.map((way) => flow(now, all, way, many && window));
  return {
    frames: [{ on: "grad_input", kind: "window", ...window }, cellFrame("grad_output", "picked", at)],
    circles: [...dots, ...winners(now, now.now, "x")],
    arrows: many ? [{ ...arrows[0], label: `${arrows[0].label} each` }] : arrows,
  };
}

function gatherMarks(now, all) {
  const at = unravel(now.now, now.shapeIn);
  const asked = allPairs(holdersOf(now, at));
  const paying = waysTo(now, now.now).map(({ output }) => unravel(output, now.shapeOut));
  return {
    frames: [
      ...asked.map((output) => cellFrame("grad_output", "holder", output)),
      ...paying.map((output) => cellFrame("grad_output", "payer", output)), cellFrame("grad_input", "picked", at),
    ],
    arrows: waysTo(now, now.now).map((way) => flow(now, all, way)),
  };
}

const MARKS = { start: () => ({}), forward: forwardMarks, scatter: scatterMarks, gather: gatherMarks };

const SENTENCES = {
  start: (now) => `Nothing is computed yet. ${now.gathers ? "Each input will gather its gradient."
    : "The gradient of the input starts with zeros."} Step forward.`,
  forward(now) {
    const start = `Forward, output ${place(unravel(now.now, now.shapeOut))} is ${decimal(now.y[now.now])}`;
    if (!now.isMax) return `${start}: the sum of its window, divided by ${now.chosen[now.now]}. Nothing else is saved.`;
    const index = now.chosen[now.now];
    const from = place(unravel(index, now.shapeIn));
    return `${start}, the largest in its window, from input ${from}. Index ${index} is saved.`;
  },
  scatter: scatterSentence,
  gather(now) {
    const at = unravel(now.now, now.shapeIn);
    const asked = allPairs(holdersOf(now, at)).map((output) => ravel(output, now.shapeOut));
    const start = `Backward, input ${place(at)}`;
    if (!asked.length) return `${start}: no window holds it. It writes 0.`;
    const terms = asked.map((output) => waysTo(now, now.now).find((way) => way.output === output)?.amount ?? 0);
    const sum = asSum(sumText(terms.map(exact), exact(sumOf(now, now.now))));
    return `${start} asks the ${count(asked.length, "window")} that ${asked.length === 1 ? "holds" : "hold"} it and `
      + `collects ${sum}. It is written once.`;
  },
};

function scatterSentence(now) {
  const ways = now.routes[now.now];
  const start = `Backward, output ${place(unravel(now.now, now.shapeOut))}`;
  if (!ways.length) return `${start}: its window holds no element, so its gradient goes nowhere.`;
  const gradient = exact(now.upstream[now.now]);
  const writes = now.state.write === "=";
  if (ways.length === 1) {
    const [way] = ways;
    return `${start}: its gradient ${gradient} ${writes ? "is written to" : "is added at"} input `
      + `${place(unravel(way.input, now.shapeIn))}: ${writes ? lostText(now, way) : addedText(now, way)}.`;
  }
  const each = `${start}: its gradient ${gradient}, divided by ${now.chosen[now.now]},`;
  if (!writes) return `${each} is added to each of ${ways.length} elements.`;
  const lost = ways.filter((way) => standing(now, way.input, now.now) !== 0).length;
  return `${each} is written to each of ${ways.length} elements. `
    + `${lost ? `In ${lost} of them the gradient that stood there is lost.` : "Nothing stood there yet."}`;
}

function addedText(now, way) {
  return asSum(`${exact(standing(now, way.input, now.now))} + ${exact(way.amount)} = ${exact(way.after)}`);
}

function lostText(now, way) {
  const before = standing(now, way.input, now.now);
  return `${exact(way.after)}${before ? `, and the ${exact(before)} that stood there is lost` : ""}`;
}

// The numbers of one step: what stood in the window, what comes, and what stands there then; or who is asked and pays.
function details(now, measures) {
  if (now.phase === "scatter") return scatterDetail(now, measures);
  if (now.phase === "gather") return gatherDetail(now, measures);
  return [null, null, null];
}

function small(name, title, { detail, slot }, where, positions, cells) {
  const shape = [positions.rows.length, positions.columns.length];
  const names = [positions.rows, positions.columns];
  return { name, title, shape, cell: detail, names, origin: [24 + where * slot, 40], cells: () => cells, padding: 0 };
}

function scatterDetail(now, measures) {
  const window = windowOf(now, unravel(now.now, now.shapeOut));
  const outside = { text: "–", faint: true, fill: "none" };
  const cells = (read) => allPairs(window).map((at) => {
    if (!inside(at, now.shapeIn)) return outside;
    const value = read(ravel(at, now.shapeIn));
    return { text: value === null ? "" : exact(value), ...signHeat(value, value ? 0.3 : 0) };
  });
  const way = (element) => now.routes[now.now].find(({ input }) => input === element);
  const before = (element) => standing(now, element, now.now);
  const sign = now.state.write;
  return [
    small("before", "before", measures, 0, window, cells(before)),
    small("adds", sign, measures, 1, window, cells((element) => way(element)?.amount ?? null)),
    small("after", "after", measures, 2, window, cells((element) => way(element)?.after ?? before(element))),
  ];
}

function gatherDetail(now, measures) {
  const holders = holdersOf(now, unravel(now.now, now.shapeIn));
  if (!holders.rows.length || !holders.columns.length) return [null, null, null];
  const outputs = allPairs(holders).map((at) => ravel(at, now.shapeOut));
  const cells = (read) => outputs.map((output) => {
    return { text: exact(read(output)), ...signHeat(read(output), read(output) ? 0.3 : 0) };
  });
  const pays = (output) => waysTo(now, now.now).find((way) => way.output === output)?.amount ?? 0;
  return [
    small("before", "asked", measures, 0, holders, cells((output) => now.upstream[output])),
    small("adds", "collected", measures, 1, holders, cells(pays)), null,
  ];
}

const lastOf = (table, state) => table.settings[state.key].last ?? 0;

function stepControl(table) {
  const most = Math.max(...Object.values(table.settings).map(({ last }) => last ?? 0));
  return { name: "step", label: "step", slider: true, options: [...Array(most + 1).keys()] };
}

function step(by) {
  return (table, state) => {
    const next = state.step + by;
    return next >= 0 && next <= lastOf(table, state) ? { step: next } : null;
  };
}

const outputsOf = (table, state) => table.forward[table.settings[state.key].forward].y.length;

const NO_GRIDS = { x: null, y: null, grad_input: null, grad_output: null };

KINDS.backward = {
  controls: (table) => [stepControl(table)],
  traits: [],
  labels: { x: "Input x", y: "Output y", grad_input: "Gradient of the input", grad_output: "Upstream gradient" },
  details: ["before", "adds", "after"],
  actions: [
    { name: "start", label: "start over", run: (table, state) => (state.step ? { step: 0 } : null) },
    { name: "back", label: "◂ back", run: step(-1) },
    { name: "forward", label: "forward ▸", run: step(1) },
    { name: "play", label: "play", every: 700, run: step(1) },
  ],
  // A click on an element goes to the step that computes it.
  clicks: {
    y: (table, state, at) => ({ step: ravel(at, table.geometry[table.settings[state.key].geometry].shape) + 1 }),
    grad_output: (table, state, at) => (state.form === "gather" ? {} : {
      step: outputsOf(table, state) + ravel(at, table.geometry[table.settings[state.key].geometry].shape) + 1,
    }),
    grad_input: (table, state, at) => (state.form === "scatter" ? {} : {
      step: outputsOf(table, state) + ravel(at, table.input.shape) + 1,
    }),
  },
  hint: "Press the buttons, or move the slider with the arrow keys. A click on an element goes to its step.",
  layout,
  legend({ form, operation, write }) {
    const lost = form === "scatter" && write === "=" ? [["lost", "overwritten"]] : [];
    const winner = operation === "max" ? [["winner", "winner"]] : [];
    const asked = form === "gather" ? [["holder", "asked"], ["payer", "pays"]] : [];
    return [["window", "window"], ...winner, ...asked, ["arrow", "gradient"], ...lost];
  },
  settle(table, state) {
    const last = lastOf(table, state);
    state.open.step = [...Array(last + 1).keys()];
    state.step = Math.max(0, Math.min(state.step, last));
  },
  draw(table, state, measures) {
    const refusal = refusalOf(table, state);
    if (refusal) return { grids: NO_GRIDS, sentence: refusal, refusal: true };
    const now = lookUp(table, state);
    const all = grids(now, measures);
    return {
      grids: all, ...MARKS[now.phase](now, all), sentence: SENTENCES[now.phase](now), details: details(now, measures),
      under: overwritten(now).map((element) => hatch(all.grad_input, unravel(element, now.shapeIn), "lost")),
      notes: state.step === now.last ? now.notes : [],
    };
  },
};

}
