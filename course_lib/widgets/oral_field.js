// What an oral drill stands on: elements, what this browser keeps, and a text with a clock.

// JupyterLab's shortcuts take the keys of a focused element, unless the element itself carries this mark.
const KEEPS_KEYS = { "data-lm-suppress-shortcuts": "true" };
// Milliseconds after a key until the kernel is told.
const PAUSE = 1500;

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

// `told(text, seconds)` is called while somebody types, `ended(text, seconds)` by the button.
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
    pause ??= setTimeout(tellNow, PAUSE); // Not put off by the next key: who types on and on is written down too.
  }
  function tellNow() {
    pause = null;
    told(area.value, now());
  }
  function stop() {
    clearInterval(tick);
    clearTimeout(pause);
  }
  // The clock stands until the next key: the kernel may be slow, or there may be none.
  function end() {
    stop();
    [before, since, pause] = [now(), null, null];
    show();
    keep(name, { at, text: area.value, seconds: before });
    ended(area.value, before);
  }

  const begin = button(start.seconds ? "Go on" : "Start the clock", () => (run(), area.focus()));
  const finish = button("I have finished", end);
  finish.hidden = true;
  area.addEventListener("input", () => (run(), save()));
  show();
  if (start.text !== text) told(start.text, start.seconds);
  const node = make("div", { class: "go-field" },
    make("div", { class: "go-line" }, begin, finish, clock, over), area);
  return { node, stop };
}
