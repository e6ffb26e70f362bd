// The precision explorable: what 16 and 32 bits keep of a number, of a sum of ones and of a network's gradients.
{

const [POWERS, ONES, SPAN] = [{ low: -152, high: 132 }, { low: 0, high: 13 }, { low: -50, high: 26 }];
const NO_HEIGHT = { low: 0, high: 1 };

function layout(table, narrow) {
  const [left, width] = narrow ? [44, 276] : [64, 672];
  const part = (top, height, x, y = NO_HEIGHT) => chartArea({ left, top, width, height }, x, y);
  const rows = Object.keys(table.formats).length;
  return {
    narrow, left, line: [left, width], width: left + width + (narrow ? 16 : 20), height: 348,
    ranges: part(160, 40 * rows + 10, POWERS), ones: part(34, 270, ONES, ONES), span: part(34, 270, SPAN),
  };
}

const formatOf = (table, { dtype }) => table.formats[dtype];
const two = (exponent) => powerOf(2, exponent);
const label = (x, y, text, kind = "gx-axis", anchor = "middle") =>
  make("text", { class: kind, x: round(x), y, "text-anchor": anchor }, text);

// ---- One value: the stored number among its neighbours, and the ranges of the formats

const isSmall = (value) => value !== 0 && Math.abs(value) < 1e-3;
const short = (value, digits) => (isSmall(value) || value >= 1e7 ? scientific(value, digits) : decimal(value, digits));
const digitsOf = ({ eps }) => (eps < 1e-5 ? 9 : 5);
const keep = (low, value, high) => Math.max(low, Math.min(high, value));

const nearest = ({ values }, value) => {
  const far = values.map((stop) => Math.abs(Math.log(stop / value)));
  return far.indexOf(Math.min(...far));
};

// The number that is shown: the typed one where the kernel has answered for it, else the one of the slider.
function askedOf(table, state) {
  const typed = state.typed > 0 && nearest(table, state.typed) === state.value ? state.typed : null;
  if (typed !== null && state.answer.value === typed) {
    return { value: typed, log: state.answer.log, found: state.answer.stored[state.dtype], waiting: null };
  }
  const value = table.values[state.value];
  const found = formatOf(table, state).stored[state.value];
  return { value, log: table.log_values[state.value], found, waiting: typed === value ? null : typed };
}

// The stored number and two neighbours on each side, as far as there are any.
function around({ near, stored, range }) {
  const at = near.indexOf(range === "infinite" ? near.at(-1) : stored);
  return near.slice(Math.max(0, at - 2), at + 3);
}

function neighbours(table, state, { line: [left, width], narrow }) {
  const [{ value, found }, form] = [askedOf(table, state), formatOf(table, state)];
  const { stored, range } = found;
  const shown = around(found);
  const step = width / (shown.length + 1);
  const per = (step * (shown.length - 1)) / (shown.at(-1) - shown[0]);
  const across = (number) => keep(left + 8, left + step + per * (number - shown[0]), left + width - 8);
  const place = across(value);
  const side = (index) => !narrow || index % 2 === Math.max(shown.indexOf(stored), 0) % 2;
  return [
    label(left, 20, `the numbers of ${state.dtype} around it`, "gx-axis gx-axis-name", "start"),
    make("line", { class: "gx-line", x1: left, x2: left + width, y1: 92, y2: 92 }),
    ...shown.map((number, index) => neighbour(across(number), number, number === stored, side(index), form)),
    make("path", { class: "gx-asked", "data-asked": value, d: `M${round(place)},80 l-6,-11 h12 z` }),
    label(keep(left + 30, place, left + width - 30), 60, short(value, 6), "gx-note"),
    ...(range === "infinite" ? [label(left + width, 118, "then ∞", "gx-note", "end")] : []),
  ];
}

function neighbour(x, number, kept, labelled, form) {
  const text = labelled ? [label(x, 118, short(number, digitsOf(form)), kept ? "gx-note gx-chosen" : "gx-axis")] : [];
  const shape = make("circle", { cx: round(x), cy: 92, r: kept ? 8 : 5 });
  return make("g", { class: kept ? "gx-kept" : "gx-near", "data-near": number }, shape, ...text);
}

function ranges(table, state, { ranges: area, narrow }) {
  const rows = Object.entries(table.formats).map(([name, form], row) => rangeRow(area, name, form, row, state, narrow));
  const { value, log } = askedOf(table, state);
  const at = area.px(log);
  const ticks = ticksBetween(-150, 120, narrow ? 90 : 30, two);
  return [
    axesOf(area, { x: { ticks, title: "size of the number" }, y: { ticks: [], title: "what each format reaches" } }),
    ...rows.flat(),
    make("line", { class: "gx-cursor", "data-cursor": value, x1: at, x2: at, y1: area.top,
      y2: area.top + area.height }),
  ];
}

function rangeRow(area, name, form, row, { dtype }, narrow) {
  const y = area.top + 10 + 40 * row;
  const bar = (from, to, kind) => {
    const box = { x: area.px(from), y, width: round(area.px(to) - area.px(from)), height: 12 };
    return make("rect", { class: `gx-bin gx-${kind}`, "data-range": `${name} ${kind}`, ...box });
  };
  const ends = [scientific(form.smallest), scientific(form.smallest_normal), scientific(form.largest, 3)].join(" … ");
  const words = narrow ? name : `${name}: ${ends}`;
  return [
    bar(form.log_smallest, form.log_smallest_normal, "subnormal"),
    bar(form.log_smallest_normal, form.log_largest, "normal"),
    label(area.left + 6, y + 26, words, name === dtype ? "gx-note gx-chosen" : "gx-note", "start"),
  ];
}

const RANGE_WORDS = {
  zero: "It is nearer to 0 than to the smallest number: it becomes 0.",
  infinite: "It lies beyond the largest number: it becomes infinite.",
  subnormal: "It is subnormal: there it has fewer bits than elsewhere.",
  normal: "It is normal: it has all bits of its fraction.",
};

function valueSentence(table, state) {
  const form = formatOf(table, state);
  const { value, found: { stored, spacing, error, range }, waiting } = askedOf(table, state);
  const kept = short(stored, digitsOf(form) + 2);
  const nearby = "this is the nearest stop of the slider";
  const asks = waiting ? `Only a kernel can answer for ${short(waiting, 6)}; ${nearby}. ` : "";
  const start = `${asks}${state.dtype} stores ${short(value, 6)} as ${kept}. `;
  if (range === "infinite") return start + RANGE_WORDS[range];
  const off = error ? `The relative error is ${scientific(error)}` : "It is stored exactly";
  return `${start}${RANGE_WORDS[range]} ${off}; the next number is ${scientific(spacing)} away.`;
}

// ---- A sum of ones

function ones(table, state, { ones: area, narrow }) {
  const lines = Object.entries(table.formats).map(([name, { log_sums: sums }]) => {
    return curve(area, name === state.dtype ? "measured" : name, table.log_counts, sums);
  });
  const stops = Object.entries(table.formats).filter(([, { log_stall: stall }]) => stall < ONES.high - 1);
  const words = stops.map(([name, { stall, log_stall: at }]) => {
    return label(area.left + area.width - 6, area.py(at) + 30, `${name} stops at ${stall}`, "gx-note", "end");
  });
  const ticks = ticksBetween(0, 13, narrow ? 3 : 1, (power) => String(2 ** power));
  return [axesOf(area, { x: { ticks, title: "ones added" }, y: { ticks, title: "their sum" } }), ...lines, ...words];
}

function onesMark(table, state, { ones: area }) {
  const { sums, log_sums: logs } = formatOf(table, state);
  const data = { "data-sum": sums[state.count], "data-count": table.counts[state.count] };
  return [dot(area, "now", table.log_counts[state.count], logs[state.count], data)];
}

function onesSentence(table, state) {
  const [count_, form] = [table.counts[state.count], formatOf(table, state)];
  const sum = form.sums[state.count];
  const back = `${sum} + 1 lies half-way to the next number and is rounded back`;
  const lost = sum < count_ ? `${back}: ${count_ - sum} ones are lost.` : "Not one is lost so far.";
  return `${count(count_, "one")} added one after the other give ${sum} in ${state.dtype}. ${lost} `
    + `From ${form.stall} on, adding 1 changes nothing. Sums in half precision are therefore kept in float32.`;
}

// ---- Gradients under a loss scale

// Where a power of two lies in the range of a format.
function partOf({ log_smallest: smallest, log_smallest_normal: normal, log_largest: largest }, power) {
  if (power < smallest - 1) return "lost";
  if (power >= largest) return "infinite";
  return power < normal ? "subnormal" : "normal";
}

function bars(table, state, { span: area, narrow }) {
  const { histogram: { first, counts }, scales } = table;
  const [form, most] = [formatOf(table, state), Math.max(...counts)];
  const columns = counts.flatMap((number, index) => {
    const power = first + index + scales[state.scale];
    if (!number || power < SPAN.low || power >= SPAN.high) return [];
    const [x, y] = [area.px(power), area.py((0.9 * number) / most)];
    const box = { x: x + 1, y, width: round(area.px(power + 1) - x - 2), height: round(area.top + area.height - y) };
    const data = { "data-power": power, "data-count": number };
    return [make("rect", { class: `gx-bin gx-${partOf(form, power)}`, ...data, ...box })];
  });
  const ticks = ticksBetween(-48, 24, narrow ? 24 : 8, two);
  const x = { ticks, title: "size of a gradient times the scale" };
  return [
    axesOf(area, { x, y: { ticks: [], title: "how many gradients" } }), ...columns, ...edges(form, area),
  ];
}

const EDGES = [["smallest", -1, 15], ["smallest_normal", 1, 32], ["largest", -1, 15]];

function edges(form, area) {
  const within = (power) => power > SPAN.low && power < SPAN.high;
  return EDGES.filter(([name]) => within(form[`log_${name}`])).map(([name, side, y]) => {
    const at = area.px(form[`log_${name}`]);
    const line = make("line", { x1: at, x2: at, y1: area.top, y2: area.top + area.height });
    const word = label(at + 5 * side, area.top + y, name.replace("_", " "), "gx-note", side > 0 ? "start" : "end");
    return make("g", { class: "gx-rule", "data-rule": name }, line, word);
  });
}

const share = (part) => `${decimal(100 * part, 3)}\u00a0%`;

function barsSentence(table, state) {
  const { zero, subnormal, infinite } = formatOf(table, state).shares[state.scale];
  const scale = two(table.scales[state.scale]);
  const lost = zero ? "A larger scale would save some of them." : "None is lost.";
  const verdict = infinite ? "The scale is too large: such a step is skipped." : lost;
  return `With a loss scale of ${scale}, of ${table.histogram.total} gradients ${share(zero)} become 0 in `
    + `${state.dtype}, ${share(subnormal)} are subnormal and ${share(infinite)} infinite. ${verdict}`;
}

// ---- The three views

const VIEWS = {
  "one value": {
    under: (table, state, measures) => [...neighbours(table, state, measures), ...ranges(table, state, measures)],
    over: () => [], sentence: valueSentence,
    legend: [["kept", "stored"], ["near", "its neighbours"], ["subnormal", "subnormal"], ["normal", "normal"]],
  },
  "sum of ones": {
    under: ones, over: onesMark, sentence: onesSentence,
    legend: [["now", "this sum"], ["measured", "this format"], ["other", "other formats"]],
  },
  gradients: {
    under: bars, over: () => [], sentence: barsSentence,
    legend: [["lost", "become 0"], ["subnormal", "subnormal"], ["normal", "normal"], ["infinite", "become infinite"]],
  },
};

const block = () => make("rect", { x: 1, y: 3, width: 14, height: 10 });
Object.assign(ICONS, {
  kept: ring, near: () => make("circle", { cx: 8, cy: 8, r: 4 }),
  lost: block, subnormal: block, normal: block, infinite: block,
});

function notes(table, state) {
  const form = formatOf(table, state);
  return [
    ["largest", short(form.largest, 6)], ["smallest normal", scientific(form.smallest_normal, 4)],
    ["smallest", scientific(form.smallest, 4)], ["from 1 to the next", scientific(form.eps, 4)],
    ["1 is lost from", String(form.stall)],
  ];
}

// The field for a number stands behind the slider, and moves it to the nearest stop.
function controlsFor(table) {
  const also = (value) => ({ value: nearest(table, value) });
  const field = { name: "typed", label: "or type a number", field: true, also, only: { show: "one value" } };
  return table.free.flatMap((control) => (control.name === "value" ? [control, field] : [control]));
}

KINDS.precision = {
  labels: {},
  traits: ["answer"],
  controls: controlsFor,
  layout,
  legend: ({ show }) => VIEWS[show].legend,
  hint: "Move a slider with the mouse, or with Tab and the arrow keys; Home and End go to its ends.",
  draw(table, state, measures) {
    const { under, over, sentence } = VIEWS[state.show];
    return {
      grids: {}, under: under(table, state, measures), over: over(table, state, measures),
      sentence: sentence(table, state), notes: notes(table, state),
    };
  },
};

}
