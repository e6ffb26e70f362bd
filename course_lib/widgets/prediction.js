// The prediction: a question, a control to commit to an answer, and then the answer to compare with. It takes nothing
// but KINDS from the module around it: in a notebook it stands alone, so that a chapter need not store the rest again.
{

// JupyterLab's shortcuts take the keys of a focused element, unless the element itself carries this mark.
const KEEPS_KEYS = { "data-lm-suppress-shortcuts": "true" };

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children); // Strings become text nodes: nothing is ever read as markup.
  return node;
}

// Text in which `code` stands between backticks.
const prose = (text) => text.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));

function button(text, listener) {
  const node = make("button", { type: "button", class: "gp-button", ...KEEPS_KEYS }, text);
  node.addEventListener("click", listener);
  return node;
}

let named = 0;
const uniqueName = () => `gp-${(named += 1)}-${Math.random().toString(36).slice(2, 8)}`;

// ---- The controls ---------------------------------------------------------------------------------------------------
// Each has a node; read(): the choice as text, "" without one; show(given, open); words(given); agrees(given). One may
// have compared(given): what is shown in place of the answer.

function choices(ask, changed) {
  const group = uniqueName();
  const inputs = ask.choices.map((choice) => {
    const input = make("input", { type: "radio", name: group, value: choice, ...KEEPS_KEYS });
    input.addEventListener("change", changed);
    return input;
  });
  const labels = inputs.map((input) => make("label", {}, input, make("span", {}, ...prose(input.value))));
  return {
    node: make("div", { class: "gp-choices", role: "radiogroup" }, ...labels),
    read: () => inputs.find((input) => input.checked)?.value ?? "",
    show: (given, open) => inputs.forEach((input) => {
      if (given) input.checked = input.value === given;
      input.disabled = !open;
    }),
    words: (given) => given,
    agrees: (given) => given === ask.answer,
    wanted: "Choose one first.",
  };
}

// A number as people write it: 4, −0.25, 0,25 or 4/9, with the unit behind it or without.
function plainNumber(text, unit) {
  let plain = text.trim();
  if (unit && plain.endsWith(unit)) plain = plain.slice(0, -unit.length);
  plain = plain.replace(/\s/g, "").replace("−", "-");
  // "2,048" may mean two numbers: whoever writes it is asked again.
  if (!/,\d{3}$/.test(plain)) plain = plain.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?(\/0*[1-9]\d*)?$/i.test(plain) ? plain : "";
}

function valueOf(plain) {
  const [above, below = 1] = plain.split("/");
  return Number(above) / Number(below);
}

// Whoever writes two decimals or more has rounded.
function rounding(plain) {
  const decimals = /\.(\d{2,})$/.exec(plain)?.[1].length;
  return decimals ? 0.5001 * 10 ** -decimals : 0;
}

function number(ask, changed) {
  const input = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", ...KEEPS_KEYS });
  input.addEventListener("input", changed);
  return {
    node: make("label", { class: "gp-number" }, input, make("span", {}, ask.unit)),
    read: () => plainNumber(input.value, ask.unit),
    show: (given, open) => {
      if (given) input.value = given.replace("-", "−");
      input.disabled = !open;
    },
    words: (given) => `${given.replace("-", "−")} ${ask.unit}`.trim(),
    agrees(given) {
      const off = Math.abs(valueOf(given) - ask.value);
      return off <= Math.max(ask.tolerance, rounding(given), 1e-9 * Math.abs(ask.value));
    },
    wanted: "Write a number, as 4 or 0.25 or 4/9.",
    onEnter: (listener) => input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // The focus moves on to "Compare", which the same key would open.
      listener();
    }),
  };
}

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function grid(ask, changed) {
  const [rows, columns] = ask.shape;
  let picked = "";
  const cells = ask.texts.map((text, index) => {
    const at = [Math.floor(index / columns), index % columns];
    const label = `row ${at[0]}, column ${at[1]}: ${text}`;
    const cell = make("button", { type: "button", "aria-label": label, "data-at": String(at), ...KEEPS_KEYS }, text);
    cell.addEventListener("click", () => pick(String(at)));
    cell.addEventListener("keydown", (event) => move(event, at));
    return cell;
  });
  const reachable = (index) => cells.forEach((cell, other) => (cell.tabIndex = other === index ? 0 : -1));
  const mark = () => cells.forEach((cell) => cell.setAttribute("aria-pressed", cell.dataset.at === picked));
  const pick = (at) => {
    picked = at;
    mark();
    reachable(cells.findIndex((cell) => cell.dataset.at === at));
    changed();
  };
  const move = (event, at) => {
    if (!(event.key in MOVES)) return;
    event.preventDefault();
    const inside = (position, axis) => Math.max(0, Math.min(ask.shape[axis] - 1, position + MOVES[event.key][axis]));
    const [row, column] = at.map(inside);
    reachable(row * columns + column);
    cells[row * columns + column].focus();
  };
  const head = make("tr", {}, make("td"), ...Array.from({ length: columns }, (_, column) => make("th", {}, `${column}`)));
  const body = Array.from({ length: rows }, (_, row) => {
    const own = cells.slice(row * columns, (row + 1) * columns).map((cell) => make("td", {}, cell));
    return make("tr", {}, make("th", {}, `${row}`), ...own);
  });
  reachable(0);
  mark();
  return {
    node: make("table", { class: "gp-grid" }, make("tbody", {}, head, ...body)),
    read: () => picked,
    show: (given, open) => {
      if (given) picked = given;
      mark();
      cells.forEach((cell) => (cell.disabled = !open));
    },
    words: (given) => `row ${given.split(",")[0]}, column ${given.split(",")[1]}`,
    agrees: (given) => given === ask.answer,
    wanted: "Choose an element first.",
  };
}

