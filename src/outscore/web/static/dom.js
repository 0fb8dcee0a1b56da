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

export const counted = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;

export function size(bytes) {
  if (bytes < 1000) return `${bytes}\u00a0bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)}\u00a0kB` : `${(bytes / 1e6).toFixed(1)}\u00a0MB`;
}

// Several things in a sentence: a, b and c.
export function listed(things) {
  return things.length > 1 ? `${things.slice(0, -1).join(", ")} and ${things.at(-1)}` : things.join("");
}

// What a person or a file wrote, in a sentence of ours.
export const quoted = (text) => `\`${text}\``;

// What is said aloud as well as shown: a sentence, or nothing.
export function say(text) {
  byId("status").textContent = text;
}

// A sentence as nodes: what it has between backticks is set as code.
export const told = (text) => text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? make("code", {}, part) : part));

// A refusal as the command line words it: what was found, and the cure.
export function problem(error) {
  const cure = error.hint ? [" ", ...told(error.hint)] : [];
  return make("p", { class: "problem", role: "alert" }, make("strong", {}, told(error.message)), ...cure);
}

// Waits until nothing has happened for a while: typing asks one question, not ten.
export function settled(milliseconds, action) {
  let waiting = 0;
  return (...values) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => action(...values), milliseconds);
  };
}
