// Where an input and its output stand: side by side, or one above the other where there is little room. Sizes are in
// cells: the input's with its padding, `pad` of it before.

// The most cells that any setting needs: for the input with its padding and what windows reach beyond, and the output.
function mostRoom(table) {
  const pad = Math.max(...optionsOf(table, "padding"));
  const most = (read) => [0, 1].map((axis) => Math.max(...table.geometry.map((place) => read(place, axis))));
  const after = most(({ padding, over: beyond }, axis) => beyond[axis] + padding);
  const input = table.input.shape.map((size, axis) => pad + size + Math.max(after[axis], pad));
  return { input, output: most(({ shape }, axis) => shape[axis]), pad };
}

function beside(input, output, pad) {
  const [left, top, gap] = [22, 44, 92];
  const cell = Math.max(20, Math.min(46, Math.floor((790 - 2 * left - gap) / (input[1] + output[1]))));
  const right = left + input[1] * cell;
  return {
    cell, upright: false,
    input: [left + pad * cell, top + pad * cell],
    output: [right + gap, top + pad * cell],
    width: right + gap + output[1] * cell + 4,
    height: top + Math.max(input[0], pad + output[0]) * cell + 8,
  };
}

function stacked(input, output, pad) {
  const [left, top, gap] = [22, 44, 72];
  const cell = Math.max(18, Math.min(46, Math.floor((330 - left) / Math.max(input[1], output[1] + pad))));
  const below = top + input[0] * cell;
  return {
    cell, upright: true,
    input: [left + pad * cell, top + pad * cell],
    output: [left + pad * cell, below + gap],
    width: left + Math.max(input[1], output[1] + pad) * cell + 4,
    height: below + gap + output[0] * cell + 26,
  };
}
