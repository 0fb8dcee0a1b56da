// The drawer: the items behind a bar, a cell, a row or a chart, one at a time with both scores and the texts beside them.

import { askJson } from "./api.js";
import { button, counted, make, number, problem, settled } from "./dom.js";
import { matching } from "./items.js";

const SHOWN = 200, TYPING = 150;
const loaded = new Map();

// The items of an answer; asked for once.
export function loadItems(files, settings, command = "compare") {
  const asked = { command, files, settings }, key = JSON.stringify(asked);
  if (!loaded.has(key)) {
    const items = askJson("POST", "/api/items", asked);
    loaded.set(key, items);
    items.catch(() => loaded.delete(key));
  }
  return loaded.get(key);
}

// Opens the drawer on the items that a filter finds; `about` are lines on top of it, `first` the id to begin with.
export async function openDrawer(items, filter = {}, { about = [], first = null } = {}) {
  const place = make("div", { "aria-live": "polite" }, make("p", { class: "note" }, "Reading the items …"));
  const close = button("Close", () => drawer.close());
  const drawer = make("dialog", { class: "drawer", "aria-label": filter.title ?? "Items", close: () => drawer.remove() },
    make("div", { class: "drawer-top" }, make("h2", {}, filter.title ?? "Items"), close), ...about, place);
  drawer.addEventListener("click", (event) => { if (event.target === drawer) drawer.close(); });
  document.body.append(drawer);
  drawer.showModal();
  try {
    const found = await items;
    if (drawer.isConnected) new Items(drawer, place, found, filter).begin(first);
  } catch (error) {
    place.replaceChildren(problem(error));
  }
}

class Items {
  constructor(drawer, place, found, filter) {
    this.place = place;
    this.found = found;
    // A column is named by who does not know the order of the columns; where it is none of them, nothing fits.
    const column = filter.named === undefined ? {} : { column: found.columns.findIndex(({ name }) => name === filter.named) };
    this.filter = { ...filter, ...column };
    this.rows = [];
    this.at = 0;
    this.search = make("input", { type: "search", placeholder: "Find words or an id", "aria-label": "Find items" });
    this.search.addEventListener("input", settled(TYPING, () => this.refine()));
    this.told = make("span", { class: "note", role: "status" });
    this.list = make("ol", { class: "drawer-list" });
    this.shown = make("div", { class: "drawer-item" });
    this.before = button("← Previous", () => this.turn(this.at - 1));
    this.after = button("Next →", () => this.turn(this.at + 1));
    drawer.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || event.target === this.search) return;
      event.preventDefault();
      this.turn(this.at + step);
    });
  }

  begin(first) {
    const left = this.found.total - this.found.items.length;
    this.place.replaceChildren(
      make("div", { class: "drawer-tools" }, this.search, this.before, this.after, this.told),
      make("p", { class: "note", hidden: left <= 0 }, `${counted(left, "further item")} cannot be listed here.`),
      make("div", { class: "drawer-columns" }, this.shown, this.list));
    this.refine(first);
    this.after.focus();
  }

  refine(first = null) {
    this.rows = matching(this.found.items, this.filter, this.search.value);
    const at = this.rows.findIndex((item) => item.id === first);
    this.draw(Math.max(0, at));
  }

  turn(at) {
    if (at >= 0 && at < this.rows.length) this.draw(at);
  }

  draw(at) {
    this.at = at;
    this.told.textContent = this.rows.length ? `${number(at + 1)} of ${counted(this.rows.length, "item")}` : "No item fits.";
    this.before.disabled = at <= 0;
    this.after.disabled = at >= this.rows.length - 1;
    this.shown.replaceChildren(...(this.rows.length ? this.item(this.rows[at]) : []));
    // A part of a long list, around the item that is shown.
    const low = Math.max(0, Math.min(at - SHOWN / 2, this.rows.length - SHOWN)), part = this.rows.slice(low, low + SHOWN);
    this.list.replaceChildren(...part.map((item, i) => this.line(item, low + i)));
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  line(item, at) {
    const open = button(item.id, () => this.draw(at), "link-button");
    if (at === this.at) open.setAttribute("aria-current", "true");
    const scores = [item.a, item.b].filter((own) => own !== null).map(score).join(" / ");
    return make("li", {}, open, make("span", { class: "note" }, ` ${scores}`));
  }

  item({ id, a, b, texts }) {
    const [first, second] = this.found.systems;
    const fact = (name, value, side = "") => make("div", { class: side }, make("dt", {}, name), make("dd", {}, value));
    const told = this.found.columns.map(({ name, system }, i) =>
      texts[i] && make("div", {}, make("dt", {}, system ? `${name}, ${system}` : name), make("dd", { dir: "auto" }, texts[i])));
    const scores = [a !== null && fact(first, score(a), "a"), b !== null && fact(second, score(b), "b"),
      a !== null && b !== null && fact("A − B", signed(a - b))];
    return [
      make("h3", {}, id),
      make("dl", { class: "drawer-scores", hidden: a === null }, ...scores),
      make("dl", { class: "drawer-texts" }, ...told),
    ];
  }
}

const score = (x) => `${Number(x.toPrecision(6))}`.replace("-", "−");
const signed = (x) => (x > 0 ? `+${score(x)}` : score(x));
