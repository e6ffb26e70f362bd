// The window explorable: what does one window read, and what does it make of it?
{

function layout(table, narrow) {
  const { input, output, pad } = mostRoom(table);
  const kernel = Math.max(...optionsOf(table, "kernel_size"));
  const detail = narrow ? Math.min(34, Math.floor(300 / kernel)) : 34;
  return {
    ...(narrow ? stacked : beside)(input, output, pad), detail,
    detailWidth: 30 + detail * kernel, detailHeight: 46 + detail * kernel,
  };
}

function lookUp(table, state) {
  const setting = table.settings[state.key];
  const geometry = table.geometry[setting.geometry];
  return {
    state, geometry, tone: table.input, values: table.input.values, shapeIn: table.input.shape,
    shapeOut: geometry.shape, y: table.outputs[setting.outputs], chosen: table.chosen[setting.chosen],
    isMax: state.operation === "max", at: state.picked_output, index: ravel(state.picked_output, geometry.shape),
  };
}

const inputGrid = (table, state, measures, rest) => ({
  name: "input", key: `${state.key} ${state.operation}`, title: "input x", subtitle: table.input.shape.join(" × "),
  shape: table.input.shape, origin: measures.input, cell: measures.cell, padding: state.padding, ...rest,
});

function grids(table, now, measures) {
  const { state } = now;
  const filler = now.isMax ? "−∞" : "0";
  const cells = (values, shape) => () => valueCells(now, values, shape);
  const input = { cells: cells(now.values, now.shapeIn), filler, over: now.geometry.over };
  return {
    input: inputGrid(table, state, measures, input),
    output: {
      name: "output", key: state.key, title: "output y", subtitle: now.shapeOut.join(" × "), shape: now.shapeOut,
      origin: measures.output, cell: measures.cell, padding: 0, cells: cells(now.y, now.shapeOut),
      active: true, picked: now.index, below: measures.upright,
    },
  };
}

// A window that the library refuses: the input stands alone.
function refused(table, state, measures, sentence) {
  const filler = state.operation === "max" ? "−∞" : "0";
  const cells = () => valueCells({ tone: table.input }, table.input.values, table.input.shape);
  const input = inputGrid(table, state, measures, { cells, filler });
  return { grids: { input, output: null }, sentence, refusal: true };
}

function marks(now, both, { upright }) {
  const window = windowOf(now, now.at);
  const winner = now.isMax && now.chosen[now.index] >= 0 ? [unravel(now.chosen[now.index], now.shapeIn)] : [];
  const label = now.isMax ? "max" : `÷ ${now.chosen[now.index]}`;
  const edge = { rows: [now.at[0]], columns: [now.at[1]] };
  const look = { kind: "read", weight: 0.4, label, upright, edge };
  const last = window.rows[Math.floor(window.rows.length / 2)];
  const from = upright ? [window.rows.at(-1), window.columns[Math.floor(window.columns.length / 2)]]
    : [last, window.columns.at(-1)];
  return {
    frames: [
      ...tapFrames(now.state, window), { on: "input", kind: "window", ...window },
      { on: "output", kind: "picked", rows: [now.at[0]], columns: [now.at[1]] },
    ],
    circles: winner.map((at) => ({ on: "input", at, kind: "winner", weight: 1, size: 0.42 })),
    arrows: [cellArrow({ grid: both.input, at: from }, { grid: both.output, at: now.at }, look)],
    under: now.geometry.free.map((index) => hatch(both.input, unravel(index, now.shapeIn), "free")),
  };
}

const readBy = (now, window) => allPairs(window).filter((at) => inside(at, now.shapeIn));

function sentence(now) {
  const window = windowOf(now, now.at);
  const [all, real] = [allPairs(window).length, readBy(now, window).length];
  const start = `Output ${place(now.at)}: its window reads ${linesText("row", window.rows)}, `
    + `${linesText("column", window.columns)}.`;
  const missing = all - real;
  const lie = missing === 1 ? "lies" : "lie";
  const outside = missing ? ` ${count(missing, "tap")} of ${all} ${lie} outside the input.` : "";
  return `${start}${outside} ${now.isMax ? largest(now, real) : mean(now, all, real)}`;
}

function largest(now, real) {
  const value = decimal(now.y[now.index]);
  if (!real) return `Nothing is left to choose from: the output is ${value}.`;
  const at = unravel(now.chosen[now.index], now.shapeIn);
  return `The largest of ${count(real, "element")} is ${value}, at input ${place(at)}.`;
}

function mean(now, all, real) {
  const divisor = now.chosen[now.index];
  const value = decimal(now.y[now.index]);
  const why = divisor === real ? "" : divisor === all ? " The padding adds 0 and is counted."
    : " The padding adds 0 and is counted; taps beyond it are not.";
  return `The sum of ${count(real, "element")} is divided by ${divisor}: ${value}.${why}`;
}

function notes(now) {
  const free = now.geometry.free.length;
  const left = free ? [["in no window", `${free} of ${count(now.values.length, "element")}`]] : [];
  return [...now.geometry.notes, ...left];
}

function detail(now, { detail: cell }) {
  const window = windowOf(now, now.at);
  const text = aligned(now.values);
  const cells = allPairs(window).map((at) => {
    if (!inside(at, now.shapeIn)) return { text: outsideText(now, at), faint: true, fill: "none" };
    const value = now.values[ravel(at, now.shapeIn)];
    return { text: text(value), ...shade(now.tone, value) };
  });
  const shape = [window.rows.length, window.columns.length];
  const names = [window.rows, window.columns];
  return { name: "window", title: "window", shape, cell, names, origin: [24, 40], cells: () => cells, padding: 0 };
}

// The padding counts as −∞ or 0; beyond it there is nothing.
function outsideText(now, at) {
  const beyond = at.some((position, axis) => position >= now.shapeIn[axis] + now.state.padding);
  if (beyond) return "–";
  return now.isMax ? "−∞" : "0";
}

function step(by) {
  return (table, state) => {
    const shape = table.geometry[table.settings[state.key].geometry]?.shape;
    const next = shape && ravel(state.picked_output, shape) + by;
    return shape && next >= 0 && next < shape[0] * shape[1] ? { picked_output: unravel(next, shape) } : null;
  };
}

KINDS.window = {
  traits: [],
  picks: { output: "picked_output" },
  labels: { input: "Input x", output: "Output y" },
  details: ["window"],
  actions: [
    { name: "back", label: "◂ previous window", run: step(-1) },
    { name: "next", label: "next window ▸", run: step(1) },
    { name: "slide", label: "slide", every: 500, run: step(1) },
  ],
  hint: "Click an output, or press Tab to reach it and move its window with the arrow keys.",
  layout,
  legend(state, table) {
    const free = table.geometry[table.settings[state.key].geometry]?.free.length;
    return [
      ["window", "window"], ...(state.dilation > 1 ? [["tap", "taps"]] : []),
      ...(state.operation === "max" ? [["winner", "largest"]] : []), ...(free ? [["free", "in no window"]] : []),
    ];
  },
  settle(table, state) {
    const shape = table.geometry[table.settings[state.key].geometry]?.shape;
    if (shape) state.picked_output = state.picked_output.map((at, axis) => Math.min(at, shape[axis] - 1));
  },
  draw(table, state, measures) {
    const refusal = refusalOf(table, state);
    if (refusal) return refused(table, state, measures, refusal);
    const now = lookUp(table, state);
    const both = grids(table, now, measures);
    return {
      grids: both, ...marks(now, both, measures), sentence: sentence(now), notes: notes(now),
      details: [detail(now, measures)],
    };
  },
};

}
