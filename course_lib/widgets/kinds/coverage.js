// The coverage explorable: how many windows hold an element?
{

const BAR = 46; // The length of the longest bar of a profile.

// The profiles stand outside the padding; the output to the right, or below where there is little room.
function layout(table, narrow) {
  const { input, output, pad } = mostRoom(table);
  const [left, top] = [narrow ? 30 : 52, narrow ? 30 : 52];
  const bars = narrow ? 24 : BAR;
  const room = narrow ? 336 - left - bars - 4 : 790 - left - bars - 130;
  const small = Math.max(14, Math.min(26, Math.floor((narrow ? 300 : 200) / output[1])));
  const cell = Math.max(15, Math.min(40, Math.floor((room - (narrow ? 0 : small * output[1])) / (input[1] + 1))));
  const start = [left + bars + cell, top + bars + cell].map((side) => side + pad * cell);
  const end = [start[0] + (input[1] - pad) * cell, start[1] + (input[0] - pad) * cell];
  const out = narrow ? [start[0], end[1] + 84] : [end[0] + 70, start[1]];
  return {
    cell, small, bars, upright: narrow, input: start, output: out,
    rows: [left + bars - 8, start[1]], columns: [start[0], top + bars - 8],
    width: narrow ? Math.max(end[0], out[0] + output[1] * small) + 4 : out[0] + output[1] * small + 4,
    height: narrow ? out[1] + output[0] * small + 26 : Math.max(end[1], out[1] + output[0] * small) + 26,
  };
}

function lookUp(table, state) {
  const geometry = table.geometry[table.settings[state.key].geometry];
  return { state, geometry, shapeIn: table.input.shape, shapeOut: geometry.shape };
}

const most = ({ geometry }) => Math.max(...geometry.coverage.values, 1);

function grids(now, measures) {
  const { state, geometry, shapeIn, shapeOut } = now;
  const { cell } = measures;
  const base = { cell, padding: 0 };
  const counts = (profile) => () => profile.map((number) => ({ text: String(number), fill: "none" }));
  const [rows, columns] = geometry.profiles;
  const border = { padding: state.padding, over: geometry.over, filler: "", below: true };
  return {
    input: {
      ...base, ...border, name: "input", key: state.key, title: "coverage", subtitle: shapeIn.join(" × "),
      shape: shapeIn, origin: measures.input, cells: () => coverageCells(now),
      active: state.side === "input", picked: ravel(state.picked_input, shapeIn),
    },
    output: {
      ...base, cell: measures.small, name: "output", key: state.key, title: "output y", subtitle: shapeOut.join(" × "),
      shape: shapeOut, origin: measures.output, cells: () => outputCells(now), below: true,
      active: state.side === "output", picked: ravel(state.picked_output, shapeOut),
    },
    rows: {
      ...base, name: "rows", key: state.key, title: "rows", shape: [shapeIn[0], 1], names: [[], []],
      origin: measures.rows, cells: counts(rows),
    },
    columns: {
      ...base, name: "columns", key: state.key, title: "columns", shape: [1, shapeIn[1]], names: [[], []],
      origin: measures.columns, cells: counts(columns), lift: measures.bars,
    },
  };
}

function coverageCells(now) {
  return Array.from({ length: now.shapeIn[0] * now.shapeIn[1] }, (_, index) => {
    const number = pick(now.geometry.coverage, index);
    const label = `${nameOf(index, now.shapeIn, number)} windows`;
    return { text: String(number), label, ...heat("pick", number / most(now)) };
  });
}

function outputCells({ shapeOut }) {
  return Array.from({ length: shapeOut[0] * shapeOut[1] }, (_, index) => {
    return { text: "", label: `row ${unravel(index, shapeOut).join(", column ")}`, fill: "none" };
  });
}

// A bar for each count along an axis, away from the grid.
function bars(both, now, { bars: length }) {
  const { state, geometry } = now;
  const picked = state.side === "input" ? state.picked_input : [-1, -1];
  return [both.rows, both.columns].flatMap((grid, axis) => geometry.profiles[axis].map((number, index) => {
    const { x, y } = corner(grid, axis ? [0, index] : [index, 0]);
    const long = ((length - 12) * number) / Math.max(...geometry.profiles[axis], 1);
    const box = axis ? { x: x + 3, y: y - long, width: grid.cell - 6, height: long }
      : { x: x - long, y: y + 3, width: long, height: grid.cell - 6 };
    const data = { "data-bar": axis ? "columns" : "rows", "data-index": index, "data-value": number };
    return make("rect", { class: index === picked[axis] ? "gx-bar gx-here" : "gx-bar", ...box, ...data });
  }));
}

const cellFrame = (on, kind, [row, column]) => ({ on, kind, rows: [row], columns: [column] });

// Windows that lie on one another are drawn a little inside one another.
function inputFrames(now, { cell }) {
  const at = now.state.picked_input;
  const windows = allPairs(holdersOf(now, at));
  const apart = windows.length > 4 || cell < 30 ? 0 : 2; // More would come too near to the numbers.
  return [
    ...windows.map((window, index) => ({
      on: "input", kind: "outline", ...windowOf(now, window), inset: 1 + apart * index,
    })),
    ...windows.map((window) => cellFrame("output", "window", window)),
    cellFrame("input", "picked", at), cellFrame("rows", "picked", [at[0], 0]),
    cellFrame("columns", "picked", [0, at[1]]),
  ];
}

function outputFrames(now) {
  const at = now.state.picked_output;
  const window = windowOf(now, at);
  return [
    ...tapFrames(now.state, window), { on: "input", kind: "window", ...window }, cellFrame("output", "picked", at),
  ];
}

function inputSentence(now) {
  const at = now.state.picked_input;
  const [row, column] = at.map((position, axis) => now.geometry.profiles[axis][position]);
  const number = pick(now.geometry.coverage, ravel(at, now.shapeIn));
  const holds = (many) => `${count(many, "window")} ${many === 1 ? "holds" : "hold"}`;
  const lines = `Along the rows ${holds(row)} row ${at[0]}, along the columns ${holds(column)} column ${at[1]}`;
  const which = number ? blockText(holdersOf(now, at)) : "";
  return `Element ${place(at)}. ${lines}: ${row} · ${column} = ${number}. ${holds(number)} the element${which}.`;
}

function outputSentence(now) {
  const at = now.state.picked_output;
  const { rows, columns } = windowOf(now, at);
  const real = allPairs({ rows, columns }).filter((tap) => inside(tap, now.shapeIn)).length;
  const taps = `${count(real, "element")} of ${count(rows.length * columns.length, "tap")}`;
  return `Output ${place(at)}: its window reads ${linesText("row", rows)}, ${linesText("column", columns)}, ${taps}.`;
}

// Where the library refuses the windows, the input stands alone and empty.
function refused({ input: { shape } }, state, measures, sentence) {
  const cells = () => Array.from({ length: shape[0] * shape[1] }, () => ({ text: "", fill: "none" }));
  const look = { name: "input", title: "input", subtitle: shape.join(" × "), below: true, filler: "" };
  const input = { ...look, padding: state.padding, key: state.key, shape, origin: measures.input, cell: measures.cell, cells };
  return { grids: { input, output: null, rows: null, columns: null }, sentence, refusal: true };
}

KINDS.coverage = {
  picks: { input: "picked_input", output: "picked_output" },
  labels: {
    input: "Coverage of the input", output: "Output y",
    rows: "Counts along the rows", columns: "Counts along the columns",
  },
  hint: "Click an element or an output. Or press Tab to reach a grid, move by arrow keys, change sides with Enter.",
  layout,
  legend({ side, dilation }) {
    if (side === "input") return [["picked", "picked"], ["outline", "its windows"], ["window", "their outputs"]];
    return [["picked", "picked"], ["window", "its window"], ...(dilation > 1 ? [["tap", "taps"]] : [])];
  },
  settle(table, state) {
    const shape = table.geometry[table.settings[state.key].geometry]?.shape;
    if (shape) state.picked_output = state.picked_output.map((at, axis) => Math.min(at, shape[axis] - 1));
  },
  draw(table, state, measures) {
    const refusal = refusalOf(table, state);
    if (refusal) return refused(table, state, measures, refusal);
    const now = lookUp(table, state);
    const all = grids(now, measures);
    const [frames, sentence] = state.side === "input" ? [inputFrames, inputSentence] : [outputFrames, outputSentence];
    const free = now.geometry.free.map((index) => hatch(all.input, unravel(index, now.shapeIn), "free"));
    const under = [...bars(all, now, measures), ...free];
    return { grids: all, frames: frames(now, measures), under, sentence: sentence(now), notes: now.geometry.notes };
  },
  // Enter goes to the first window that holds the element, or to the first element of the window.
  follow(table, state) {
    if (refusalOf(table, state)) return {};
    const now = lookUp(table, state);
    if (state.side === "input") {
      const [output] = allPairs(holdersOf(now, state.picked_input));
      return { side: "output", ...(output && { picked_output: output }) };
    }
    const element = allPairs(windowOf(now, state.picked_output)).find((at) => inside(at, now.shapeIn));
    return { side: "input", ...(element && { picked_input: element }) };
  },
};

}
