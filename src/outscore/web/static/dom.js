// Elements made of text. Data never become markup: strings are text nodes, and nothing here parses HTML.

export const byId = (id) => document.getElementById(id);

// An element with attributes and children. Functions are listeners, `true` is an attribute without a value.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const button = (text, click, kind = "quiet-button") => make("button", { type: "button", class: kind, click }, text);

export const number = (n) => n.toLocaleString("en-GB");

export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

// What is said aloud as well as shown: a sentence, or nothing.
export function say(text) {
  byId("status").textContent = text;
}

// A refusal as the command line words it: what was found, and the cure.
export function problem(error) {
  const lines = [make("strong", {}, error.message), error.hint ? ` ${error.hint}` : null];
  return make("p", { class: "problem", role: "alert" }, ...lines);
}

// Waits until nothing has happened for a while: typing asks one question, not ten.
export function settled(milliseconds, action) {
  let waiting = 0;
  return (...values) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => action(...values), milliseconds);
  };
}
