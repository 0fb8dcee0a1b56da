// Bars and tables of one pair. Every text goes in as text; `choose` is told what was clicked.

const FIRST_ROWS = 5, FIRST_LABELS = 12, MOST_SHOWN = 300, MOST_IN_MAP = 40;

// An element with attributes and children; strings become text nodes, so data can never be markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") element.addEventListener("click", value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const minus = (text) => text.replace(/(^|[\s(])-(?=[\d.])|(?<=\s)-(?=\s)/g, "$1\u2212");
const number = (n) => n.toLocaleString("en-GB");
// A sentence whose words between back-ticks are code.
const coded = (text) => minus(text).split(/`([^`]+)`/).map((part, i) => (i % 2 ? make("code", {}, part) : part));
// The name of an outcome, for one or for several.
const counted = (n, kind) => (n === 1 ? PLURALS[kind].replace(/s$/, "") : PLURALS[kind]);
const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)}%` : "");

// The five outcomes: a bar of the changes, and a button for each class that has examples.
function drawOutcomes(pair, choose) {
  const changes = pair.outcomes[1] + pair.outcomes[2] + pair.outcomes[3];
  const segments = [1, 2, 3].map((kind) => make("span", { class: `k${kind}`, "--part": pair.outcomes[kind] }));
  const buttons = [1, 2, 3, 4].map((kind) =>
    make("button", { type: "button", class: `pill k${kind}`, click: () => choose({ [CLASS]: PLURALS[kind] }) },
      make("b", {}, number(pair.outcomes[kind])), ` ${counted(pair.outcomes[kind], kind)}`,
      kind < 4 && changes ? make("small", {}, ` ${percent(pair.outcomes[kind], changes)} of changes`) : ""));
  const rest = make("span", { class: "pill plain" }, make("b", {}, number(pair.outcomes[0])), " both right");
  const shares = [1, 2, 3].map((kind) => `${number(pair.outcomes[kind])} ${counted(pair.outcomes[kind], kind)}`).join(", ");
  const bar = changes ? make("div", { class: "stack", role: "img", "aria-label": `${shares} of ${number(changes)} changes` }, ...segments) : null;
  return [bar, make("div", { class: "pills" }, ...buttons, rest)];
}

// Who is better than whom by one criterion, best first: every cell leads to its pair.
function drawMap(pairs, chosen, choosePair) {
  const own = pairs.flatMap((pair, i) => (pair.criterion === pairs[chosen].criterion ? [{ pair, i }] : [])), scores = new Map();
  for (const { pair } of own) pair.systems.forEach((name, i) => scores.set(name, pair.scores[i]));
  const systems = [...scores.keys()].sort((x, y) => scores.get(y) - scores.get(x));
  if (systems.length < 3 || systems.length > MOST_IN_MAP) return [];
  const at = new Map(own.flatMap(({ pair, i }) => [[pair.systems.join("\n"), i], [pair.systems.toReversed().join("\n"), i]]));
  const cell = (row, column) => {
    const i = at.get(`${row}\n${column}`);
    if (i === undefined) return make("td", { class: "none" });
    const pair = pairs[i], sign = pair.significant ? (scores.get(row) > scores.get(column) ? ">" : "<") : "";
    const label = `${row} ${{ ">": "better than", "<": "worse than" }[sign] ?? "not told apart from"} ${column}: ${minus(pair.line)}`;
    return make("td", {}, make("button", {
      type: "button", class: `place ${{ ">": "better", "<": "worse" }[sign] ?? "open"}`, title: label, "aria-label": label,
      "aria-current": i === chosen ? "true" : null, click: () => choosePair(i),
    }, sign));
  };
  const head = make("tr", {}, make("td", { class: "corner" }), ...systems.map((_, i) => make("th", { scope: "col" }, `${i + 1}`)));
  const rows = systems.map((row, i) => make("tr", { "data-name": row },
    make("th", { scope: "row" }, `${i + 1} ${row}`), ...systems.map((column) => cell(row, column))));
  const table = make("table", { class: "places" }, make("thead", {}, head), make("tbody", {}, ...rows));
  roam(table);
  return [make("p", { class: "note" }, `Rows against columns, best first by ${pairs[chosen].criterionName}: `,
    make("span", { class: "key better" }, "> better"), " ", make("span", { class: "key worse" }, "< worse"), "; choose a cell to see what changed."),
  scroller("Who is better than whom", table)];
}

