// The tie explorable: who gets the gradient when several elements are the largest?
{

const TITLES = { window: "window x", chosen: "gradient", max_pool2d: "PyTorch max_pool2d", amax: "PyTorch amax" };
const NAMES = Object.keys(TITLES);

// Four grids in a row, or two by two where there is little room.
function layout(table, narrow) {
  const shapes = Object.values(table.settings).map(({ shape }) => shape);
  const [rows, columns] = [0, 1].map((axis) => Math.max(...shapes.map((shape) => shape[axis])));
  const across = narrow ? 2 : 4;
  const slot = narrow ? 172 : 196;
  const cell = Math.max(24, Math.min(56, Math.floor((slot - 44) / columns)));
  const tall = 44 + rows * cell + 44;
  const origins = NAMES.map((name, index) => [22 + (index % across) * slot, 44 + Math.floor(index / across) * tall]);
  return {
    cell, origins: Object.fromEntries(NAMES.map((name, index) => [name, origins[index]])),
    width: across * slot + 4, height: (NAMES.length / across) * tall,
  };
}

function grid(name, state, setting, measures) {
  const cells = name === "window" ? () => windowCells(setting) : () => gradCells(setting.grads[name], setting.shape);
  return {
    name, key: `${state.key} ${name}`, title: name === "chosen" ? `gradient, ${state.ties}` : TITLES[name],
    shape: setting.shape, origin: measures.origins[name], cell: measures.cell, padding: 0, cells,
  };
}

function windowCells({ values, shape, equal }) {
  const text = aligned(values);
  return values.map((value, index) => ({
    text: text(value), label: `${nameOf(index, shape, value)}${equal.includes(index) ? ", the largest" : ""}`,
    fill: "var(--gx-ink)", strength: equal.includes(index) ? 0.14 : 0.03,
  }));
}

function gradCells({ values }, shape) {
  const most = Math.max(...values.filter(Number.isFinite).map(Math.abs), 1e-9);
  return values.map((value, index) => {
    const part = typeof value === "number" ? Math.abs(value) / most : 1;
    const text = typeof value === "number" ? fraction(value) : value;
    return { text, label: nameOf(index, shape, value), ...heat("flow", part) };
  });
}

// Rings on the window: who is paid, and who is as large and is not.
function rings({ equal, grads, shape }) {
  return equal.map((index) => {
    const paid = grads.chosen.values[index];
    return { on: "window", at: unravel(index, shape), kind: paid ? "winner" : "equal", weight: paid, size: 0.42 };
  });
}

// Below each grid: the output, or the sum beside the upstream gradient.
function balance(name, setting, upstream, spec) {
  const { x, y } = corner(spec, [setting.shape[0], 0]);
  const at = { x, y: y + 20, "data-balance": name };
  if (name === "window") return [make("text", at, `y = ${decimal(setting.best)}, upstream ${fraction(upstream)}`)];
  const { sum, kept } = setting.grads[name];
  const word = typeof sum === "number" ? fraction(sum) : sum;
  const text = kept ? `✓ sum ${word}` : `✗ sum ${word}, not ${fraction(upstream)}`;
  return [make("text", { ...at, class: kept ? "gx-kept" : "gx-unkept", "data-kept": kept }, text)];
}

KINDS.tie = {
  traits: [],
  labels: { ...TITLES, window: "Window x", chosen: "Gradient under the chosen rule" },
  layout,
  legend: () => [["winner", "gets gradient"], ["equal", "as large, gets none"]],
  draw(table, state, measures) {
    const setting = table.settings[state.key];
    const grids = Object.fromEntries(NAMES.map((name) => [name, grid(name, state, setting, measures)]));
    const over = NAMES.flatMap((name) => balance(name, setting, table.upstream, grids[name]));
    return { grids, circles: rings(setting), over, sentence: setting.sentence, notes: NOTES };
  },
};

const NOTES = [
  ["max_pool2d", "pays the first of equal maxima, and the last NaN"],
  ["amax", "divides the mask x == y by its sum: an equal share to each"],
];

}
