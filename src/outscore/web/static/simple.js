// Scores, texts, battles and saved results: one form, one result, and from its pictures and rows the way to what was counted.

import { button, make } from "./dom.js";
import { loadItems, openDrawer } from "./drawer.js";
import { View, open } from "./view.js";

const CALLED = { score: "items", prefer: "battles", texts: "segments" };

class Counted extends View {
  show(job, main) {
    super.show(job, main);
    const called = CALLED[this.command];
    if (!called || !this.files.files?.length) return;
    const files = structuredClone(this.files), settings = this.form.values();
    const look = (filter) => openDrawer(loadItems(files, settings, this.command), filter);
    const all = button(`See the ${called}`, () => look({ title: called[0].toUpperCase() + called.slice(1) }), "link-button");
    (document.querySelector("#result .picture") ?? document.querySelector("#result .verdict"))?.append(make("p", {}, all));
    const column = [settings.slice].flat()[0];
    if (this.command === "prefer") linkRows("Pairs", pairOf, look);
    if (this.command === "score" && column) linkRows(`By ${column}`, (row) => partOf(column, row.cells[0].textContent), look);
  }
}

function pairOf(row) {
  const systems = [row.cells[0], row.cells[1]].map((cell) => cell.textContent);
  return { title: systems.join(" and "), named: "systems", value: systems.toSorted().join(" and ") };
}

const partOf = (column, value) => ({ title: `${column}: ${value}`, named: column, value });

// The name of each row of a table leads to what it counts.
function linkRows(title, filterOf, look) {
  for (const row of document.querySelectorAll(`#result table[aria-label="${CSS.escape(title)}"] tbody tr`)) {
    const name = row.querySelector("th");
    if (!name || row.querySelector("[colspan]")) continue;
    const filter = filterOf(row);
    name.replaceChildren(button(name.textContent, () => look(filter), "link-button"));
  }
}

open(new Counted());