function drawMatrix(pair, size, choose) {
  const labels = pair.matrix.labels.slice(0, size);
  const cells = new Map(pair.matrix.cells.map((cell) => [`${cell[0]},${cell[1]}`, cell.slice(2)]));
  const shown = pair.matrix.cells.filter((cell) => cell[0] < labels.length && cell[1] < labels.length);
  const most = Math.max(1, ...shown.map((cell) => cell[2] + cell[3] + cell[4]));
  const head = make("tr", {}, make("td", { class: "corner" }), ...labels.map((label) => make("th", { scope: "col" }, make("span", {}, label))));
  const rows = labels.map((from, i) => make("tr", {}, make("th", { scope: "row" }, from), ...labels.map((to, j) => {
    const counts = cells.get(`${i},${j}`);
    return counts ? make("td", {}, matrixCell(from, to, counts, most, choose)) : make("td", { class: "none" });
  })));
  const table = make("table", { class: "matrix" }, make("thead", {}, head), make("tbody", {}, ...rows));
  roam(table);
  const left = pair.matrix.outside + pair.matrix.cells.filter((c) => c[0] >= labels.length || c[1] >= labels.length)
    .reduce((sum, c) => sum + c[2] + c[3] + c[4], 0);
  const note = make("p", { class: "note" }, `Rows: answers of ${pair.systems[0]}; columns: answers of ${pair.systems[1]}. `,
    make("span", { class: "key k1" }, "mostly corrections"), " ", make("span", { class: "key k2" }, "mostly new errors"), " ",
    make("span", { class: "key k3" }, "mostly changed errors"), left ? `. ${number(left)} changes lie outside these labels.` : "");
  return [scroller("Transition matrix", table), note];
}

function matrixCell(from, to, counts, most, choose) {
  const total = counts[0] + counts[1] + counts[2];
  const kind = 1 + counts.indexOf(Math.max(...counts));
  const label = `${from} to ${to}: ${counts.map((n, i) => `${n} ${counted(n, i + 1)}`).join(", ")}`;
  return make("button", {
    type: "button", class: `cell k${kind}`, "aria-label": label, title: label, "data-from": from, "data-to": to, "data-filter": JSON.stringify({ from, to }),
    "--strength": `${Math.round(8 + 42 * Math.sqrt(total / most))}%`, click: () => choose({ from, to }),
  }, number(total));
}

// The numbers of a chart as CSV. Texts that a spreadsheet would take for a formula get an apostrophe.
function csvOf(heads, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : typeof value === "string" ? value.replace(/^(?=[=+\-@\t\r].)/s, "'") : `${value}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function csvButton(name, heads, rows) {
  const save = () => {
    const link = make("a", { href: URL.createObjectURL(new Blob([csvOf(heads, rows)], { type: "text/csv" })), download: `outscore-${name}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  return make("button", { type: "button", class: "link csv", "data-csv-of": name, title: "Save these numbers", click: save }, "CSV");
}

const MATRIX_HEADS = ["from", "to", "corrections", "new_errors", "changed_errors"];
const matrixRows = ({ matrix }) => matrix.cells.map(([from, to, ...counts]) => [matrix.labels[from], matrix.labels[to], ...counts]);
const TRANSITION_HEADS = ["class", "gold", "from", "to", "count", "mirror"];
const transitionRows = (pair) => pair.transitions.map(([kind, ...row]) => [PLURALS[kind], ...row.slice(0, 5)]);
const PART_HEADS = ["column", "value", "units", "first", "second", "difference", "low", "high"];
// Scores are shown in points and written as the difference is, as shares.
const share = (points) => Number((+points / 100).toFixed(6));
const partRows = (parts) => parts.map((row) => [row[0], row[1], row[2], share(row[3]), share(row[4]), row[6], row[7], row[8]]);

// Arrow keys move between the buttons of a grid, which is one stop of the Tab key.
function roam(table) {
  const buttons = [...table.querySelectorAll("tbody button")];
  buttons.forEach((button, i) => (button.tabIndex = i ? -1 : 0));
  table.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const cell = event.target.closest("td, th");
    if (!step || !cell || !buttons.includes(event.target)) return;
    // Rows may have been sorted meanwhile.
    const grid = [...table.rows].map((row) => [...row.cells].map((one) => one.querySelector("tbody button")));
    let [i, j] = [cell.parentElement.rowIndex, cell.cellIndex];
    do { i += step[0]; j += step[1]; } while (grid[i] && j >= 0 && j < grid[i].length && !grid[i][j]);
    const target = grid[i] && grid[i][j];
    event.preventDefault();
    if (!target) return;
    buttons.forEach((button) => (button.tabIndex = button === target ? 0 : -1));
    target.focus();
  });
}

