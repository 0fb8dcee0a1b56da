// Forms from what the server declares: one control for each field, shown while it means something, with its line of help.

import { make, settled } from "./dom.js";

const TYPING = 500;

// `known` names the columns and systems of the files; `changed` is called when a person has changed something.
export class Form {
  constructor(fields, { settings, known, changed, twoSystems = false }) {
    this.known = known;
    this.twoSystems = twoSystems;
    this.changed = changed;
    this.allows = () => true;
    this.typed = settled(TYPING, changed);
    this.entries = fields.filter((field) => field.type !== "file").map((field, i) => this.entry(field, i, settings[field.name]));
    this.refresh();
  }

  entry(field, i, given) {
    const id = `field-${i}-${field.name.replaceAll(/\W/g, "-")}`;
    const value = given ?? field.default;
    const { control, read, group } = this.control(field, id, value);
    const help = make("small", { id: `${id}-help`, class: "help" }, field.help);
    const label = group ? make("legend", {}, field.label) : make("label", { for: id }, field.label);
    const inner = field.type === "flag" ? [make("div", { class: "check" }, control, label), help] : [label, control, help];
    const element = make(group ? "fieldset" : "div", { class: `entry ${field.type}`, "data-field": field.name }, ...inner);
    const explain = field.choices.some((choice) => choice.help) && !group;
    if (explain) {
      const meant = make("small", { class: "meant" });
      const show = () => { meant.textContent = field.choices.find((choice) => choice.value === read())?.help ?? ""; };
      control.addEventListener("change", show);
      show();
      element.append(meant);
    }
    return { field, element, read, control };
  }

  control(field, id, value) {
    const change = () => { this.refresh(); this.changed(); };
    const described = { id, "aria-describedby": `${id}-help` };
    const names = field.type === "column" ? this.known.columns : field.type === "system" ? this.known.systems : null;
    if (field.type === "system" && field.many && this.twoSystems) return twoChoices(id, names, value, change);
    if (field.type === "several" || (names && field.many)) {
      const choices = names ? names.map((name) => ({ value: name, label: name, help: "" })) : field.choices;
      return boxes(id, choices, value, change);
    }
    if (field.type === "choice" || names) {
      const choices = names ? names.map((name) => ({ value: name, label: name })) : field.choices;
      const unset = { column: "as recognised", choice: field.group === "test" && field.name !== "compat" ? "default" : "none" };
      const none = field.default === null ? [["", unset[field.type] ?? "none"]] : [];
      const control = drop(described, [...none, ...choices.map((choice) => [choice.value, choice.label])], value, change);
      return { control, read: () => control.value };
    }
    if (field.type === "flag") {
      const control = make("input", { ...described, type: "checkbox", checked: value === true || value === "true", change });
      return { control, read: () => control.checked };
    }
    const numeric = field.type === "number" || field.type === "whole";
    const written = Array.isArray(value) ? value.join(" ") : value ?? "";
    const shape = numeric ? { type: "number", step: field.type === "whole" ? 1 : "any" } : { type: "text" };
    const control = make("input", { ...described, ...shape, value: `${written}`, autocomplete: "off", input: this.typed, change });
    const words = () => control.value.trim().split(/\s+/).filter(Boolean);
    return { control, read: () => (field.many ? words() : control.value.trim()) };
  }

  // Hides what means nothing beside the other choices.
  refresh() {
    const chosen = new Map();
    for (const { field, read } of this.entries) if (!chosen.has(field.name)) chosen.set(field.name, [read()].flat().map(String));
    for (const entry of this.entries) {
      const called = Object.entries(entry.field.for ?? {}).every(([name, values]) => chosen.get(name)?.some((value) => values.includes(value)));
      const nothing = !this.hasChoice(entry.field);
      entry.element.hidden = !called || nothing || !this.allows(entry.field);
    }
  }

  // Without columns there is none to choose, and of two systems both are compared.
  hasChoice({ type }) {
    if (type === "column") return this.known.columns.length > 0;
    return type !== "system" || this.known.systems.length > (this.twoSystems ? 2 : 0);
  }

  // The settings that differ from their defaults.
  values() {
    const found = {};
    for (const { field, element, read } of this.entries) {
      const value = read();
      const same = Array.isArray(value) ? value.length === 0 : `${value}` === `${field.default ?? (field.type === "flag" ? false : "")}`;
      if (!element.hidden && !same && value !== "") found[field.name] = value;
    }
    return found;
  }

  // Puts fields into a form of the page: some at once (`name+`: with the options that belong to it), the others folded away.
  place(form, names, first) {
    form.addEventListener("submit", (event) => { event.preventDefault(); this.changed(); });
    const mine = this.entries.filter(({ field }) => names.includes(field.name));
    const shown = first.flatMap((name) => mine.filter(({ field }) => field.name === name.replace("+", "") || (name.endsWith("+") && name.slice(0, -1) in field.for)));
    const folded = mine.filter((entry) => !shown.includes(entry));
    form.append(...new Set(shown.map((entry) => entry.element)));
    if (folded.length) form.append(make("details", {}, make("summary", {}, "More settings"), make("div", { class: "entries" }, ...folded.map((entry) => entry.element))));
  }

  find(name) {
    return this.entries.find(({ field }) => field.name === name);
  }
}

export function drop(attributes, options, value, change) {
  const chosen = `${value ?? ""}`;
  return make("select", { ...attributes, change }, ...options.map(([key, text]) => make("option", { value: key, selected: key === chosen }, text)));
}

function boxes(id, choices, value, change) {
  const chosen = [value ?? []].flat();
  const inputs = choices.map((choice) => make("input", { type: "checkbox", value: choice.value, checked: chosen.includes(choice.value), change }));
  const control = make("div", { id, class: "boxes" },
    ...choices.map((choice, i) => make("label", { title: choice.help || null }, inputs[i], ` ${choice.label}`)));
  return { control, group: true, read: () => inputs.filter((input) => input.checked).map((input) => input.value) };
}

// Which of many is A and which is B: their order decides the sign of the difference.
function twoChoices(id, names, value, change) {
  const chosen = [value ?? []].flat();
  const both = ["A", "B"].map((letter, i) => drop({ id: `${id}-${letter}`, "aria-label": `System ${letter}` }, [["", `${letter}: as recognised`], ...names.map((name) => [name, `${letter}: ${name}`])], chosen[i], change));
  const read = () => both.map((one) => one.value).filter(Boolean);
  return { control: make("div", { id, class: "pair" }, ...both), group: true, read };
}
