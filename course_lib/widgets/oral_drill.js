// The oral drill: a question, a clock, a text field; then whatever the kernel says comes next. Each message to the
// kernel has a number, and the kernel tells which it acted on. Every key goes to the browser's own store at once, so
// that an end of the kernel loses nothing. It takes nothing but KINDS from the module around it.

// Milliseconds that the kernel's answer is waited for.
const PATIENCE = 4000;
const STEPS = ["answer", "rubric", "follow-up", "rating", "done", "alone"];
const SILENT = "The kernel does not answer. What you typed is kept in this browser: run this cell again to go on.";
const NO_KERNEL = "Without a kernel the drill ends here: mark your answer with the rubric in the text. It is kept in this browser.";

// ---- The parts ------------------------------------------------------------------------------------------------------

const quoted = (text) => make("blockquote", { class: "go-said" }, text || "(spoken)");

const took = ({ seconds, limit }) => paragraph(
  `That took ${Math.round(seconds)} seconds.${seconds > limit ? ` An interviewer would have stopped you at ${limit}.` : ""}`,
  "gp-hint");

// The rubric as boxes to tick, or as it was ticked. A guess is said to be one.
function rubric(step, tell) {
  const open = step.at === "rubric";
  const kept = recall(step.name);
  const boxes = [];
  const said = () => boxes.filter((box) => box.checked).map((box) => Number(box.value));
  const row = (point) => {
    const box = make("input", { type: "checkbox", value: point.number, ...KEEPS_KEYS });
    const again = open && kept.at === "rubric";
    [box.checked, box.disabled] = [again ? kept.ticked.includes(point.number) : point.ticked, !open];
    box.addEventListener("change", () => keep(step.name, { at: "rubric", ticked: said() }));
    boxes.push(box);
    const heard = point.heard ? make("span", { class: "go-heard" }, `heard: ${point.heard}`) : "";
    return make("label", {}, box, make("span", {}, point.text, heard));
  };
  const grades = [...new Set(step.rubric.map((point) => point.grade))];
  const groups = grades.map((grade) => make("fieldset", {}, make("legend", {}, grade),
    ...step.rubric.filter((point) => point.grade === grade).map(row)));
  const guess = step.text ? " A tick is a guess from your words: you decide." : "";
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
    // What belongs to an earlier step is with the kernel by now. A stored picture of the notebook may show less.
    if (STEPS.indexOf(recall(step.name).at) < STEPS.indexOf(step.at)) forget(step.name);
    if (step.at === "answer") {
      open = answer(step, question.id);
      parts.push(open.node);
    } else {
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
    const short = make("p", { class: "go-short", tabindex: "-1" }, `Short answer: ${step.follow_up.short}`);
    return [head, ask, quoted(step.follow_up.text), short];
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

  // Where reading goes on, in the place of the button that was pressed.
  function land(step) {
    const places = { rubric: ".go-rubric input", "follow-up": ".go-field button", rating: ".go-short" };
    const node = root.querySelector(places[step.at] ?? ".go-line button");
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
