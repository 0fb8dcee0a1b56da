// Forms from what the server declares: one control for each field, shown while it means something, with its line of help.

import { make, settled, told } from "./dom.js";

const TYPING = 500;

// `known` names the columns and systems of the files; `changed` is called when a person has changed something.
export class Form {
  constructor(fields, { settings, known, changed, twoSystems = false }) {
    this.known = known;
    this.twoSystems = twoSystems;
    this.changed = changed;
    this.allows = (_field) => true;
    this.typed = settled(TYPING, changed);
    this.latest = null;
    const own = fields.filter((field) => field.type !== "file").map((field) => this.extended(field));
    // Several fields have one name where it means another thing beside other choices: a value is for the one it was given to.
    const chosen = (name) => [settings[name] ?? own.find((field) => field.name === name)?.default].flat().map(String);
    const given = (field) => (isCalledFor(field, chosen) ? settings[field.name] : undefined);
    this.entries = own.map((field, i) => this.entry(field, i, given(field)));
    this.refresh();
  }

  // A field that names something in logs offers what they hold.
  extended(field) {
    const held = this.known.held[field.name] ?? [];
    if (!held.length) return field;
    const help = field.name === "metric" ? "Which of the scores in the logs." : field.help;
    const choices = held.map((name) => ({ value: name, label: name, help: "" }));
    const unset = field.name === "log-task" && !this.twoSystems ? "all of them" : "choose one";
    return { ...field, type: "choice", default: null, unset, help, choices };
  }

  // What stands in a list where nothing is chosen.
  unset({ name, type, group, unset, choices }) {
    if (type === "column") return "as recognised";
    if (unset && !choices.some(({ value }) => value === unset)) return unset;
    return type === "choice" && group === "test" && name !== "compat" ? "default" : "none";
  }

  entry(field, i, given) {
    const id = `field-${i}-${field.name.replaceAll(/\W/g, "-")}`;
    const value = given ?? field.default;
    const { control, read, group, list } = this.control(field, id, value);
    const help = make("small", { id: `${id}-help`, class: "help" }, told(field.help));
    const label = group ? make("legend", {}, field.label) : make("label", { for: id }, field.label);
    const ticked = field.type === "flag" && make("div", { class: "check" }, control, label);
    const inner = ticked ? [ticked, help] : [label, control, list, help];
    const element = make(group ? "fieldset" : "div", { class: `entry ${field.type}`, "data-field": field.name }, ...inner);
    element.addEventListener("input", () => { this.latest = element; });
    // What a choice means says more than what is to be chosen, and both together are long.
    if (field.choices.some((choice) => choice.help) && !group) {
      const chosen = () => field.choices.find((choice) => choice.value === read());
      const show = () => { help.replaceChildren(...told(chosen()?.help || field.help)); };
      control.addEventListener("change", show);
      show();
    }
    return { field, element, read, control, given: given !== undefined };
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
      // What happens in rare cases is told on demand: a list shows what fits it.
      const unset = this.unset(field), none = field.default === null ? [["", unset.split(";")[0]]] : [];
      const shown = { ...described, title: unset.includes(";") ? unset : null };
      const offered = choices.map((choice) => [choice.value, choice.label]);
      const control = drop(shown, [...none, ...offered], value, change);
      return { control, read: () => control.value };
    }
    if (field.type === "flag") {
      const control = make("input", { ...described, type: "checkbox", checked: value === true || value === "true", change });
      return { control, read: () => control.checked };
    }
    const numeric = field.type === "number" || field.type === "whole";
    const written = Array.isArray(value) ? value.join(" ") : value ?? "";
    const shape = numeric ? { type: "number", step: field.type === "whole" ? 1 : "any" } : { type: "text" };
    const proposed = field.choices.map((choice) => make("option", { value: choice.value }));
    const list = proposed.length ? make("datalist", { id: `${id}-list` }, ...proposed) : null;
    const placeholder = field.default ?? (field.unset || null);
    const filled = { value: `${written}`, placeholder, list: list?.id, autocomplete: "off" };
    const control = make("input", { ...described, ...shape, ...filled, input: this.typed, change });
    const words = () => control.value.trim().split(/\s+/).filter(Boolean);
    return { control, list, read: () => (field.many ? words() : control.value.trim()) };
  }

  // Hides what means nothing beside the other choices.
  refresh() {
    const chosen = new Map();
    for (const { field, read } of this.entries) {
      if (!chosen.has(field.name)) chosen.set(field.name, [read()].flat().map(String));
    }
    for (const entry of this.entries) {
      const called = isCalledFor(entry.field, (name) => chosen.get(name) ?? []);
      entry.element.hidden = !called || !(entry.given || this.hasChoice(entry.field)) || !this.allows(entry.field);
    }
  }

  // Without columns there is none to choose. Two files are compared in their order, and two systems of one in either.
  hasChoice({ name, type, group }) {
    if (group === "logs" && !this.known.logs) return false;
    if (this.known.logs && name in this.known.held) return this.known.held[name].length > 1;
    if (type === "column") return this.known.columns.length > 0;
    const given = this.known.files > 1 ? 2 : 1;
    return type !== "system" || this.known.systems.length > (this.twoSystems ? given : 0);
  }

  // What holds something that is no number: the browser then says it is empty, which would stand for the default.
  get unfit() {
    return this.entries.find(({ element, control }) => !element.hidden && control.validity?.badInput);
  }

  // The settings that differ from their defaults.
  values() {
    const found = {};
    for (const { field, element, read } of this.entries) {
      const value = read();
      const same = `${value}` === `${field.default ?? (field.type === "flag" ? false : "")}`;
      if (!element.hidden && !same && value.length !== 0) found[field.name] = value;
    }
    return found;
  }

  // Puts fields into a form of the page: some at once, the others folded away, where they can be searched.
  place(form, names, first) {
    form.onsubmit = (event) => { event.preventDefault(); this.changed(); };
    const mine = this.entries.filter(({ field }) => names.includes(field.name));
    const shown = first.flatMap((name) => mine.filter(({ field }) => field.name === name));
    const folded = mine.filter((entry) => !shown.includes(entry));
    form.replaceChildren(...new Set(shown.map((entry) => entry.element)));
    if (!folded.length) return;
    const named = { placeholder: "Find a setting", "aria-label": "Find a setting" };
    const search = make("input", { type: "search", class: "find-setting", ...named });
    const entries = make("div", { class: "entries" }, ...folded.map((entry) => entry.element));
    search.addEventListener("input", (event) => { event.stopPropagation(); narrow(entries, search.value); });
    form.append(make("details", { class: "more-settings" }, make("summary", {}, "More settings"), search, entries));
  }

  // What is chosen in a form of the page, in a few words.
  summary(form) {
    const said = ({ field, read }) => {
      const values = [read()].flat().filter((value) => value !== "" && value !== false);
      const named = values.map((value) => field.choices.find((choice) => choice.value === value)?.label ?? value).join(", ");
      return values.length > 0 && `${field.label.toLowerCase()} ${field.type === "flag" ? "" : named}`.trim();
    };
    // Options of a test or a metric are worth a word when they are not what they always are.
    const changed = this.values(), worth = ({ name, for: beside }) => !Object.keys(beside).length || name in changed;
    const visible = [...form.children].filter((element) => !element.hidden);
    const entries = visible.map((element) => this.entries.find((entry) => entry.element === element));
    return entries.filter((entry) => entry && worth(entry.field)).map(said).filter(Boolean).join(" · ");
  }

  // Where to say what is wrong with a setting, which is unfolded; without a name, where something was changed last.
  placeOf(name) {
    const place = this.entries.find(({ field, element }) => field.name === name && !element.hidden)?.element ?? this.latest;
    for (let fold = place?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    // Of a forest of fields the one that is meant is enough.
    const search = place?.closest(".more-settings")?.querySelector(".find-setting");
    if (search && place !== this.latest) {
      search.value = place.querySelector("label, legend").textContent;
      narrow(place.parentElement, search.value);
    }
    return place;
  }

  find(name) {
    return this.entries.find(({ field }) => field.name === name);
  }
}

