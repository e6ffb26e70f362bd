// The oral drill: a question, a clock, a text field; then whatever the kernel says comes next. Each message to the
// kernel has a number, and the kernel tells which it acted on. Every key goes to the browser's own store at once, so
// that an end of the kernel loses nothing. It takes nothing but KINDS from the module around it.
{

// JupyterLab's shortcuts take the keys of a focused element, unless the element itself carries this mark.
const KEEPS_KEYS = { "data-lm-suppress-shortcuts": "true" };
// Milliseconds: a typist's pause after which the kernel is told, and how long its answer is waited for.
const PAUSE = 700;
const PATIENCE = 4000;
const SILENT = "The kernel does not answer. What you typed is kept in this browser: run this cell again to go on.";
const NO_KERNEL = "Without a kernel the drill ends here: mark your answer with the rubric in the text. It is kept in this browser.";

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children); // Strings become text nodes: nothing is ever read as markup.
  return node;
}

const paragraph = (text, name = "") => make("p", name ? { class: name } : {}, text);

function button(text, listener) {
  const node = make("button", { type: "button", class: "gp-button", ...KEEPS_KEYS }, text);
  node.addEventListener("click", listener);
  return node;
}

let named = 0;
const uniqueName = () => `go-${(named += 1)}-${Math.random().toString(36).slice(2, 8)}`;

// ---- What this browser keeps ----------------------------------------------------------------------------------------
// A store may be full, or forbidden: then only the kernel keeps what is typed.

const place = (name) => `course oral ${name}`;

function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(place(name))) ?? {};
  } catch {
    return {};
  }
}

function keep(name, kept) {
  try {
    localStorage.setItem(place(name), JSON.stringify(kept));
  } catch {}
}

function forget(name) {
  try {
    localStorage.removeItem(place(name));
  } catch {}
}

// ---- A text with a clock --------------------------------------------------------------------------------------------

const inSeconds = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

// What was typed here, if it is later than what the kernel knows: by the seconds on the clock.
function latest(name, at, text, seconds) {
  const kept = recall(name);
  return kept.at === at && kept.seconds >= seconds ? kept : { text, seconds };
}

// `told(text, seconds)` is called after each pause, `ended(text, seconds)` by the button.
function field({ name, at, text, seconds, limit, labelled, told, ended }) {
  const start = latest(name, at, text, seconds);
  const clock = make("span", { class: "go-clock", role: "timer" });
  const over = make("span", { class: "go-over", role: "status" });
  const area = make("textarea", { rows: "6", "aria-labelledby": labelled, spellcheck: "false", ...KEEPS_KEYS });
  let [before, since, pause, tick] = [start.seconds, null, null, null];
  area.value = start.text;
  const now = () => before + (since === null ? 0 : (performance.now() - since) / 1000);

  function show() {
    const left = limit - now();
    clock.textContent = left >= 0 ? `${inSeconds(Math.ceil(left))} left` : `${inSeconds(-left)} over`;
    clock.classList.toggle("go-late", left < 0);
    const said = left < 0 ? "The time is over. Finish your sentence." : "";
    if (over.textContent !== said) over.replaceChildren(said); // Only a change is read aloud.
  }
  function run() {
    if (since !== null) return;
    since = performance.now();
    tick = setInterval(show, 250);
    begin.hidden = true;
    finish.hidden = false;
  }
  function save() {
    keep(name, { at, text: area.value, seconds: now() });
    clearTimeout(pause);
    pause = setTimeout(() => told(area.value, now()), PAUSE);
  }
  function stop() {
    clearInterval(tick);
    clearTimeout(pause);
  }
  function end() {
    run();
    keep(name, { at, text: area.value, seconds: now() });
    clearTimeout(pause);
    ended(area.value, now());
  }

  const begin = button(start.seconds ? "Go on" : "Start the clock", () => (run(), area.focus()));
  const finish = button("I have finished", end);
  finish.hidden = true;
  area.addEventListener("input", () => (run(), save()));
  show();
  if (start.text !== text) told(start.text, start.seconds);
  const node = make("div", { class: "go-field" },
    make("div", { class: "go-line" }, begin, finish, clock, over), area);
  return { node, stop, focus: () => (begin.hidden ? area : begin).focus() };
}

// ---- The parts ------------------------------------------------------------------------------------------------------

const quoted = (text) => make("blockquote", { class: "go-said" }, text || "(spoken)");

const took = ({ seconds, limit }) => paragraph(
  `That took ${Math.round(seconds)} seconds.${seconds > limit ? ` An interviewer would have stopped you at ${limit}.` : ""}`,
  "gp-hint");

// The rubric as boxes to tick, or as it was ticked. A guess is said to be one.
function rubric(step, tell) {
  const open = step.at === "rubric";
  const boxes = [];
  const row = (point) => {
    const box = make("input", { type: "checkbox", value: point.number, ...KEEPS_KEYS });
    [box.checked, box.disabled] = [point.ticked, !open];
    boxes.push(box);
    const heard = point.heard ? make("span", { class: "go-heard" }, `heard: ${point.heard}`) : "";
    return make("label", {}, box, make("span", {}, point.text, heard));
  };
  const grades = [...new Set(step.rubric.map((point) => point.grade))];
  const groups = grades.map((grade) => make("fieldset", {}, make("legend", {}, grade),
    ...step.rubric.filter((point) => point.grade === grade).map(row)));
  const guess = step.text ? " A tick is a guess from your words: you decide." : "";
  const said = () => boxes.filter((box) => box.checked).map((box) => Number(box.value));
  return make("div", { class: "go-rubric" },
    paragraph(open ? `Tick what you said.${guess}` : "What you said.", "go-head"), ...groups,
    open ? button("That is what I said", () => tell({ do: "tick", points: said() })) : "");
}

