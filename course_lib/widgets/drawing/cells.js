// What a cell shows, and where windows lie: shared by the kinds that draw pooling.

const optionsOf = (table, name) => table.controls.find((control) => control.name === name).options;

const windowOf = ({ geometry }, [row, column]) => ({ rows: geometry.rows[row], columns: geometry.columns[column] });

// The outputs whose windows hold an element.
function holdersOf({ geometry }, [row, column]) {
  const holding = (windows, position) => [...windows.keys()].filter((window) => windows[window].includes(position));
  return { rows: holding(geometry.rows, row), columns: holding(geometry.columns, column) };
}

function shade(tone, value) {
  const level = typeof value === "number" && tone.high > tone.low ? (value - tone.low) / (tone.high - tone.low) : 0;
  if (!tone.picture) return { fill: "var(--gx-ink)", strength: 0.03 + 0.15 * level };
  const grey = Math.round(255 * Math.max(0, Math.min(1, level)));
  return { fill: `rgb(${grey},${grey},${grey})`, ink: grey > 127 ? "#000" : "#fff" };
}

function heat(colour, part) {
  return { fill: `var(--gx-${colour})`, strength: part > 0 ? 0.12 + 0.5 * part : 0, faint: part === 0 };
}

const nameOf = (index, shape, value) => `row ${unravel(index, shape).join(", column ")}: ${decimal(value)}`;

function valueCells(now, values, shape) {
  const text = aligned(values);
  return values.map((value, index) => ({
    text: text(value), label: nameOf(index, shape, value), ...shade(now.tone, value),
  }));
}

const allPairs = ({ rows, columns }) => rows.flatMap((row) => columns.map((column) => [row, column]));

// Lines by their numbers: as a span where they follow one another, else as a list.
function linesText(word, positions) {
  const follow = positions.every((position, index) => position === positions[0] + index);
  if (follow) return span(word, positions).replace(/-(?=\d)/g, "−");
  return `${word}s ${list(positions.map((position) => decimal(position)))}`;
}

const blockText = ({ rows, columns }) => `: the outputs in ${span("row", rows)}, ${span("column", columns)}`;

function sumText(terms, total) {
  if (terms.length === 1) return total;
  const equal = terms.every((term) => term === terms[0]);
  return equal && terms.length > 3 ? `${terms.length} × ${terms[0]} = ${total}` : `${terms.join(" + ")} = ${total}`;
}
