// The sparsity explorable: where on a photograph a gradient arrives.
{

const [TITLE, BAR] = [24, 44];

// Photograph, gradient before the reduction, gradient of the photograph: in a row, or below one another.
function layout(table, narrow) {
  const [rows, columns] = table.input.shape;
  const room = narrow ? 330 : 240;
  const pixel = Math.max(1, Math.floor((2 * room) / columns) / 2);
  const [wide, high] = [columns * pixel, rows * pixel];
  const below = (number) => ({ left: 1, top: TITLE + number * (high + TITLE + BAR) });
  const beside = (number) => ({ left: 1 + number * (wide + 18), top: TITLE });
  const slot = narrow ? below : beside;
  const boxes = [0, 1, 2].map((number) => ({ ...slot(number), pixel, wide, high }));
  return {
    narrow, boxes, width: boxes[2].left + wide + 2, height: boxes[2].top + high + BAR, kept: new Map(),
    ...detailLayout(table),
  };
}

function detailLayout(table) {
  const [sizes, strides] = [optionsOf(table, "kernel_size"), optionsOf(table, "stride")];
  return { detailWidth: 40 + 46 * strides.length, detailHeight: 62 + 46 * sizes.length };
}

const percent = (part) => `${decimal(100 * part, part >= 0.1 ? 3 : 2)}\u00a0%`;

// A map is drawn once in each place, and kept.
function kept(measures, name, make_) {
  if (!measures.kept.has(name)) measures.kept.set(name, make_());
  return measures.kept.get(name);
}

const title = ({ left, top }, text) => make("text", { class: "gx-title", x: left, y: top - 8 }, text);

// The part that is not zero, as a bar, with a mark at 1/K.
function bar({ left, top, wide, high }, name, part, share) {
  const y = top + high + 8;
  const mark = left + wide * share;
  const words = `${percent(part)} not zero`;
  return make(
    "g", { "data-bar": name, "data-part": part },
    make("rect", { class: "gx-area", x: left, y, width: wide, height: 10 }),
    make("rect", { class: "gx-part", x: left, y, width: round(wide * part), height: 10 }),
    make("line", { class: "gx-mark-share", x1: mark, x2: mark, y1: y - 4, y2: y + 14 }),
    make("text", { class: "gx-note", x: left, y: y + 27 }, words),
    make("text", { class: "gx-axis", x: left + wide, y: y + 27, "text-anchor": "end" }, `│ 1/K = ${percent(share)}`),
  );
}

const PHOTO = "gradient of the photograph";
const isConvolved = ({ front }) => front === "convolution";
const NAMES = { max: "max pooling", average: "average pooling", "strided convolution": "strided convolution" };

function maps(table, state, setting, measures) {
  const [{ shape }, [first, second, third]] = [table.input, measures.boxes];
  const drawn = (slot, name, index) => kept(measures, `${name} ${index}`, () => {
    return gradientMap(name, table.maps[index], shape, slot);
  });
  const pool = [
    title(second, isConvolved(state) ? "gradient of the feature map" : PHOTO),
    drawn(second, "pool", setting.pool), bar(second, "pool", setting.density, setting.share),
  ];
  const photo = isConvolved(state) ? [
    title(third, PHOTO), drawn(third, "photo", setting.photo),
    bar(third, "photo", setting.photo_density, setting.share),
  ] : nothing(third, measures.narrow);
  const image = kept(measures, "photograph", () => greyMap("greys", table.input, first));
  return [title(first, `photograph ${shape.join(" × ")}`), image, ...pool, ...photo];
}

function nothing({ left, top, wide, high }, narrow) {
  const text = (y, words) => make("text", { class: "gx-axis", x: left + wide / 2, y, "text-anchor": "middle" }, words);
  const box = make("rect", { class: "gx-empty", x: left, y: top, width: wide, height: high, rx: 3 });
  return [box, text(top + high / 2 - 6, "Put a convolution in front:"), text(top + high / 2 + 12, "what changes?")];
}

// ---- Words and the small table

function sentence(state, setting, size) {
  const name = NAMES[state.operation];
  const start = `${name[0].toUpperCase()}${name.slice(1)}, k = ${state.kernel_size}, s = ${state.stride}: `
    + `${setting.reached} of ${size} elements before it get gradient, ${percent(setting.density)}. `;
  const again = isConvolved(state)
    ? ` The convolution spreads it: of the photograph's gradient ${percent(setting.photo_density)} is not zero.` : "";
  return `${start}${reason(state, setting).trim()}${again}`;
}

function reason({ operation, kernel_size: size, stride }, { density, bound, share }) {
  if (stride > size) return "Windows leave gaps, which no output reads.";
  if (operation !== "max") return density === 1 ? "Every element has a share in some window." : EDGE;
  const edge = density < share ? EDGE : "";
  if (stride === size) return `Windows tile it, with one winner in each: 1/K is ${percent(share)}. ${edge}`;
  const more = density > share ? "more than" : "not more than";
  const some = density < bound ? ", since some win several windows" : "";
  return `Windows overlap: ${more} 1/K, ${percent(share)}; outputs make up ${percent(bound)}${some}.`;
}

const EDGE = "The edge is in no window.";

function letters(text) {
  const above = (text.match(/[A-Z]/g) ?? []).length;
  return `${above} above zero, ${(text.match(/[a-z]/g) ?? []).length} below, ${text.split(".").length - 1} zero`;
}

function notes(table, state, setting) {
  const photo = isConvolved(state) ? [[PHOTO, letters(table.maps[setting.photo])]] : [];
  return [[isConvolved(state) ? "gradient of the feature map" : PHOTO, letters(table.maps[setting.pool])], ...photo];
}

// The density for each kernel size and stride; the present one is inverted.
function densities(table, state) {
  const [sizes, strides] = [optionsOf(table, "kernel_size"), optionsOf(table, "stride")];
  const cells = sizes.flatMap((size) => strides.map((stride) => {
    const density = table.settings[[state.operation, size, stride, state.front].join(" ")].density;
    const here = size === state.kernel_size && stride === state.stride;
    const look = here ? { fill: "var(--gx-ink)", ink: "var(--gx-paper)" } : heat("pick", density);
    return { text: percent(density), ...look };
  }));
  return {
    title: "density: k down, s across", shape: [sizes.length, strides.length], names: [sizes, strides], cell: 46,
    padding: 0, origin: [22, 40], cells: () => cells,
  };
}

KINDS.sparsity = {
  labels: {},
  traits: [],
  details: ["densities"],
  layout,
  hint: "Choose with the mouse, or with Tab and the arrow keys.",
  draw(table, state, measures) {
    const setting = table.settings[state.key];
    return {
      grids: {}, sentence: sentence(state, setting, table.maps[0].length), notes: notes(table, state, setting),
      details: [densities(table, state)], under: maps(table, state, setting, measures),
    };
  },
};

}