function scroller(label, table) {
  return make("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, table);
}

const ORDERS = {
  evidence: () => 0,
  surplus: (x, y) => Math.abs(y[4] - y[5]) - Math.abs(x[4] - x[5]) || y[4] - x[4],
  count: (x, y) => y[4] - x[4],
};

function drawTransitions(pair, order, all, choose) {
  const body = [1, 2, 3].filter((kind) => pair.outcomes[kind]).map((kind) => {
    const rows = pair.transitions.filter((row) => row[0] === kind).sort(ORDERS[order]);
    const changes = pair.outcomes[1] + pair.outcomes[2] + pair.outcomes[3];
    const title = `${OUTCOMES[kind]}s: ${percent(pair.outcomes[kind], changes)} (${number(pair.outcomes[kind])}/${number(changes)})`;
    return make("tbody", {}, make("tr", { class: "section" }, make("th", { colspan: 7, scope: "rowgroup" }, make("span", { class: `dot k${kind}` }), title)),
      ...rows.slice(0, all ? MOST_SHOWN : FIRST_ROWS).map((row) => transitionRow(kind, row, choose)));
  });
  const heads = ["change", "count", "mirror", "net", "% of class", "% of changes", "adj. p"];
  const classes = ["l", "r", "r", "r", "r wide", "r wide", "r"];
  const table = make("table", { class: "rows" }, make("thead", {}, make("tr", {}, ...heads.map((text, i) => make("th", { scope: "col", class: classes[i] }, text)))), ...body);
  roam(table);
  return scroller("Transitions", table);
}

function transitionRow(kind, [, gold, from, to, count, mirror, ofClass, ofChanges, p, pValue], choose) {
  const change = kind === 3 ? `${gold} \u2192 ${from} \u2192 ${to}` : `${from} \u2192 ${to}`;
  const filter = { [CLASS]: PLURALS[kind], gold, from, to };
  const button = make("button", { type: "button", class: "link", "data-change": change, "data-kind": kind, "data-filter": JSON.stringify(filter), click: () => choose(filter) }, change);
  const other = { type: "button", class: "link", "data-mirror": change, title: `The other way round: ${to} \u2192 ${from}`, click: () => choose(mirrorOf(filter)) };
  const net = count === mirror ? "0" : minus(`${count > mirror ? "+" : "-"}${number(Math.abs(count - mirror))}`);
  const texts = [number(count), mirror && mirrorOf(filter) ? make("button", other, number(mirror)) : number(mirror), net, ofClass, ofChanges, p];
  // Shares of one class, and of all changes, are in the order of the counts.
  const values = [count, mirror, count - mirror, count, count, pValue];
  return make("tr", { class: "transition" }, make("th", { class: "l", scope: "row" }, button),
    ...texts.map((text, i) => make("td", { class: i === 3 || i === 4 ? "r wide" : "r", "data-value": values[i] }, text)));
}

const PART_ORDERS = {
  evidence: () => 0,
  difference: (x, y) => Math.abs(y[6]) - Math.abs(x[6]),
  units: (x, y) => y[2] - x[2],
  name: (x, y) => compareText(x[1], y[1]),
};

// Labels or slices: both scores, the difference as a bar with its interval, and p.
function drawParts(pair, parts, order, all, choose) {
  const tested = parts.filter((row) => row[11]).sort(PART_ORDERS[order]);
  const others = parts.filter((row) => !row[11]).sort(PART_ORDERS[order]);
  const shown = tested.slice(0, all ? MOST_SHOWN : FIRST_LABELS);
  const reach = Math.max(0.001, ...shown.flatMap((row) => [row[6], row[7], row[8]].map((x) => Math.abs(x || 0))));
  const body = shown.map((row) => partRow(row, Math.min(reach, 1), choose));
  if (others.length && (all || !shown.length)) {
    body.push(make("tr", { class: "section" }, make("th", { colspan: 7, scope: "rowgroup" }, `Not tested, too few units: ${number(others.length)}`)));
    body.push(...others.slice(0, MOST_SHOWN).map((row) => partRow(row, 1, choose)));
  }
  const heads = [parts[0][0], "units", pair.systems[0], pair.systems[1], "", "difference", "adj. p"];
  const classes = ["l", "r", "r wide", "r wide", "bar-head", "r", "r"];
  const table = make("table", { class: "rows parts" }, make("thead", {}, make("tr", {}, ...heads.map((text, i) => make("th", { scope: "col", class: classes[i] }, text)))), make("tbody", {}, ...body));
  roam(table);
  return scroller("Scores by part", table);
}

function partRow([column, value, n, first, second, text, difference, low, high, ends, p, , numbers], reach, choose) {
  const filter = column === "label" ? { gold: value } : { [`slice ${column}`]: value };
  const button = make("button", { type: "button", class: "link", "data-part": value, click: () => choose(filter) }, value);
  const at = (x) => `${(50 + (50 * Math.max(-1, Math.min(1, x / reach)))).toFixed(2)}%`;
  const bar = make("div", { class: "bar", title: ends ? `${minus(text)}, interval ${ends}` : minus(text) },
    make("span", { class: difference < 0 ? "fill k2" : "fill k1", "--from": difference < 0 ? at(difference) : "50%", "--to": difference < 0 ? "50%" : at(difference) }),
    low === null || high === null ? null : make("span", { class: "whisker", "--from": at(low), "--to": at(high) }));
  const cell = (kind, own, shown) => make("td", { class: kind, "data-value": own }, shown);
  return make("tr", {}, make("th", { class: "l", scope: "row" }, button), cell("r", n, number(n)), cell("r wide", numbers[0], first), cell("r wide", numbers[1], second),
    make("td", { class: "bar-cell" }, bar), cell("r", difference, minus(text)), cell("r", numbers[2], p));
}
