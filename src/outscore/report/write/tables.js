// Tables that can be put in another order, and long ones searched. The order they came in is the third click away.

const MIN_SORTED = 3, MIN_SEARCHED = 16;
const NEXT = { ascending: "descending", descending: "none", none: "ascending" };

// Every table with a head but matrices; cells that span rows belong to the order they came in. Rows stay below the line they stand
// under; lines of tiers are part of one order, and left out in any other.
function enliven(root) {
  for (const table of root.querySelectorAll("table:not(.lively, .matrix)")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])], bodies = [...table.tBodies];
    const parts = bodies.flatMap((body) => partsOf(body)), rows = parts.flatMap((part) => part.rows);
    const sorted = "tiered" in table.dataset ? [{ body: bodies[0], title: null, rows }] : parts;
    if (!heads.length || table.querySelector("tbody [rowspan]") || !sorted.some((part) => part.rows.length >= MIN_SORTED)) continue;
    table.classList.add("lively");
    heads.forEach((head, i) => { if (head.textContent.trim()) makeSorter(head, i, heads, parts, sorted); });
    if (rows.length >= MIN_SEARCHED) (table.closest(".scroll") ?? table).before(rowSearch(rows, parts));
  }
}

// Rows between lines that reach across the table; a line is the `title` of those below it.
function partsOf(body) {
  const parts = [{ body, title: null, rows: [] }];
  for (const row of body.rows) {
    if (row.querySelector("[colspan]")) parts.push({ body, title: row, rows: [] });
    else parts.at(-1).rows.push(row);
  }
  return parts;
}

// `parts` are in the order they came in, and `sorted` in any other.
function makeSorter(head, column, heads, parts, sorted) {
  const sort = () => {
    const order = NEXT[head.getAttribute("aria-sort") ?? "none"], given = order === "none";
    for (const one of heads) one.removeAttribute("aria-sort");
    if (!given) head.setAttribute("aria-sort", order);
    for (const { title } of parts) title?.remove();
    for (const { body, title, rows } of given ? parts : sorted) {
      body.append(...(title ? [title] : []), ...(given ? rows : inOrder(rows, column, order)));
    }
  };
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "sorter", title: "Sort by this column" });
  button.append(...head.childNodes);
  button.addEventListener("click", sort);
  head.replaceChildren(button);
}

// What is no number comes last, whichever way numbers go; rows that tie stay in the order they came in.
function inOrder(rows, column, order) {
  const keys = new Map(rows.map((row) => [row, keyOf(row.cells[column])]));
  const turn = order === "descending" ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)], numbers = [a, b].filter((key) => typeof key === "number").length;
    if (numbers === 2) return turn * (a - b);
    if (numbers === 1) return typeof a === "number" ? -1 : 1;
    return turn * a.localeCompare(b, "en", { numeric: true });
  });
}

// The number that a cell carries, or its text: what it shows is for people.
function keyOf(cell) {
  return cell?.dataset.value === undefined ? (cell?.textContent ?? "").trim() : Number(cell.dataset.value);
}

function rowSearch(rows, parts) {
  const place = document.createElement("p"), field = document.createElement("input"), told = document.createElement("span");
  place.className = "search-rows";
  Object.assign(field, { type: "search", placeholder: "Find rows", ariaLabel: "Find rows" });
  Object.assign(told, { className: "note", role: "status" });
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    for (const part of parts) if (part.title) part.title.hidden = part.rows.every((row) => row.hidden);
    told.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
  });
  place.append(field, told);
  return place;
}