// Several claims, numbered in the text above, each with the same choices: a row of a table.
function claims(ask, changed) {
  const rows = ask.claims.map((claim) => {
    const group = uniqueName();
    return ask.choices.map((choice) => {
      const label = `claim ${claim}: ${choice}`;
      const input = make("input", { type: "radio", name: group, value: choice, "aria-label": label, ...KEEPS_KEYS });
      input.addEventListener("change", changed);
      return input;
    });
  });
  const said = () => rows.map((inputs) => inputs.find((input) => input.checked)?.value ?? "");
  const cell = (node) => make("td", {}, make("label", {}, node));
  const head = make("tr", {}, make("td"), ...ask.choices.map((choice) => make("th", { scope: "col" }, choice)));
  const body = rows.map((inputs, index) =>
    make("tr", {}, make("th", { scope: "row" }, `claim ${ask.claims[index]}`), ...inputs.map(cell)));
  const answers = ask.answer.split("|");
  return {
    node: make("table", { class: "gp-claims" }, make("tbody", {}, head, ...body)),
    read: () => (said().every(Boolean) ? said().join("|") : ""),
    show: (given, open) => {
      const wanted = given.split("|");
      rows.forEach((inputs, index) => inputs.forEach((input) => {
        if (given) input.checked = input.value === wanted[index];
        input.disabled = !open;
      }));
    },
    words: (given) => given.split("|").map((verdict, index) => `${ask.claims[index]} ${verdict}`).join(", "),
    agrees: (given) => given === ask.answer,
    compared: (given) => given.split("|").map((verdict, index) => make("p", {}, `Claim ${ask.claims[index]}: `,
      make("strong", {}, answers[index]), verdict === answers[index] ? ", as you said." : `; you said ${verdict}.`)),
    wanted: "Choose for every claim first.",
  };
}

const CONTROLS = { choices, number, grid, claims };

// ---- The whole ------------------------------------------------------------------------------------------------------

function compared(ask, control, given) {
  if (control.compared) return control.compared(given);
  const same = control.agrees(given);
  const answer = make("strong", {}, ...prose(ask.answer_text));
  const line = same ? ["It is what you predicted: ", answer, "."] : ["The answer: ", answer, "."];
  return [make("p", {}, ...line), ...(ask.why ? [make("p", {}, ...prose(ask.why))] : [])];
}

function render({ model, el }) {
  const ask = JSON.parse(model.get("table"));
  const [question, hint] = [make("p", { class: "gp-question", id: uniqueName() }), make("p", { class: "gp-hint" })];
  question.append(...prose(ask.question));
  hint.setAttribute("role", "status");
  const control = CONTROLS[ask.form](ask, () => hint.replaceChildren());
  const commit = button("That is my prediction", give);
  const said = make("p", { class: "gp-said", role: "status" });
  const summary = make("summary", KEEPS_KEYS, "Compare");
  const details = make("details", {}, summary);
  const again = button("Change it", () => draw("", () => commit.focus()));
  const top = make("p", { class: "gp-label" }, "Your prediction");
  const after = make("div", { class: "gp-after" }, said, again);
  const root = make("div", { class: "gp", "data-prediction": ask.name }, top, question, control.node);
  root.append(make("div", { class: "gp-give" }, commit, hint), after, details);
  control.node.setAttribute("aria-labelledby", question.id);
  control.onEnter?.(give);
  details.addEventListener("toggle", () => (again.hidden = details.open));

  function give() {
    const given = control.read();
    if (!given) return hint.replaceChildren(control.wanted);
    model.set("given", given);
    model.save_changes();
    draw(given);
    return summary.focus();
  }

  function draw(given, then) {
    control.show(given, !given);
    for (const node of [after, details]) node.hidden = !given;
    commit.parentNode.hidden = Boolean(given);
    root.dataset.given = given;
    if (given) {
      const note = model.get("note");
      said.replaceChildren("You predicted ", make("strong", {}, ...prose(control.words(given))), ".");
      if (note) said.append(" ", note);
      details.replaceChildren(summary, ...compared(ask, control, given));
    }
    then?.();
  }

  const later = () => draw(model.get("given"));
  const watched = ["change:given", "change:note"];
  watched.forEach((event) => model.on(event, later));
  draw(model.get("given"));
  el.append(root);
  return () => {
    watched.forEach((event) => model.off(event, later));
    root.remove();
  };
}

KINDS.prediction = { render };
}
