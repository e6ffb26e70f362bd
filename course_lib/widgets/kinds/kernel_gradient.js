// The kernel-gradient explorable: which positions touch one weight, and what is summed to its gradient.
{

const [LEFT, TOP] = [22, 44];

// Input, kernel and upstream gradient side by side; where there is little room, the upstream gradient stands below.
function layout(table, narrow) {
  const pad = Math.max(...optionsOf(table, "padding"));
  const outputs = Object.values(table.settings).map(({ shape }) => shape);
  const most = [0, 1].map((axis) => Math.max(...outputs.map((shape) => shape[axis])));
  const input = table.input.shape.map((size) => size + 2 * pad);
  const arranged = (narrow ? stacked : beside)(input, table.weight.shape, most, pad);
  return { narrow, ...arranged, ...detailLayout(Math.max(...most, ...table.weight.shape), narrow) };
}

function beside(input, kernel, output, pad) {
  const gap = 76; // The title grad_weight is wider than a kernel of two columns.
  const room = 760 - LEFT - 2 * gap - 4;
  const cell = Math.max(20, Math.min(44, Math.floor(room / (input[1] + kernel[1] + output[1]))));
  const y = TOP + pad * cell;
  const second = LEFT + input[1] * cell + gap;
  const third = second + kernel[1] * cell + gap;
  return {
    cell, input: [LEFT + pad * cell, y], weight: [second, y], output: [third, y],
    width: third + output[1] * cell + 4,
    height: TOP + Math.max(input[0], pad + kernel[0], pad + output[0]) * cell + 8,
  };
}

function stacked(input, kernel, output, pad) {
  const [gap, title] = [40, 82];
  const widest = Math.max(input[1] + kernel[1], pad + output[1]);
  const beforeTitle = Math.floor((334 - LEFT - gap - title) / input[1]);
  const cell = Math.max(18, Math.min(40, beforeTitle, Math.floor((334 - LEFT - gap) / widest)));
  const below = TOP + input[0] * cell + TOP;
  return {
    cell, input: [LEFT + pad * cell, TOP + pad * cell], weight: [LEFT + input[1] * cell + gap, TOP + pad * cell],
    output: [LEFT + pad * cell, below], height: below + output[0] * cell + 8,
    width: Math.max(LEFT + gap + widest * cell + 4, LEFT + input[1] * cell + gap + title),
  };
}

// Three small grids: two factors and their products. Where there is little room, the products stand below.
function detailLayout(most, narrow) {
  const detail = Math.max(21, Math.min(34, Math.floor((narrow ? 130 : 160) / most)));
  const slot = Math.max(detail * most + 40, narrow ? 165 : 150);
  const high = 46 + detail * most;
  const places = narrow ? [[0, 0], [slot, 0], [0, high]] : [[0, 0], [slot, 0], [2 * slot, 0]];
  return { detail, places, detailWidth: (narrow ? 2 : 3) * slot, detailHeight: (narrow ? 2 : 1) * high };
}

// What the table says about one state, with the names used below.
function lookUp(table, state) {
  const setting = table.settings[state.key];
  return { state, setting, shapes: { input: table.input.shape, weight: table.weight.shape, output: setting.shape },
    x: table.input.values, weight: table.weight.values, upstream: setting.grad_output };
}

const largest = (values) => Math.max(...values.filter((value) => typeof value === "number").map(Math.abs), 0) || 1;

// Red above zero, blue below, palest at zero; the sign stands in the number too.
function signedCells(values, shape, name = () => "") {
  const [text, top] = [aligned(values), largest(values)];
  return values.map((value, index) => {
    const part = typeof value === "number" ? Math.abs(value) / top : 1;
    const label = `${nameOf(index, shape, value)}${name(index)}`;
    return { text: text(value), label, ...heat(value < 0 ? "pick" : "flow", part) };
  });
}

function plainCells(values, shape) {
  const numbers = values.filter((value) => typeof value === "number");
  return valueCells({ tone: { low: Math.min(...numbers), high: Math.max(...numbers) } }, values, shape);
}

const isGradients = ({ state }) => state.show === "gradients";

// What each grid shows: a title, the numbers and how they are coloured.
const VALUES = {
  input: ({ x }) => ["input x", x, plainCells],
  weight: ({ weight }) => ["weight", weight, plainCells],
  output: ({ upstream }) => ["grad_output", upstream, signedCells],
};
const GRADIENTS = {
  ...VALUES,
  input: ({ setting }) => ["grad_input", setting.grad_input, signedCells],
  weight: ({ setting }) => ["grad_weight", setting.grad_weight, signedCells],
};

function grid(now, layout, name) {
  const { state, shapes: { [name]: shape } } = now;
  const [title, values, cells] = (isGradients(now) ? GRADIENTS : VALUES)[name](now);
  return {
    key: `${state.key} ${state.show}`, name, shape, title, origin: layout[name], cell: layout.cell,
    subtitle: layout.narrow && name === "weight" ? "" : shape.join(" × "), padding: 0,
    active: state.side === name, picked: ravel(state[`picked_${name}`], shape), cells: () => cells(values, shape),
  };
}

function grids(now, layout) {
  const border = { padding: now.state.padding, filler: isGradients(now) ? "–" : "0" };
  return {
    input: { ...grid(now, layout, "input"), ...border },
    weight: grid(now, layout, "weight"), output: grid(now, layout, "output"),
  };
}

// ---- What each pick marks, says and multiplies

const cellFrame = (on, kind, [row, column]) => ({ on, kind, rows: [row], columns: [column] });

// Rows and columns of the input that a weight meets, one for each row and column of the output.
function metBy({ setting }, [row, column]) {
  return { rows: setting.rows.map((taps) => taps[row]), columns: setting.columns.map((taps) => taps[column]) };
}

const isBlock = (positions) => positions.every((position, index) => !index || position === positions[index - 1] + 1);
const everyOf = (size) => [...Array(size).keys()];

function weightMarks(now) {
  const met = metBy(now, now.state.picked_weight);
  const whole = isBlock(met.rows) && isBlock(met.columns);
  const cells = whole ? [{ on: "input", kind: "window", ...met }]
    : allPairs(met).map((at) => cellFrame("input", "holder", at));
  const [rows, columns] = now.shapes.output.map(everyOf);
  const all = { on: "output", kind: "window", rows, columns };
  return [...cells, all, cellFrame("weight", "picked", now.state.picked_weight)];
}

// The outputs that read an input, each with the weight that it reads it with: rows and columns of both.
function readersOf({ state, setting }) {
  const along = (windows, position) => windows.flatMap((taps, output) => {
    const tap = taps.indexOf(position);
    return tap < 0 ? [] : [{ output, tap }];
  });
  const [rows, columns] = [along(setting.rows, state.picked_input[0]), along(setting.columns, state.picked_input[1])];
  const side = (name) => ({ rows: rows.map((pair) => pair[name]), columns: columns.map((pair) => pair[name]) });
  return { outputs: side("output"), weights: side("tap") };
}

function inputMarks(now) {
  const { outputs, weights } = readersOf(now);
  return [
    ...allPairs(weights).map((at) => cellFrame("weight", "holder", at)),
    ...allPairs(outputs).map((at) => cellFrame("output", "payer", at)),
    cellFrame("input", "picked", now.state.picked_input),
  ];
}

const windowAt = ({ setting }, [row, column]) => ({ rows: setting.rows[row], columns: setting.columns[column] });

function outputMarks(now) {
  const window = windowAt(now, now.state.picked_output);
  const whole = isBlock(window.rows) && isBlock(window.columns);
  const cells = whole ? [{ on: "input", kind: "window", ...window }]
    : allPairs(window).map((at) => cellFrame("input", "holder", at));
  const [rows, columns] = now.shapes.weight.map(everyOf);
  const all = { on: "weight", kind: "window", rows, columns };
  return [...cells, all, cellFrame("output", "picked", now.state.picked_output)];
}

const signed = (value) => (value < 0 ? `(${decimal(value)})` : decimal(value));

// Up to nine products are written out.
function sumSentence(name, factors, total) {
  if (!factors.length) return `${name} is 0.`;
  const terms = factors.map(([one, other]) => `${signed(one)}·${signed(other)}`).join(" + ");
  return factors.length > 9 ? `${name} is the sum of ${factors.length} products: ${decimal(total)}.`
    : `${name} = ${terms} = ${decimal(total)}.`;
}

function weightSentence(now) {
  const at = now.state.picked_weight;
  const met = allPairs(metBy(now, at));
  const padded = met.filter((input) => !inside(input, now.shapes.input)).length;
  const factors = met.map((input, output) => [valueAt(now, input), now.upstream[output]]);
  const zeros = padded ? `, ${padded} of them padding` : "";
  const start = `Weight ${place(at)} met ${count(met.length, "element")}, one for each output${zeros}. `;
  const index = ravel(at, now.shapes.weight);
  return start + sumSentence(`grad_weight ${place(at)}`, factors, now.setting.grad_weight[index]);
}

const valueAt = ({ x, shapes }, at) => (inside(at, shapes.input) ? x[ravel(at, shapes.input)] : 0);

function inputSentence(now) {
  const at = now.state.picked_input;
  const index = ravel(at, now.shapes.input);
  const start = `Input ${place(at)} is ${decimal(now.x[index])}: `;
  const { outputs, weights } = readersOf(now);
  const read = allPairs(outputs).map((output) => ravel(output, now.shapes.output));
  if (!read.length) return `${start}no window holds it, so it receives no gradient.`;
  const with_ = allPairs(weights).map((weight) => now.weight[ravel(weight, now.shapes.weight)]);
  const factors = read.map((output, number) => [now.upstream[output], with_[number]]);
  const order = read.length > 1 ? ". In the order of the outputs the weights stand reversed" : "";
  const verb = read.length === 1 ? "reads" : "read";
  const readers = `${count(read.length, "output")} ${verb} it, each with one weight${order}. `;
  return start + readers + sumSentence(`grad_input ${place(at)}`, factors, now.setting.grad_input[index]);
}

function outputSentence(now) {
  const at = now.state.picked_output;
  const index = ravel(at, now.shapes.output);
  const upstream = decimal(now.upstream[index]);
  return `Output ${place(at)} is ${decimal(now.setting.y[index])}; its upstream gradient is ${upstream}. It adds `
    + `${upstream} times each input of its window to grad_weight, and ${upstream} times each weight to grad_input.`;
}

// ---- The small grids: two factors and their products

function small(layout, number, title, names, values, cells) {
  const shape = [names.rows.length, names.columns.length];
  const [x, y] = layout.places[number];
  return {
    title, shape, names: [names.rows, names.columns], cell: layout.detail, padding: 0, origin: [22 + x, 40 + y],
    cells: () => cells(values, shape),
  };
}

const sumTitle = (total) => `= products, sum ${decimal(total)}`;

function weightDetails(now, layout) {
  const met = metBy(now, now.state.picked_weight);
  const [rows, columns] = now.shapes.output.map(everyOf);
  const index = ravel(now.state.picked_weight, now.shapes.weight);
  const [products, sum] = [now.setting.to_weight[index], now.setting.grad_weight[index]];
  return [
    small(layout, 0, "inputs it met", met, allPairs(met).map((at) => valueAt(now, at)), plainCells),
    small(layout, 1, "× grad_output", { rows, columns }, now.upstream, signedCells),
    small(layout, 2, sumTitle(sum), { rows, columns }, products, signedCells),
  ];
}

function inputDetails(now, layout) {
  const { outputs, weights } = readersOf(now);
  const index = ravel(now.state.picked_input, now.shapes.input);
  const [read, by] = [allPairs(outputs), allPairs(weights)].map((pairs, number) => {
    return pairs.map((at) => ravel(at, number ? now.shapes.weight : now.shapes.output));
  });
  if (!read.length) return [null, null, null];
  const products = read.map((output, number) => now.setting.to_input[by[number]][output]);
  return [
    small(layout, 0, "grad_output", outputs, read.map((output) => now.upstream[output]), signedCells),
    small(layout, 1, "× weights, reversed", weights, by.map((weight) => now.weight[weight]), plainCells),
    small(layout, 2, sumTitle(now.setting.grad_input[index]), outputs, products, signedCells),
  ];
}

function outputDetails(now, layout) {
  const at = now.state.picked_output;
  const [window, output] = [windowAt(now, at), ravel(at, now.shapes.output)];
  const [rows, columns] = now.shapes.weight.map(everyOf);
  const column = (products) => products.map((row) => row[output]);
  return [
    small(layout, 0, "inputs of its window", window, allPairs(window).map((input) => valueAt(now, input)), plainCells),
    small(layout, 1, "to grad_weight", { rows, columns }, column(now.setting.to_weight), signedCells),
    small(layout, 2, "to grad_input", window, column(now.setting.to_input), signedCells),
  ];
}

const SIDES = {
  weight: [weightMarks, weightSentence, weightDetails],
  input: [inputMarks, inputSentence, inputDetails],
  output: [outputMarks, outputSentence, outputDetails],
};

function legend({ side }) {
  if (side === "weight") return [["picked", "picked weight"], ["window", "what it is multiplied with"]];
  if (side === "output") return [["picked", "picked output"], ["window", "its window and the weights"]];
  return [["picked", "picked input"], ["holder", "weights that read it"], ["payer", "outputs that read it"]];
}

function follow(table, state) {
  const now = lookUp(table, state);
  if (state.side === "weight") {
    const met = allPairs(metBy(now, state.picked_weight)).find((at) => inside(at, now.shapes.input));
    return { side: "input", ...(met && { picked_input: met }) };
  }
  if (state.side === "output") return { side: "weight" };
  const [reader] = allPairs(readersOf(now).outputs);
  return { side: "output", ...(reader && { picked_output: reader }) };
}

KINDS["kernel-gradient"] = {
  controls: [{ name: "show", label: "show", options: ["values", "gradients"] }],
  picks: { input: "picked_input", weight: "picked_weight", output: "picked_output" },
  labels: { input: "Input x", weight: "Weight", output: "Upstream gradient" },
  details: ["first", "second", "products"],
  hint: "Click a weight, an input or an output. Or press Tab to reach a grid, move with arrow keys, go on with Enter.",
  layout,
  legend,
  follow,
  settle(table, state) {
    const { shape } = table.settings[state.key];
    state.picked_output = state.picked_output.map((at, axis) => Math.min(at, shape[axis] - 1));
  },
  draw(table, state, measures) {
    const now = lookUp(table, state);
    const [frames, sentence, details] = SIDES[state.side].map((part) => part(now, measures));
    return { grids: grids(now, measures), frames, sentence, details };
  },
};

}
