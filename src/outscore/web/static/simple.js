// Scores, texts, battles and saved results: one form, one result, and from its pictures and rows the way to what was counted.

import { askJson } from "./api.js";
import { button, make } from "./dom.js";
import { loadItems, openDrawer } from "./drawer.js";
import { barsOf, recordsOf } from "./items.js";
import { leadFrom, shapesOf } from "./picture.js";
import { fetchReport } from "./reports.js";
import { View, open } from "./view.js";

// Whose histograms a chart of segments shows.
/** @type {[string, ("a" | "b" | "difference")[]][]} */
const SIDES = [["scores", ["a", "b"]], ["differences", ["difference"]]];
const CALLED = { score: "items", prefer: "battles", texts: "segments" };
const ofPart = ({ column, name, system }) =>
  ({ title: `${column}: ${name}`, named: column, value: name, of: system ? [system] : [] });
const met = (...systems) => ({ title: systems.join(" and "), of: systems });

// What is drawn for the rows of a chart's numbers, and what each of them counts.
const CHARTS = {
  score: { scores: ["symbol", ({ name }) => met(name)], datasets: ["symbol", ofPart], slices: ["symbol", ofPart] },
  prefer: {
    strengths: ["symbol", ({ system }) => met(system)],
    "win-matrix": ["rect", ({ row, column }) => met(row, column)],
    "win-rate": ["symbol", () => ({ title: "Battles" })],
    position: ["rect", ({ winner }) => ({ title: winner, named: "position", value: winner })],
  },
};

// What the rows of a table count: its name, or how that begins, and the filter of the cells of a row.
const TABLES = {
  score: { scores: (cells) => met(cells[0]), "By ": (cells, [column, second]) =>
    ofPart({ column, name: cells[0], system: second === "system" ? cells[1] : "" }) },
  prefer: {
    Strengths: (cells) => met(cells[1]),
    Pairs: (cells) => met(cells[0], cells[1]),
    Categories: (cells) => ({ title: `${cells[0]}: ${cells[1]}`, named: "category", value: cells[0], of: [cells[1]] }),
    Judges: (cells) => ({ title: `${cells[0]} and ${cells[1]}`, named: "judge", value: cells.slice(0, 2) }),
  },
};

class Counted extends View {
  async load(result) {
    return Promise.all([fetchReport(result), this.command === "texts" ? askJson("GET", `/api/results/${result}`) : null]);
  }

  show(job, main, saved) {
    super.show(job, main);
    const called = CALLED[this.command];
    if (!called || !this.files.files?.length) return;
    const files = structuredClone(this.files), settings = this.form.values();
    const look = (filter, first) => openDrawer(loadItems(files, settings, this.command), filter, { first });
    const all = button(`See the ${called}`, () => look({ title: called[0].toUpperCase() + called.slice(1) }), "link-button");
    (document.querySelector("#result .picture") ?? document.querySelector("#result .verdict"))?.append(make("p", {}, all));
    for (const [key, [kind, filterOf]] of Object.entries(CHARTS[this.command] ?? {})) linkChart(key, kind, filterOf, look);
    for (const [name, filterOf] of Object.entries(TABLES[this.command] ?? {})) linkTables(name, filterOf, look);
    if (saved) linkSegments(saved.comparisons, settings, look);
  }
}

function linkChart(key, kind, filterOf, look) {
  for (const figure of document.querySelectorAll(`#result figure[data-key="${key}"]`)) {
    const rows = recordsOf(figure.dataset.csv).filter(isDrawn);
    // Points stand before arrows, which are drawn where only a bound is known.
    const drawn = rows.toSorted((one, other) => isBound(one) - isBound(other));
    shapesOf(figure, kind).slice(0, drawn.length).forEach((shape, i) => {
      const filter = filterOf(drawn[i]);
      leadFrom(shape, filter.title, () => look(filter));
    });
  }
}

/** @param {Record<string, string>} row */
const isBound = ({ elo }) => Number(elo === "");

/** @param {Record<string, string>} row */
const isDrawn = ({ battles, elo, low, high, win_rate: rate }) =>
  battles !== "0" && rate !== "" && (elo !== "" || low !== "" || high !== "");

// The name of each row of a table leads to what it counts.
function linkTables(name, filterOf, look) {
  const found = name === "scores" ? "#result section[aria-labelledby=scores] table" : `#result table[aria-label^="${name}"]`;
  for (const table of document.querySelectorAll(found)) {
    const columns = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    for (const row of table.tBodies[0].rows) {
      const head = row.querySelector("th");
      if (!head || row.querySelector("[colspan]")) continue;
      const filter = filterOf([...row.cells].map((cell) => cell.textContent), columns);
      head.replaceChildren(button(head.textContent, () => look(filter), "link-button"));
    }
  }
}

// Bars of segments, those that moved a score most, and parts of them; each metric has pictures of its own.
function linkSegments(comparisons, { "unit-size": size = 1 }, look) {
  for (const [key, sides] of SIDES) {
    const drawn = comparisons.filter(({ pictures }) => sides.some((side) => pictures?.histograms[side]));
    document.querySelectorAll(`#result figure[data-key="${key}"]`).forEach((figure, i) => {
      if (!drawn[i] || size > 1) return;
      const { metric: measure, pictures: { histograms } } = drawn[i], shapes = shapesOf(figure, "rect");
      const bars = sides.filter((side) => histograms[side])
        .flatMap((side) => barsOf(histograms[side], side === "difference" ? undefined : side));
      bars.forEach((bar, k) => {
        const title = shapes[k]?.querySelector("title")?.textContent;
        if (bar.count && title) leadFrom(shapes[k], title, () => look({ ...bar, title, measure }));
      });
    });
  }
  const listed = comparisons.filter(({ segments }) => segments.length);
  document.querySelectorAll("#result .segments").forEach((list, i) => {
    list.querySelectorAll("li > p").forEach((told, k) => {
      const { item } = listed[i].segments[k], rest = told.textContent.slice(item.length);
      told.replaceChildren(button(item, () => look({ title: "Segments" }, item), "link-button"), rest);
    });
  });
  for (const table of document.querySelectorAll("#result .buckets table")) {
    let column = table.tHead.rows[0].cells[0].textContent.trim();
    for (const row of table.tBodies[0].rows) {
      const head = row.querySelector("th"), value = head?.textContent;
      const filter = { title: `${column}: ${value}`, named: column, value };
      if (row.querySelector("[colspan]")) column = row.textContent.trim().replace(/:$/, "");
      else if (head) head.replaceChildren(button(value, () => look(filter), "link-button"));
    }
  }
}

open(new Counted());
