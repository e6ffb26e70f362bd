// Charts: an area with axes, and what stands in it. Numbers come from the table as they are drawn, logarithms included.

// An area in the picture, and the numbers at its edges: { low, high } along x and y.
function chartArea({ left, top, width, height }, x, y) {
  const share = ({ low, high }, value) => Math.max(0, Math.min(1, (value - low) / (high - low)));
  return {
    left, top, width, height, x, y,
    px: (value) => round(left + width * share(x, value)),
    py: (value) => round(top + height * (1 - share(y, value))),
  };
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (exponent) => [...String(exponent)].map((sign) => (sign === "-" ? "⁻" : RAISED[sign])).join("");
const powerOf = (base, exponent) => (exponent === 0 ? "1" : `${base}${raised(exponent)}`);

// A number of any size: plain where it is short, else with a power of ten.
function scientific(value, digits = 2) {
  if (typeof value === "string" || value === 0) return String(value);
  const [above, exponent] = value.toExponential(digits - 1).split("e").map(Number);
  if (exponent >= -2 && exponent <= 3) return decimal(value, Math.max(digits, exponent + 1));
  // Its spaces are never broken between two lines.
  return `${decimal(above)}\u00a0·\u00a0${powerOf(10, exponent)}`.replace(/^1\u00a0·\u00a0/, "");
}

// Ticks from one number to another, in steps: { at, text }.
function ticksBetween(low, high, step, text) {
  return Array.from({ length: Math.floor((high - low) / step + 1e-9) + 1 }, (_, index) => {
    return { at: low + index * step, text: text(low + index * step) };
  });
}

// The frame, the lines of the ticks and the names of the axes. The name of the upright one stands above it.
function axesOf(area, { x, y = { ticks: [], title: "" } }) {
  const { left, top, width, height, px, py } = area;
  const bottom = top + height;
  const line = (x1, y1, x2, y2) => make("line", { class: "gx-tick", x1, y1, x2, y2 });
  const word = (look, text) => make("text", { class: "gx-axis", ...look }, text);
  const data = { "data-chart": "", "data-x": `${area.x.low},${area.x.high}`, "data-y": `${area.y.low},${area.y.high}` };
  return make(
    "g", data, make("rect", { class: "gx-area", x: left, y: top, width, height }),
    ...x.ticks.flatMap(({ at, text }) => [
      line(px(at), top, px(at), bottom), word({ x: px(at), y: bottom + 16, "text-anchor": "middle" }, text),
    ]),
    ...y.ticks.flatMap(({ at, text }) => [
      line(left, py(at), left + width, py(at)), word({ x: left - 7, y: py(at) + 4, "text-anchor": "end" }, text),
    ]),
    word({ x: left + width, y: bottom + 34, "text-anchor": "end", class: "gx-axis gx-axis-name" }, x.title),
    word({ x: left, y: top - 10, class: "gx-axis gx-axis-name" }, y.title),
  );
}

// A line through points; where a number is missing or off the chart it is broken.
function curve(area, kind, xs, ys) {
  let pen = "M";
  const steps = ys.map((y, index) => {
    if (y === null || y < area.y.low || y > area.y.high) {
      pen = "M";
      return "";
    }
    const step = `${pen}${area.px(xs[index])},${area.py(y)}`;
    pen = "L";
    return step;
  });
  return make("path", { class: `gx-curve gx-${kind}`, "data-curve": kind, d: steps.join("") });
}

function dot(area, kind, x, y, data = {}) {
  const shape = { cx: area.px(x), cy: area.py(y), r: 6 };
  return edged("circle", { class: `gx-${kind}`, "data-dot": kind, ...data }, shape);
}

// An upright line with its name at the foot; the name stands on the right if there is room for it.
function rule(area, kind, x, text) {
  const [at, bottom] = [area.px(x), area.top + area.height];
  const ahead = at + 12 + 6.6 * text.length < area.left + area.width;
  const look = { x: at + (ahead ? 6 : -6), y: bottom - 8, "text-anchor": ahead ? "start" : "end" };
  const line = make("line", { x1: at, y1: area.top, x2: at, y2: bottom });
  return make("g", { class: `gx-rule gx-${kind}`, "data-rule": kind, "data-at": x }, line, make("text", look, text));
}

function note(area, kind, x, y, text, anchor = "start") {
  return make("text", { class: `gx-note gx-${kind}`, x: area.px(x), y: area.py(y), "text-anchor": anchor }, text);
}

const dash = () => make("path", { d: "M0,8 H16", class: "gx-curve" });
