// The picture: from below, the cells, what lies under the numbers, the numbers, the marks; and its legend.

function makePicture(kind, layout) {
  const grids = Object.fromEntries(Object.entries(kind.labels).map(([name, label]) => {
    return [name, makeGrid(name, label, !kind.picks || name in kind.picks)];
  }));
  const details = kind.details.map((name) => makeGrid(name));
  const [under, over] = [make("g", { class: "gx-marks" }), make("g", { class: "gx-marks" })];
  const layers = (all, ...between) => [...all.map(({ node }) => node), ...between, ...all.map(({ texts }) => texts)];
  const stage = canvas("gx-stage", layout.width, layout.height, ...layers(Object.values(grids), under), over);
  const detail = canvas("gx-detail", layout.detailWidth ?? 0, layout.detailHeight ?? 0, ...layers(details));
  set(detail, { "aria-hidden": "true" }); // The sentence says the same.
  const draw = ({ frames = [], circles = [], arrows = [], ...scene }) => {
    for (const [name, spec] of Object.entries(scene.grids)) grids[name].draw(spec);
    details.forEach((grid, index) => grid.draw(scene.details?.[index]));
    under.replaceChildren(...(scene.under ?? []));
    over.replaceChildren(
      ...frames.map((mark) => frame(scene.grids[mark.on], mark)), ...arrowNodes(arrows),
      ...circles.map((mark) => circle(scene.grids[mark.on], mark)), ...(scene.over ?? []), ...tags(arrows),
    );
  };
  return { stage, detail, grids, draw };
}

function canvas(name, width, height, ...children) {
  const style = `max-width: ${width}px`;
  return make("svg", { class: name, viewBox: `0 0 ${width} ${height}`, width, height, style }, ...children);
}

const square = () => make("rect", { x: 2, y: 2, width: 12, height: 12, rx: 2 });
const ring = () => make("circle", { cx: 8, cy: 8, r: 6 });
const lines = () => make("path", { d: "M2,8 L8,2 M2,14 L14,2 M8,14 L14,8" });
const ICONS = {
  window: square, picked: square, holder: square, payer: square, winner: ring, equal: ring,
  share: () => make("circle", { cx: 8, cy: 8, r: 4 }),
  wrong: () => make("path", { d: "M3,3 L13,13 M13,3 L3,13" }),
  tap: square, outline: square, lost: lines, free: lines,
  arrow: () => make("path", { d: "M16,7 H9 V4 L1,8 L9,12 V9 H16 z", class: "gx-head" }),
};

function legendEntry([kind, text]) {
  const icon = make("svg", { viewBox: "0 0 16 16", width: 16, height: 16, class: `gx-${kind}` }, ICONS[kind]());
  return make("span", {}, set(icon, { "aria-hidden": "true" }), text);
}
