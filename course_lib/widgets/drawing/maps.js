// Maps of many small elements: one path for all elements of one strength, so that thousands are drawn at once.

// Elements as squares, runs of neighbours joined; letters[index] names the strength of each.
function pathsByLetter(letters, columns, { left, top, pixel }) {
  const paths = {};
  for (let index = 0; index < letters.length;) {
    const [row, column] = unravel(index, [0, columns]);
    let run = 1;
    while (column + run < columns && letters[index + run] === letters[index]) run += 1;
    const [x, y, wide] = [left + column * pixel, top + row * pixel, run * pixel].map(round);
    paths[letters[index]] = `${paths[letters[index]] ?? ""}M${x},${y}h${wide}v${pixel}h${-wide}z`;
    index += run;
  }
  return paths;
}

const mapFrame = ([rows, columns], { left, top, pixel }) =>
  make("rect", { class: "gx-area", x: left, y: top, width: columns * pixel, height: rows * pixel });

function mapPaths(paths, looks) {
  return Object.entries(paths).map(([letter, d]) => make("path", { d, "data-letter": letter, ...looks(letter) }));
}

// A photograph: greys as signs of base 36, dark to bright.
function greyMap(name, { shape, greys }, box) {
  const looks = (letter) => {
    const grey = Math.round((255 * parseInt(letter, 36)) / 35);
    return { style: `fill: rgb(${grey},${grey},${grey})` };
  };
  return make("g", { "data-map": name }, ...mapPaths(pathsByLetter(greys, shape[1], box), looks));
}

const SIZES = ".ABCDEFGHIJKLMNO";

// A gradient: capitals above zero, small letters below, stronger later in the alphabet, a dot for zero.
function gradientMap(name, letters, shape, box) {
  const looks = (letter) => {
    if (letter === ".") return { style: "fill: none" };
    const colour = letter === letter.toUpperCase() ? "flow" : "pick";
    return { style: `fill: var(--gx-${colour})`, "fill-opacity": 0.25 + 0.05 * SIZES.indexOf(letter.toUpperCase()) };
  };
  const data = { "data-map": name, "data-box": [box.left, box.top, box.pixel].join(",") };
  return make("g", data, mapFrame(shape, box), ...mapPaths(pathsByLetter(letters, shape[1], box), looks));
}
