// Draws the course's explorables. Python computed every number in the table; this module only puts it on the screen.
//
// The files of drawing/ and then of kinds/, one for each kind of widget, are put behind one another by Python: together
// they are one module. A kind is an entry of KINDS:
//   layout(table, narrow)       measures that never change: width, height, gapAt, detailWidth, detailHeight and its own
//   draw(table, state, layout)  a scene: for each grid what it shows, or null; and what of these there is:
//                               frames, circles, arrows, details, under and over (elements below and above the
//                               numbers), sentence, notes (pairs of a term and its text), refusal (true where the
//                               setting does not exist)
//   labels    for each grid of the main picture, what a screen reader calls it
//   details   the names of the small grids below
// and, where it has them:
//   controls  its controls beside those of the table: name, label, options; words; slider; or field, also
//   picks     for each grid that can be picked, the name of the trait that holds the picked row and column
//   clicks    for each grid whose cells are clicked but hold no pick, what a click changes: (table, state, at)
//   traits    the names of its other traits; "side" if it says nothing
//   actions   its buttons: name, label, run(table, state), which returns changes, or null where there are none;
//             every: how many milliseconds apart it runs on until then, once pressed
//   settle(table, state)        brings a state in order after a control has changed
//   choose(table, state, grid, at)  what a pick changes beside itself
//   legend(state, table)        pairs of a mark's kind and its words
//   follow(table, state)        what Enter changes
//   hint      how it is used

const KINDS = {};

// Elements of the page.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "rect", "circle", "path", "line", "text", "tspan"]);

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
  return node;
}

function make(tag, attributes = {}, ...children) {
  const node = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  set(node, attributes).append(...children); // Strings become text nodes: nothing is ever read as markup.
  return node;
}

function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// JupyterLab's shortcuts take the arrow keys of a focused element, unless the element itself carries this mark.
const KEEPS_KEYS = { "data-lm-suppress-shortcuts": "true" };

let named = 0;
const uniqueName = () => `gx-${(named += 1)}-${Math.random().toString(36).slice(2, 8)}`;
