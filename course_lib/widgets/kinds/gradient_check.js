// The gradient-check explorable: drag the step along the U-curve.
{

const [X, Y] = [{ low: -14, high: 0 }, { low: -17, high: 1 }];

function layout(table, narrow) {
  const box = narrow ? { left: 46, top: 34, width: 282, height: 250 } : { left: 56, top: 34, width: 690, height: 300 };
  return { narrow, area: chartArea(box, X, Y), width: narrow ? 336 : 756, height: box.top + box.height + 44 };
}

const curveOf = (table, state) => table.curves[table.settings[state.key].curve];

function axes({ narrow, area }) {
  const text = (exponent) => powerOf(10, exponent);
  return axesOf(area, {
    x: { ticks: ticksBetween(-14, 0, narrow ? 4 : 2, text), title: "step h" },
    y: { ticks: ticksBetween(-16, 0, 4, text), title: "relative error" },
  });
}

// An error of 0 has no place on the axis: an open ring at its foot stands for it.
function zeros({ log_steps: steps }, { log_error: errors }, { area }) {
  const found = [...steps.keys()].filter((step) => errors[step] === null);
  return found.map((step) => make("circle", { class: "gx-zero", cx: area.px(steps[step]), cy: area.py(Y.low), r: 3 }));
}

function expected(table, found, { area, narrow }) {
  const lines = ["truncation", "rounding"].map((kind) => curve(area, kind, table.log_steps, found[`log_${kind}`]));
  if (narrow) return lines;
  const power = found.scheme === "central" ? "h²" : "h";
  const word = (kind, step, up, text) => note(area, kind, table.log_steps[step], found[`log_${kind}`][step] + up, text);
  const bends = found.best ? [word("truncation", 9, -1.2, `truncation ∝ ${power}`)] : [];
  const high = found.log_rounding.findIndex((error) => error > -5);
  return [...lines, word("rounding", high, 0.8, "rounding ∝ 1/h"), ...bends];
}

function others(table, found, { area }) {
  const same = (curve_) => curve_.function === found.function && curve_.scheme === found.scheme;
  return table.curves.filter((one) => same(one) && one !== found)
    .map((one) => curve(area, "other", table.log_steps, one.log_error));
}

function marks(table, state, found, { area }) {
  const [step, error] = [table.log_steps[state.step], found.log_error[state.step]];
  return [
    ...(found.best ? [rule(area, "best", found.log_best, `best step ${scientific(found.best)}`)] : []),
    ...(found.gap ? [rule(area, "gap", found.log_gap, `gap to the runner-up ${scientific(found.gap)}`)] : []),
    dot(area, "now", step, error ?? Y.low, { "data-step": state.step, "data-error": found.error[state.step] }),
    // One for each step, as wide as the way to the next: a pointer that is dragged across them drags the step.
    make("g", { "data-grid": "curve" }, ...table.log_steps.map((at, index) => hit(area, at, index))),
  ];
}

function hit(area, at, index) {
  const width = area.width / 56;
  const box = { x: round(area.px(at) - width / 2), y: area.top, width: round(width), height: area.height };
  return make("rect", { class: "gx-hit", "data-cell": index, ...box });
}

// ---- Words

const digitsOf = ({ dtype }) => (dtype === "float64" ? 14 : 8);

function sentence(table, state, found) {
  const h = scientific(table.steps[state.step]);
  const slopes = [found.numeric[state.step], found.analytic].map((value) => decimal(value, digitsOf(found)));
  const error = scientific(found.error[state.step]);
  const start = `With h = ${h} the difference gives ${slopes[0]}; the derivative is ${slopes[1]}. `;
  const why = found.numeric[state.step] === 0 ? "The step is so short that both values are the same."
    : (found.gap ? kinkSentence : errorSentence)(table, state, found);
  return `${start}The relative error is ${error}. ${why}`;
}

function errorSentence(table, { step }, found) {
  if (!found.best) return "Nothing bends here: truncation is 0, only rounding is left, and a longer step is better.";
  const longer = found.rounding[step] > found.truncation[step];
  const why = longer ? "Rounding is expected to be the larger part: a longer step is better."
    : "Truncation is expected to be the larger part: a shorter step is better.";
  return `${why} The best step is about ${scientific(found.best)}.`;
}

function kinkSentence({ steps }, { step }, found) {
  const gap = `the gap of ${scientific(found.gap)} to the runner-up`;
  return steps[step] > found.gap
    ? `The step is longer than ${gap}: on one side another element wins, and the slopes mix.`
    : `The step stays inside ${gap}: no other element wins, and only rounding is left.`;
}

function notes(table, state, found) {
  const at = (name) => scientific(found[name][state.step], 3);
  return [
    ["function", table.about[found.function]],
    ["analytic slope", decimal(found.analytic, digitsOf(found))],
    ["numeric slope", decimal(found.numeric[state.step], digitsOf(found))],
    ["relative error", at("error")],
    ["expected truncation", at("truncation")],
    ["expected rounding", at("rounding")],
    ["best step", found.best ? scientific(found.best, 3) : "none: nothing bends"],
  ];
}

Object.assign(ICONS, {
  measured: dash, truncation: dash, rounding: dash, other: dash, now: ring,
  best: () => make("path", { d: "M8,0 V16", class: "gx-curve" }),
});

KINDS["gradient-check"] = {
  labels: {},
  traits: [],
  picks: { curve: "step" },
  choose: (table, state, grid, [step]) => ({ step }),
  hint: "Drag the ring along the curve, or move the slider: with the arrow keys a quarter of a power of ten at a time.",
  layout,
  legend: ({ dtype }, table) => [
    ["now", "this step"], ["measured", `measured in ${dtype}`],
    ...optionsOf(table, "dtype").filter((other) => other !== dtype).map((other) => ["other", `measured in ${other}`]),
    ["truncation", "expected truncation"], ["rounding", "expected rounding"],
  ],
  draw(table, state, measures) {
    const found = curveOf(table, state);
    return {
      grids: {}, sentence: sentence(table, state, found), notes: notes(table, state, found),
      under: [
        axes(measures), ...others(table, found, measures), ...expected(table, found, measures),
        curve(measures.area, "measured", table.log_steps, found.log_error), ...zeros(table, found, measures),
      ],
      over: marks(table, state, found, measures),
    };
  },
};

}
