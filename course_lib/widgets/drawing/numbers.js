// Numbers and positions as text.

function decimal(value, digits = 4) {
  if (typeof value === "string") return value; // NaN and the infinities come as words.
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(digits))).replace("-", "−");
}

// Numbers that stand in one grid have the same number of decimals.
function aligned(values) {
  const numbers = values.filter((value) => typeof value === "number");
  const digits = numbers.every(Number.isInteger) ? 0 : decimals(Math.max(...numbers.map(Math.abs)));
  return (value) => (typeof value === "number" ? fixed(value, digits) : value);
}

function decimals(largest) {
  if (largest >= 100) return 0;
  if (largest >= 10) return 1;
  return largest >= 0.1 ? 2 : 4;
}

const fixed = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace("-", "");

function fraction(value) {
  for (let below = 1; below <= 144; below += 1) {
    const above = Math.round(value * below);
    if (Math.abs(above - value * below) < 1e-9 * below) return below === 1 ? `${above}` : `${above}/${below}`;
  }
  return decimal(value, 3);
}

const place = ([row, column]) => `(${row},\u00a0${column})`; // Never broken between two lines.
const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const list = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

function span(word, positions) {
  const [first, last] = [positions[0], positions.at(-1)];
  return first === last ? `${word} ${first}` : `${word}s ${first} to ${last}`;
}
