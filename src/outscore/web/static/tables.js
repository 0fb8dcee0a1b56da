// Tables that can be put in another order, and long ones searched. The order they came in is the third click away.

import { byId, make } from "./dom.js";

const MIN_SORTED = 3;
const MIN_SEARCHED = 16;
const ARIA = { up: "ascending", down: "descending" };
const NEXT = { ascending: "descending", descending: "none", none: "ascending" };

// Every table of a result but the explorer's, which has its own; cells that span rows belong to the order they came in.
export function enliven(root) {
  for (const table of root.querySelectorAll("table:not(.lively)")) {
    const body = table.tBodies[0], heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    if (!body || !heads.length || table.closest("#explorer") || body.querySelector("[rowspan], [colspan]")) continue;
    if (body.rows.length < MIN_SORTED) continue;
    table.classList.add("lively");
    const given = [...body.rows];
    heads.forEach((head, i) => { if (head.textContent.trim()) makeSorter(head, i, heads, body, given); });
    if (given.length >= MIN_SEARCHED) (table.closest(".scroll") ?? table).before(search(given));
  }
}

function makeSorter(head, column, heads, body, given) {
  const sort = () => {
    const order = NEXT[head.getAttribute("aria-sort") ?? "none"];
    for (const one of heads) one.removeAttribute("aria-sort");
    if (order !== "none") head.setAttribute("aria-sort", order);
    body.append(...(order === "none" ? given : inOrder(given, column, order)));
  };
  const named = { type: "button", class: "sorter", title: "Sort by this column", click: sort };
  head.replaceChildren(make("button", named, ...head.childNodes));
}

// What is no number comes last, whichever way numbers go; rows that tie stay in the order they came in.
function inOrder(rows, column, order) {
  const keys = new Map(rows.map((row) => [row, keyOf(row.cells[column]?.textContent ?? "")]));
  const turn = order === ARIA.down ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)], numbers = [a, b].filter((key) => typeof key === "number").length;
    if (numbers === 2) return turn * (a - b);
    if (numbers === 1) return typeof a === "number" ? -1 : 1;
    return turn * a.localeCompare(b, "en", { numeric: true });
  });
}

// The number that a cell begins with, as we print them: −0.012, +1,234, < .001, 12.3 %, [0.1, 0.2].
export function keyOf(text) {
  const bare = text.trim().replaceAll("−", "-").replaceAll(/[,\u202f\u00a0](?=\d{3})/g, "").replace(/^[<>≤≥=[(\s]+/, "");
  const found = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(bare);
  return found ? Number(found[0]) : text.trim();
}

function search(rows) {
  const found = make("span", { class: "note", role: "status" });
  const look = (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    found.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
  };
  return make("p", { class: "search-rows" },
    make("input", { type: "search", placeholder: "Find rows", "aria-label": "Find rows", input: look }), found);
}

// A part of the page that is folded away is opened for whoever is sent there.
export function reveal(id) {
  const part = byId(id);
  for (let fold = part?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  part?.scrollIntoView({ block: "start" });
}
