// The table that Python computed: how it is packed, and which settings it has.

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
  table.allows = (...values) => starts.has(values.map(String).join(" "));
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
  return { key: values.map(String).join(" "), open };
}

// The library's own sentence where a setting does not exist.
const refusalOf = (table, state) => table.refusals?.[table.settings[state.key].refusal] ?? null;
