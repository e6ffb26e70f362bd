// Controls: one row of joined buttons for each, or a slider, or a field for a number.

function makeControl(control, change) {
  if (control.field) return makeField(control, change);
  return (control.slider ? makeSlider : makeChoice)(control, change);
}

function makeChoice({ name, label, options, words }, change) {
  const group = uniqueName();
  const inputs = options.map((option) => {
    const input = make("input", { type: "radio", name: group, value: String(option), ...KEEPS_KEYS });
    input.addEventListener("change", () => change({ [name]: option }));
    return input;
  });
  const shown = words ?? options.map((option) => OPTION_WORDS[option] ?? String(option));
  const labels = inputs.map((input, index) => make("label", {}, input, make("span", {}, shown[index])));
  const node = controlNode("radiogroup", name, label, make("div", { class: "gx-options" }, ...labels));
  const draw = (value, open = options, matters = true) => {
    inputs.forEach((input, index) => {
      input.checked = options[index] === value;
      input.disabled = !matters || !open.includes(options[index]);
    });
    set(node, { "data-value": String(value), "data-idle": !matters });
  };
  return { node, draw };
}

const OPTION_WORDS = { true: "on", false: "off", null: "none" };

function controlNode(role, name, label, body) {
  const title = make("span", { class: "gx-name", "aria-hidden": "true" }, label);
  return make("div", { class: "gx-control", role, "aria-label": label, "data-control": name }, title, body);
}

// A slider moves over the options that are open, which are the first ones.
function makeSlider({ name, label, options, words }, change) {
  const input = make("input", { type: "range", min: 0, step: 1, "aria-label": label, ...KEEPS_KEYS });
  const text = make("output", { class: "gx-now" });
  const node = controlNode("group", name, label, make("div", { class: "gx-slider" }, input, text));
  input.addEventListener("input", () => change({ [name]: options[Number(input.value)] }));
  const draw = (value, open = options, matters = true) => {
    const index = options.indexOf(value);
    const word = words?.[index] ?? String(value);
    set(input, { max: open.length - 1, "aria-valuetext": word });
    input.value = index;
    input.disabled = !matters;
    say(text, words ? word : `${word} of ${open.at(-1)}`);
    set(node, { "data-value": String(value), "data-idle": !matters });
  };
  return { node, draw };
}

// A field for a number above zero; what else is typed changes nothing. `also` are changes that go with the number.
function makeField({ name, label, also }, change) {
  const input = make("input", { type: "text", inputmode: "decimal", size: 12, "aria-label": label, ...KEEPS_KEYS });
  const node = controlNode("group", name, label, make("div", { class: "gx-field" }, input));
  input.addEventListener("change", () => {
    const value = Number(input.value.trim().replace("−", "-"));
    const taken = value > 0 && value < Infinity;
    set(input, { "aria-invalid": !taken && input.value !== "" && "true" });
    if (taken) change({ [name]: value, ...also(value) });
  });
  const draw = (value, open, matters = true) => {
    input.disabled = !matters;
    set(node, { "data-value": String(value), "data-idle": !matters });
  };
  return { node, draw };
}

// ---- Buttons --------------------------------------------------------------------------------------------------------

// One that runs on is pressed as long as it runs, and any other button stops it.
function makeActions(kind, table, { read, change }) {
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    buttons.forEach((button) => set(button, { "aria-pressed": button.hasAttribute("aria-pressed") && "false" }));
  };
  const step = (action) => {
    const changes = action.run(table, read());
    if (changes) change(changes);
    return changes;
  };
  const start = (action, button) => {
    if (!step(action)) return;
    set(button, { "aria-pressed": "true" });
    timer = setInterval(() => step(action) || stop(), action.every);
  };
  const buttons = (kind.actions ?? []).map((action) => {
    const names = { class: "gx-button", type: "button", "data-action": action.name, ...KEEPS_KEYS };
    const button = make("button", { ...names, "aria-pressed": action.every && "false" }, action.label);
    button.addEventListener("click", () => {
      const running = button.getAttribute("aria-pressed") === "true";
      stop();
      if (!action.every) step(action);
      else if (!running) start(action, button);
    });
    return button;
  });
  const draw = (state) => buttons.forEach((button, index) => {
    // Not disabled, which would take the focus away from under the hand that presses it.
    set(button, { "aria-disabled": kind.actions[index].run(table, state) === null && "true" });
  });
  return { node: make("div", { class: "gx-actions", role: "group", "aria-label": "steps" }, ...buttons), draw, stop };
}
