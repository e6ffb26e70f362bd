// A page without a kernel, and what the module gives to its host.

// What stands in for a kernel's model: it keeps the values and tells who listens.
export function pageModel(values) {
  const listeners = {};
  return {
    get: (name) => values[name],
    set(name, value) {
      values[name] = value;
      (listeners[`change:${name}`] ?? []).forEach((listener) => listener());
    },
    on: (event, listener) => (listeners[event] ??= []).push(listener),
    off(event, listener) {
      listeners[event] = (listeners[event] ?? []).filter((other) => other !== listener);
    },
    save_changes() {},
  };
}

export function mountAll(root) {
  for (const el of root.querySelectorAll("[data-explorable]")) {
    render({ model: pageModel(JSON.parse(el.querySelector("script").textContent)), el });
  }
}

export default { render };
