// The widget: one state, read, changed and drawn as a whole.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// The state that a model holds, read, changed and watched as a whole.
function watch(model, table, kind, names, draw) {
  let [own, waiting] = [false, false];
  const settled = (state) => {
    const { key, open } = settle(table, state);
    Object.assign(state, { key, open });
    kind.settle?.(table, state);
    return state;
  };
  const read = () => settled(Object.fromEntries(names.map((name) => [name, model.get(name)])));
  const change = (changes) => {
    const state = settled({ ...read(), ...changes });
    own = true;
    names.filter((name) => !same(model.get(name), state[name])).forEach((name) => model.set(name, state[name]));
    own = false;
    draw(state);
    model.save_changes();
    return state;
  };
  const later = () => {
    if (own || waiting) return;
    waiting = true; // Several traits often change at once: one drawing shows them all.
    queueMicrotask(() => {
      waiting = false;
      draw(read());
    });
  };
  names.forEach((name) => model.on(`change:${name}`, later));
  return { read, change, stop: () => names.forEach((name) => model.off(`change:${name}`, later)) };
}

function makeControls(table, kind, change) {
  const shown = controlsOf(table, kind).filter(({ field, options }) => field || options.length > 1);
  const controls = shown.map((control) => ({ ...control, ...makeControl(control, change) }));
  const draw = (state) => {
    for (const { name, only, draw: drawOne } of controls) {
      const matters = Object.entries(only ?? {}).every(([other, value]) => state[other] === value);
      drawOne(state[name], state.open[name], matters);
    }
  };
  // Beside buttons for steps, a slider belongs to them.
  const beside = controls.filter(({ slider }) => slider && kind.actions).map(({ node }) => node);
  const nodes = controls.map(({ node }) => node).filter((node) => !beside.includes(node));
  return { node: make("div", { class: "gx-controls" }, ...nodes), beside, draw };
}

function controlsOf(table, { controls = [] }) {
  return [...table.controls, ...(typeof controls === "function" ? controls(table) : controls)];
}

function makeWords(kind, table) {
  const legend = make("p", { class: "gx-legend" });
  const sentence = make("p", { class: "gx-sentence", "aria-live": "polite" });
  const notes = make("dl", { class: "gx-notes" });
  const hint = kind.hint ? [make("p", { class: "gx-hint" }, kind.hint)] : [];
  const node = make("div", { class: "gx-words" }, legend, sentence, notes, ...hint);
  const draw = (state, scene) => {
    legend.replaceChildren(...(kind.legend?.(state, table) ?? []).map(legendEntry));
    say(sentence, scene.sentence);
    const pairs = (scene.notes ?? []).map(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]);
    notes.replaceChildren(...pairs.flat());
  };
  return { node, draw };
}

const NARROW = 560;

// The stage and the small grids, made anew when the room for them becomes narrow or wide.
function makeView(kind, table, redraw) {
  const [stage, small] = [make("div", { class: "gx-room" }), make("div", { class: "gx-small" })];
  const view = { stage, small, narrow: null };
  const fit = (narrow) => {
    if (narrow === view.narrow) return;
    view.narrow = narrow;
    view.layout = kind.layout(table, narrow);
    view.picture = makePicture(kind, view.layout);
    stage.replaceChildren(view.picture.stage);
    small.replaceChildren(...(kind.details.length ? [view.picture.detail] : []));
  };
  const measure = () => {
    const width = stage.clientWidth;
    if (!width || width < NARROW === view.narrow) return;
    fit(width < NARROW);
    redraw();
  };
  const observer = new ResizeObserver(measure);
  observer.observe(stage);
  fit(false);
  return Object.assign(view, { measure, stop: () => observer.disconnect() });
}

function render({ model, el }) {
  const table = openTable(model.get("table"));
  const kind = { picks: {}, clicks: {}, details: [], ...KINDS[table.kind] };
  const traits = [...controlsOf(table, kind).map(({ name }) => name), ...(kind.traits ?? ["side"])];
  const state = watch(model, table, kind, [...traits, ...Object.values(kind.picks)], draw);
  const [controls, words] = [makeControls(table, kind, state.change), makeWords(kind, table)];
  const actions = makeActions(kind, table, state);
  const view = makeView(kind, table, () => draw(state.read()));
  const foot = make("div", { class: "gx-foot" }, words.node, view.small);
  const bar = kind.actions ? [make("div", { class: "gx-bar-of-steps" }, actions.node, ...controls.beside)] : [];
  const root = make("div", { class: "gx", "data-kind": table.kind }, controls.node, ...bar, view.stage, foot);
  let drawn = 0;

  function draw(now) {
    const scene = kind.draw(table, now, view.layout);
    controls.draw(now);
    actions.draw(now);
    view.picture.draw(scene);
    words.draw(now, scene);
    drawn += 1;
    const names = { "data-setting": now.key, "data-side": now.side, "data-show": now.show, "data-drawn": drawn };
    set(root, { ...names, "data-refused": Boolean(scene.refusal) });
  }

  const pickCell = (name, at) => {
    const side = kind.traits && !kind.traits.includes("side") ? {} : { side: name };
    return state.change({ ...side, [kind.picks[name]]: at, ...kind.choose?.(table, state.read(), name, at) });
  };
  const follow = () => state.change(kind.follow?.(table, state.read()) ?? {});
  const clickCell = (name, at) => state.change(kind.clicks[name](table, state.read(), at));
  listenToPointer(view.stage, kind, { pickCell, clickCell });
  listenToKeys(view.stage, kind, { ...state, pickCell, follow });
  draw(state.read());
  el.append(root);
  view.measure();
  return () => {
    actions.stop();
    view.stop();
    state.stop();
    root.remove();
  };
}
