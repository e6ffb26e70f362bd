// The border explorable: what happens where a window reaches over the edge of its input?
{

// Input, output and what belongs to each output: beside one another, or below where there is little room.
function layout(table, narrow) {
  const { input, output, pad } = mostRoom(table);
  const [left, top] = [22, 44];
  const gap = narrow ? 44 : 64;
  const across = narrow ? Math.max(input[1], 2 * output[1]) : input[1] + 2 * output[1];
  const room = narrow ? 336 - left - gap : 780 - left - 2 * gap;
  const cell = Math.max(18, Math.min(40, Math.floor(room / across)));
  const end = left + input[1] * cell;
  const below = top + input[0] * cell + 54;
  const places = narrow ? [[left, below], [left + output[1] * cell + gap, below]]
    : [[end + gap, top + pad * cell], [end + 2 * gap + output[1] * cell, top + pad * cell]];
  const kernel = Math.max(...optionsOf(table, "kernel_size"));
  const detail = Math.min(34, Math.floor(120 / kernel));
  return {
    cell, detail, slot: 160, input: [left + pad * cell, top + pad * cell], output: places[0], beside: places[1],
    width: Math.max(end, places[1][0] + output[1] * cell, places[1][0] + 70) + 4,
    height: narrow ? below + output[0] * cell + 8 : top + Math.max(input[0], pad + output[0]) * cell + 8,
    detailWidth: 320, detailHeight: 46 + detail * kernel,
  };
}

function lookUp(table, state) {
  const setting = table.settings[state.key];
  const geometry = table.geometry[setting.geometry];
  return {
    state, geometry, tone: table.input, values: table.input.values, shapeIn: table.input.shape,
    shapeOut: geometry.shape, y: table.outputs[setting.outputs], received: table.received[setting.received],
    maxima: table.maxima[setting.maxima], averages: table.averages[setting.averages], isMax: state.operation === "max",
    at: state.picked_output, index: ravel(state.picked_output, geometry.shape),
  };
}

const fillerOf = ({ operation, padding_value: value }) => (operation === "max" && value === "-inf" ? "−∞" : "0");

function gradCells(now) {
  const most = Math.max(...now.received.values.map(Math.abs), 1e-9);
  return now.values.map((value, index) => {
    const number = pick(now.received, index);
    const label = `${nameOf(index, now.shapeIn, value)}, receives ${fraction(number)}`;
    return { text: fraction(number), label, ...heat("flow", Math.abs(number) / most) };
  });
}

// Beside each output: the saved index of a maximum, or what an average was divided by.
function besideCells(now) {
  const numbers = now.isMax ? now.maxima.index : now.averages.divisors;
  return numbers.map((number, index) => {
    const text = number === -1 && now.isMax ? "–" : decimal(number);
    return { text, label: nameOf(index, now.shapeOut, text), fill: "var(--gx-ink)", strength: 0.03 };
  });
}

function grids(now, measures) {
  const { state, shapeOut } = now;
  const base = { cell: measures.cell, padding: 0, key: `${state.key} ${state.show}` };
  const picked = { active: true, picked: now.index };
  const isGradient = state.show === "gradient";
  const input = inputGrid(state, now, measures, {
    title: isGradient ? "grad_input" : "input x", filler: isGradient ? "" : fillerOf(state), over: now.geometry.over,
    cells: () => (isGradient ? gradCells(now) : valueCells(now, now.values, now.shapeIn)),
  });
  return {
    input,
    output: {
      ...base, ...picked, name: "output", title: "output y", shape: shapeOut, origin: measures.output,
      cells: () => valueCells(now, now.y, shapeOut),
    },
    beside: {
      ...base, name: "beside", title: now.isMax ? "saved index" : "divisor", shape: shapeOut, origin: measures.beside,
      cells: () => besideCells(now),
    },
  };
}

function inputGrid(state, { shapeIn }, measures, rest) {
  return {
    name: "input", key: `${state.key} ${state.show}`, subtitle: shapeIn.join(" × "), shape: shapeIn,
    origin: measures.input, cell: measures.cell, padding: state.padding, ...rest,
  };
}

const cellFrame = (on, kind, [row, column]) => ({ on, kind, rows: [row], columns: [column] });

// A cross in the corner of an element: here would the gradient go if the padding were forgotten.
function wrongMark(now, { input }) {
  const index = now.isMax ? now.maxima.wrong[now.index] : -1;
  const meant = now.isMax ? now.maxima.index[now.index] : -1;
  if (index < 0 || meant < 0 || index === meant) return [];
  const at = unravel(index, now.shapeIn);
  const { x, y } = corner(input, at);
  const [left, right, top] = [x + input.cell * 0.74, x + input.cell * 0.93, y + input.cell * 0.07];
  const low = top + right - left;
  const d = `M${left},${top} L${right},${low} M${right},${top} L${left},${low}`;
  return [make("path", { class: "gx-wrong", d, "data-mark": "wrong", "data-on": "input", "data-cell": at.join(",") })];
}

function marks(now, both) {
  const winners = now.isMax ? [now.maxima.winners[now.index]] : [];
  const ring = (at) => ({ on: "input", at, kind: "winner", weight: Number(inside(at, now.shapeIn)), size: 0.42 });
  return {
    frames: [
      { on: "input", kind: "window", ...windowOf(now, now.at) },
      cellFrame("output", "picked", now.at), cellFrame("beside", "picked", now.at),
    ],
    circles: winners.map(ring),
    over: wrongMark(now, both),
  };
}

function taps(now) {
  const [real, padded] = [pick(now.geometry.real, now.index), pick(now.geometry.padded, now.index)];
  const { rows, columns } = windowOf(now, now.at);
  return { real, padding: padded - real, beyond: rows.length * columns.length - padded };
}

function holdsText({ real, padding, beyond }) {
  const parts = [count(real, "element"), padding && `${padding} of padding`, beyond && `${beyond} beyond it`];
  return list(parts.filter(Boolean));
}

function maxSentence(now) {
  const start = `Output ${place(now.at)} is ${decimal(now.y[now.index])}. Its window holds ${holdsText(taps(now))}.`;
  const winner = now.maxima.winners[now.index];
  if (!inside(winner, now.shapeIn)) {
    return `${start} A padding of 0 is larger than every element here: it wins, and the gradient is lost.`;
  }
  return `${start} The largest is input ${place(winner)}: tap ${place(now.maxima.taps[now.index])} of the window.`;
}

function averageSentence(now) {
  const { divisors, shares, arrives, lost } = now.averages;
  const [share, arriving, missing] = [shares, arrives, lost].map((packed) => pick(packed, now.index));
  const start = `Output ${place(now.at)} is ${decimal(now.y[now.index])}. Its window holds ${holdsText(taps(now))}; `
    + `the sum is divided by ${divisors[now.index]}.`;
  const each = `Backward, each element gets ${fraction(share)} of its gradient`;
  if (Math.abs(missing) < 1e-9) return `${start} ${each}: all of it arrives.`;
  const padding = missing > 0 && now.state.divisor_override === null;
  const ending = padding ? `${fraction(missing)} falls on padding and is lost` : `${fraction(arriving)} in all`;
  return `${start} ${each}: ${ending}.`;
}

function notes(now) {
  const all = [["sum of grad_input", `${decimal(now.received.sum)} of ${now.y.length}`]];
  if (!now.isMax) return all;
  const { worked, slipped, wrong, index } = now.maxima;
  const index_ = ["index", worked[now.index]];
  if (!now.state.padding || index[now.index] < 0) return [index_, ...all];
  const target = wrong[now.index] < 0 ? "outside the plane" : `input ${place(unravel(wrong[now.index], now.shapeIn))}`;
  return [index_, ["padding forgotten", `${slipped[now.index]}, ${target}`], ...all];
}

// The numbers of the window, and the share of the gradient that each tap gets.
function details(now, { detail: cell, slot }) {
  const window = windowOf(now, now.at);
  const text = aligned(now.values);
  const beyond = (at) => at.some((position, axis) => position >= now.shapeIn[axis] + now.state.padding);
  const values = allPairs(window).map((at) => {
    if (!inside(at, now.shapeIn)) return { text: beyond(at) ? "–" : fillerOf(now.state), faint: true, fill: "none" };
    const value = now.values[ravel(at, now.shapeIn)];
    return { text: text(value), ...shade(now.tone, value) };
  });
  const grid = (name, title, where, cells) => ({
    name, title, cell, shape: [window.rows.length, window.columns.length], names: [window.rows, window.columns],
    origin: [24 + where * slot, 40], cells: () => cells, padding: 0,
  });
  const shares = allPairs(window).map((at) => shareCell(now, at));
  return [grid("window", "window", 0, values), grid("shares", "gradient", 1, shares)];
}

function shareCell(now, at) {
  if (!inside(at, now.shapeIn)) return { text: "–", faint: true, fill: "none" };
  if (!now.isMax) return { text: fraction(pick(now.averages.shares, now.index)), ...heat("flow", 0.3) };
  const wins = same(at, now.maxima.winners[now.index]);
  return { text: wins ? "1" : "0", ...heat("flow", wins ? 0.6 : 0) };
}

function refused(table, state, measures, sentence) {
  const now = { tone: table.input, shapeIn: table.input.shape };
  const cells = () => valueCells(now, table.input.values, now.shapeIn);
  const input = inputGrid(state, now, measures, { title: "input x", filler: fillerOf(state), cells });
  return { grids: { input, output: null, beside: null }, sentence, refusal: true };
}

KINDS.border = {
  controls: [{ name: "show", label: "show", options: ["values", "gradient"] }],
  traits: [],
  picks: { output: "picked_output" },
  labels: { input: "Input x", output: "Output y", beside: "Divisor or saved index of each output" },
  details: ["window", "shares"],
  hint: "Click an output, or press Tab to reach it and move its window with the arrow keys.",
  layout,
  legend({ operation, padding }) {
    if (operation !== "max") return [["window", "window"]];
    const wrong = padding ? [["wrong", "index with the padding forgotten"]] : [];
    return [["window", "window"], ["winner", "largest"], ...wrong];
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
    const sentence = now.isMax ? maxSentence(now) : averageSentence(now);
    return { grids: all, ...marks(now, all), sentence, notes: notes(now), details: details(now, measures) };
  },
};

}