// Only the settings that a word is about.
function narrow(entries, text) {
  const wanted = text.trim().toLowerCase();
  for (const one of entries.children) {
    const own = `${one.textContent} ${one.dataset.field}`.toLowerCase();
    one.classList.toggle("other", !own.includes(wanted));
  }
}

// Whether a field means something beside what is chosen in others.
function isCalledFor(field, chosen) {
  return Object.entries(field.for ?? {}).every(([name, values]) => chosen(name).some((value) => values.includes(value)));
}

export function drop(attributes, options, value, change) {
  const chosen = `${value ?? ""}`;
  const offered = options.map(([key, text]) => make("option", { value: key, selected: key === chosen }, text));
  return make("select", { ...attributes, change }, ...offered);
}

function boxes(id, choices, value, change) {
  const chosen = [value ?? []].flat();
  const box = ({ value: one }) => make("input", { type: "checkbox", value: one, checked: chosen.includes(one), change });
  const inputs = choices.map(box);
  const control = make("div", { id, class: "boxes" },
    ...choices.map((choice, i) => make("label", { title: choice.help || null }, inputs[i], ` ${choice.label}`)));
  return { control, group: true, read: () => inputs.filter((input) => input.checked).map((input) => input.value) };
}

// Which of many is A and which is B: their order decides the sign of the difference.
function twoChoices(id, names, value, change) {
  const chosen = [value ?? []].flat();
  const options = (letter) => [["", `${letter}: as recognised`], ...names.map((name) => [name, `${letter}: ${name}`])];
  const named = (letter) => ({ id: `${id}-${letter}`, "aria-label": `System ${letter}` });
  const both = ["A", "B"].map((letter, i) => drop(named(letter), options(letter), chosen[i], () => choose(i)));
  const read = () => both.map((one) => one.value).filter(Boolean);
  let before = both.map((one) => one.value);
  // Both are chosen or neither is, and one system is never both: who takes the place of the other changes places with it.
  const choose = (i) => {
    const [mine, other] = [both[i], both[1 - i]];
    if (!mine.value) other.value = "";
    else if (!other.value || other.value === mine.value) other.value = before[i] || names.find((name) => name !== mine.value);
    before = both.map((one) => one.value);
    change();
  };
  return { control: make("div", { id, class: "two" }, ...both), group: true, read };
}
