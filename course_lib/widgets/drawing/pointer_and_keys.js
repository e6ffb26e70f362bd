// What the pointer and the keys do.

function cellAt(node) {
  const cell = node.closest?.("[data-cell]");
  const grid = cell?.closest("[data-grid]");
  return grid && { name: grid.dataset.grid, at: cell.dataset.cell.split(",").map(Number) };
}

const focusGrid = (stage, name) => stage.querySelector(`[data-grid="${name}"]`).focus({ preventScroll: true });

function listenToPointer(stage, kind, { pickCell, clickCell }) {
  const choose = (event) => {
    const found = cellAt(event.target);
    if (found?.name in kind.clicks) clickCell(found.name, found.at);
    if (!(found?.name in kind.picks)) return;
    focusGrid(stage, found.name);
    pickCell(found.name, found.at);
  };
  stage.addEventListener("click", choose);
  const drags = (event) => event.buttons === 1 && event.pointerType === "mouse";
  stage.addEventListener("pointermove", (event) => drags(event) && choose(event));
}

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function moved(at, key, shape) {
  if (key === "Home") return [at[0], 0];
  if (key === "End") return [at[0], shape[1] - 1];
  return at.map((position, axis) => Math.max(0, Math.min(shape[axis] - 1, position + MOVES[key][axis])));
}

function listenToKeys(stage, kind, { read, change, pickCell, follow }) {
  stage.addEventListener("keydown", (event) => {
    const name = event.target.dataset?.grid;
    if (!(name in kind.picks) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in MOVES || event.key === "Home" || event.key === "End") {
      const shape = event.target.dataset.shape.split(",").map(Number);
      pickCell(name, moved(read()[kind.picks[name]], event.key, shape));
    } else if (event.key === "Enter" || event.key === " ") {
      const now = read();
      focusGrid(stage, (now.side === name || !("side" in now) ? follow() : change({ side: name })).side ?? name);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