function model(step) {
  const heard = step.wrong.map(([text, why]) => make("li", {}, make("q", {}, text), " ", why));
  return make("div", {},
    paragraph("Often heard, and wrong", "go-head"), make("ul", {}, ...heard),
    paragraph("A model answer", "go-head"), make("p", { class: "go-model" }, step.model),
    ...step.read.map((text) => paragraph(text, "gp-hint")));
}

function rating(step, tell) {
  const choose = ([number, name]) => button(
    number === step.suggested ? `${name} (suggested)` : name, () => tell({ do: "rate", rating: number }));
  return make("div", { class: "go-line" }, make("span", {}, "How was it?"), ...step.ratings.map(choose));
}

// ---- The whole ------------------------------------------------------------------------------------------------------

function render({ model: kernel, el }) {
  const root = make("div", { class: "gp go" });
  const note = make("p", { class: "go-note", role: "status" });
  let [turn, waiting, shown, open, acted] = [kernel.get("heard") ?? 0, null, "", null, false];
  const read = () => JSON.parse(kernel.get("step"));

  function tell(message) {
    acted = message.do !== "draft";
    turn += 1;
    clearTimeout(waiting);
    waiting = setTimeout(() => note.replaceChildren(SILENT), PATIENCE);
    try {
      kernel.send({ ...message, turn });
    } catch {} // A kernel that is gone: `waiting` will say so.
  }
  // On a page without a kernel the answer is the end.
  const ended = (text, seconds) => (kernel.send ? tell({ do: "answered", text, seconds }) : note.replaceChildren(NO_KERNEL));
  const told = (text, seconds) => kernel.send && tell({ do: "draft", text, seconds });

  function answer(step, labelled) {
    const { name, text, seconds, limit } = step;
    return field({ name, at: "answer", text, seconds, limit, labelled, told, ended });
  }
  function followUp({ name, follow_up: { text, limit } }, labelled) {
    const end = (text) => tell({ do: "followed", text });
    return field({ name, at: "follow-up", text, seconds: 0, limit, labelled, told, ended: end });
  }

  function draw() {
    const step = read();
    const key = [step.name, step.at, step.round].join(" ");
    root.dataset.at = step.at;
    if (key === shown) return; // A draft was kept: nothing else is to be shown.
    shown = key;
    open?.stop();
    open = null;
    const question = make("p", { class: "gp-question", id: uniqueName() }, step.ask);
    const parts = [paragraph(["Interview", step.heading].filter(Boolean).join(" · "), "gp-label"), question];
    if (step.at === "answer") {
      open = answer(step, question.id);
      parts.push(open.node);
    } else {
      if (recall(step.name).at === "answer") forget(step.name);
      parts.push(quoted(step.text), took(step));
    }
    if (step.rubric) parts.push(rubric(step, tell));
    if (step.follow_up) parts.push(...follow(step));
    if (step.model) parts.push(model(step));
    if (step.at === "rating") parts.push(rating(step, tell));
    if (step.at === "done") parts.push(paragraph(`You rated it ${step.rating}. ${step.again}`, "go-head"));
    parts.push(make("div", { class: "go-line" }, ...after(step)), note);
    note.replaceChildren(step.note);
    root.replaceChildren(...parts);
    if (acted) land(step);
    acted = false;
  }

  function follow(step) {
    const ask = make("p", { class: "gp-question", id: uniqueName() }, step.follow_up.ask);
    const head = paragraph("The interviewer goes on", "go-head");
    if (step.at === "follow-up") {
      open = followUp(step, ask.id);
      return [head, ask, open.node];
    }
    if (recall(step.name).at === "follow-up") forget(step.name);
    return [head, ask, quoted(step.follow_up.text), paragraph(`Short answer: ${step.follow_up.short}`)];
  }

  function again() {
    open?.stop(); // Nothing that was typed before may be told after this.
    forget(read().name);
    tell({ do: "again" });
  }

  function after(step) {
    if (step.at === "done") return [button("Another question", () => tell({ do: "next" })), button("This one again", again)];
    if (step.at === "alone" || (step.at === "answer" && step.text)) return [button("Begin again", again)];
    return [];
  }

  // The first control of the new part takes the place of the button that was pressed.
  function land(step) {
    const first = { answer: "button", rubric: ".go-rubric input", "follow-up": ".go-field button" }[step.at];
    const node = first ? root.querySelector(first) : root.querySelector("& > .go-line:last-of-type button");
    node?.focus({ preventScroll: true });
    node?.scrollIntoView({ block: "nearest" });
  }

  function heard() {
    draw();
    if (kernel.get("heard") < turn) return;
    clearTimeout(waiting);
    note.replaceChildren(read().note);
  }

  kernel.on("change:heard", heard);
  kernel.on("change:step", heard);
  draw();
  el.append(root);
  return () => {
    kernel.off("change:heard", heard);
    kernel.off("change:step", heard);
    open?.stop();
    clearTimeout(waiting);
    root.remove();
  };
}

KINDS.oral = { render };
}
