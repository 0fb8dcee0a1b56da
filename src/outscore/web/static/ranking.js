// Rankings: one form, one result, and from each pair the way to its comparison.

import { addressOf } from "./address.js";
import { askJson } from "./api.js";
import { make } from "./dom.js";
import { loadItems, openDrawer } from "./drawer.js";
import { isLog } from "./parts.js";
import { fetchReport } from "./reports.js";
import { View, open } from "./view.js";

// Settings of a ranking that mean nothing, or something else, for one pair of it.
const OF_MANY = ["system", "correction", "baseline", "critical-difference", "names", "task"];
// What a cell does that is chosen: of scores it shows the items, of texts and outputs the comparison.
const hintOf = (view) => {
  const choice = view === "compare" ? "see the items of the two" : "compare the two in detail";
  return `Point at a cell for its numbers, or choose it to ${choice}.`;
};
// So many pairs are looked through by hand.
const MANY = 15;

class Ranking extends View {
  async load(result) {
    return Promise.all([fetchReport(result), askJson("GET", `/api/results/${result}`), this.pairFields()]);
  }

  show(job, main, saved, fields) {
    super.show(job, main);
    this.linkPairs(saved.pairs, fields);
  }

  // Where one pair is looked at: texts with a reference, outputs with the right answers, or scores.
  get pairView() {
    if (this.files.reference?.length) return "texts";
    return this.files.gold?.length ? "diff" : "compare";
  }

  async pairFields() {
    return askJson("GET", `/api/options/${this.pairView}`);
  }

  // Cells of the heat map and lines of the list lead to the comparison of their pair, which says that it was picked from many.
  linkPairs(pairs, fields) {
    const cells = [...document.querySelectorAll("#result svg.heat .cells > *")];
    // Of thousands of pairs few are opened: an address is written when it is called for.
    const leads = pairs.map(({ systems }) => this.filesOf(systems) !== null);
    if (!leads.some(Boolean)) return;
    const addressAt = (i) => this.pairAddress(pairs[i].systems, fields);
    cells.forEach((cell, i) => {
      if (!leads[i]) return;
      if (cell.tagName === "a") cell.setAttribute("href", addressAt(i));
      cell.classList.add("leads");
    });
    cells[0]?.parentElement.addEventListener("click", (event) => {
      const i = cells.indexOf(event.target.closest(".leads"));
      if (i < 0 || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (this.pairView === "compare") this.openPair(pairs[i], fields, addressAt(i));
      else location.assign(addressAt(i));
    });
    findSystems(cells, pairs);
    const hint = document.querySelector("#result .heat-map .on-screen");
    if (hint && cells.length) hint.textContent = hintOf(this.pairView);
    const rows = pairs.map((_, i) => document.getElementById(`pair-${i + 1}`));
    const head = rows.find(Boolean)?.closest("table").tHead.rows[0];
    if (!head) return;
    head.append(make("th", { scope: "col", class: "l" }, make("span", { class: "unseen" }, "in detail")));
    rows.forEach((row, i) => row?.append(make("td", { class: "l" }, leads[i] && link(pairs[i].systems, addressAt(i)))));
  }

  // A pair and its items, without leaving the ranking; p is the one that counts among all of them.
  openPair({ systems, difference, p }, fields, href) {
    const { files, settings } = this.pairOf(systems, fields);
    const adjusted = p.adjusted === null ? "" : `, adjusted for all pairs ${shown(p.adjusted)}`;
    const by = difference === null ? "unknown" : shown(difference);
    const about = make("p", {}, `Difference ${by}; p = ${shown(p.value)}${adjusted}. `,
      make("a", { href }, "Compare the two in detail"));
    openDrawer(loadItems(files, settings), { title: systems.join(" and ") }, { about: [about] });
  }

  pairAddress(systems, fields) {
    const { files, settings } = this.pairOf(systems, fields) ?? {};
    return files ? addressOf(`/${this.pairView}`, files, settings) : null;
  }

  // The files and settings that compare two of the systems.
  pairOf(systems, fields) {
    const own = this.filesOf(systems);
    if (!own) return null;
    const known = new Set(fields.filter((field) => field.type !== "file").map((field) => field.name));
    const values = Object.entries(this.form.values());
    const settings = Object.fromEntries(values.filter(([name]) => known.has(name) && !OF_MANY.includes(name)));
    const parts = Object.fromEntries(Object.entries(this.files).filter(([part]) => part !== "files" && part in this.files));
    // Of a file that holds many systems the two have to be named.
    if (own.chosen) settings.system = systems;
    if (this.pairView === "diff") settings.task = this.form.values().task;
    return { files: { ...parts, files: own.ids }, settings };
  }

  // The files that hold two systems: one of many, or one for each.
  filesOf(systems) {
    const ids = this.files.files, files = ids.map((id) => this.infos.get(id));
    if (ids.length === 1 || files.some(isLog)) return { ids, chosen: true };
    const holds = (file, name) => file.systems.includes(name) || stem(file.name) === name;
    const found = systems.map((name) => files.filter((file) => holds(file, name)));
    return found.every((some) => some.length === 1) ? { ids: found.map(([file]) => file.id), chosen: false } : null;
  }
}

// Of many systems one is found by its name: the cells of others step back.
function findSystems(cells, pairs) {
  const map = document.querySelector("#result .heat-map");
  if (!map || pairs.length < MANY) return;
  const field = make("input", { type: "search", placeholder: "Find a system", "aria-label": "Find a system in the heat map" });
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    cells.forEach((cell, i) => {
      const fits = pairs[i]?.systems.some((name) => name.toLowerCase().includes(wanted));
      cell.classList.toggle("aside", !fits);
    });
  });
  map.before(make("p", { class: "search-rows" }, field));
}

const shown = (x) => `${Number(x.toPrecision(3))}`.replace("-", "−").replace(/^(−?)0\./, "$1.");
const stem = (name) => name.replace(/\.[^.]*$/, "");

const link = (systems, href) => make("a", { href, "aria-label": `Compare ${systems.join(" and ")} in detail` }, "in detail");
open(new Ranking());
