// The explorer: which pair and which filter are chosen, and the page that follows from it.

const PAGE = 50, LONGEST = 120, MOST_OPTIONS = 1000, MOST_PAIRS = 15;
const byId = (id) => document.getElementById(id);
const pairs = JSON.parse(byId("data-pairs").textContent);
const store = ((raw) => raw && openStore(raw))(JSON.parse(byId("data-examples").textContent));
const state = { pair: 0, filter: { ...NO_FILTER }, order: "file", page: 0, item: null, matrix: 12, sort: "evidence", partSort: "evidence", open: {} };
let step = null, rows = [], examples = [], waiting = 0, isTyping = false;

function select(label, options, value, change) {
  const box = make("select", {}, ...options.map(([key, text]) => make("option", { value: key, selected: key === value }, text)));
  box.addEventListener("change", () => change(box.value));
  return make("label", { class: "field" }, make("span", {}, label), box);
}

function choosePair(index) {
  Object.assign(state, { pair: index, filter: { ...NO_FILTER }, page: 0, item: null, open: {} });
  showPair();
  remember();
}

// From the map to its pair; the fields above say which it is.
function chooseInMap(index) {
  choosePair(index);
  showChoice();
  byId("map").querySelector("[aria-current]")?.focus();
}

function showChoice() {
  const boxes = document.querySelectorAll("#choice select"), shown = pairs[state.pair];
  [...boxes].forEach((box, i) => { box.value = boxes.length > 1 ? [...shown.systems, shown.criterion][i] : `${state.pair}`; });
}

function showPair() {
  step = stepOf(store, pairs[state.pair]);
  drawPair();
  drawExamples();
}

// A click on a number: its examples, and the way there for those who cannot see both.
function choose(filter) {
  Object.assign(state, { filter: { ...NO_FILTER, ...filter }, page: 0, item: null });
  drawExamples();
  remember();
  const panel = byId("examples");
  panel.focus({ preventScroll: true });
  panel.scrollTop = 0;
  const seen = panel.getBoundingClientRect();
  if (seen.top < 0 || seen.top > 0.6 * innerHeight) panel.scrollIntoView({ block: "start" });
}

// What an address asks for; where it names what is not here, that is left out and said.
function restore(asked) {
  const { pair } = state;
  Object.assign(state, asked, { pair: asked.pair < pairs.length ? asked.pair : 0 });
  if (pair !== state.pair || !byId("charts").childElementCount) {
    state.open = {};
    step = stepOf(store, pairs[state.pair]);
    drawPair();
    showChoice();
  }
  const lost = step ? Object.entries(state.filter).filter(([key, name]) => key !== "query" && !step.facets.find((facet) => facet.key === key)?.names.includes(name)) : [];
  for (const [key] of lost) delete state.filter[key];
  if (!ORDERINGS.some(([key]) => key === state.order)) state.order = "file";
  drawExamples();
  if (!step) return;
  const told = lost.map((one) => one.join(" = "));
  if (state.item !== null && !byId("list").querySelector(".linked")) told.push(`example ${state.item + 1}`);
  if (told.length) byId("lost").textContent = `The link asks for ${told.join(", ")}, which is not here.`;
}

function drawPair() {
  const pair = pairs[state.pair];
  byId("explorer").hidden = false;
  byId("h-explorer").textContent = `What changed${pair.countedBy && `, by ${pair.countedBy}`}`;
  // Of several systems the verdict says who leads, and that of a pair stands below the choice of it.
  const many = new Set(pairs.flatMap(({ systems }) => systems)).size > 2, told = many ? "pair" : "verdict";
  byId("pair-verdict").hidden = !many;
  byId(`${told}-kind`).textContent = `${pairs.some((p) => p.name !== pair.name) ? `${pair.name}, ` : ""}${pair.criterionName}: ${pair.significant ? "significant difference" : "undecided"}`;
  byId(`${told}-reason`).textContent = minus(pair.verdict);
  byId(`${told}-reason`).classList.toggle("as-is", pair.systems.some((name) => pair.verdict.startsWith(name)));
  if (!many) byId("verdict").classList.toggle("won", pair.significant);
  if (pair.headline) byId("verdict").querySelector("h1").textContent = minus(pair.headline);
  Object.assign(byId("verdict").dataset, { line: minus(pair.line), pair: state.pair });
  const place = byId(many ? "pair-verdict" : "verdict");
  for (const old of document.querySelectorAll("#verdict ~ .to-do, #verdict ~ section.warnings")) old.remove();
  if (pair.beside.length) place.after(make("section", { class: "warnings", "aria-label": "Warnings" }, ...pair.beside.map((text) => make("p", {}, make("strong", {}, "Check first."), " ", minus(text)))));
  if (pair.next) place.after(make("p", { class: "to-do" }, pair.next));
  // Who repeats the verdict elsewhere on the page hears of it.
  byId("verdict").dispatchEvent(new Event("verdict", { bubbles: true }));
  byId("map").replaceChildren(...drawMap(pairs, state.pair, chooseInMap));
  byId("outcomes").replaceChildren(...drawOutcomes(pair, choose).filter(Boolean));
  document.querySelector(".sentences")?.replaceChildren(...pair.notes.map((text) => make("p", {}, ...coded(text))), ...(pair.sentence ? [make("pre", { class: "paste" }, pair.sentence)] : []));
  drawCharts();
}

function drawCharts() {
  let pair = pairs[state.pair];
  const again = (key) => (value) => { state[key] = value; drawCharts(); };
  // A pair that was not compared label by label says so, where its units are here counted from these.
  const note = pair.tables && section("Transitions and labels", null, make("p", { class: "note", id: "no-tables" }, ...coded(pair.tables)));
  if (note && !step) {
    byId("charts").replaceChildren(note, ...otherParts(pair));
    enliven(byId("charts"));
    return;
  }
  if (note) pair = { ...pair, ...countChanges(step) };
  const sizes = [8, 12, 20, 40].filter((_, i, list) => !i || list[i - 1] < pair.matrix.labels.length);
  const parts = [
    section("Transition matrix", sizes.length > 1 && select("labels", sizes.map((n) => [`${n}`, `${n} most changed`]), `${state.matrix}`, (v) => again("matrix")(+v)),
      csvButton("matrix", MATRIX_HEADS, matrixRows(pair)), ...drawMatrix(pair, state.matrix, choose)),
    section("Changes", select("sort by", [["evidence", "evidence"], ["surplus", "surplus over mirror"], ["count", "count"]], state.sort, again("sort")),
      csvButton("changes", TRANSITION_HEADS, transitionRows(pair)), drawTransitions(pair, state.sort, state.open.changes, choose), more("changes", [1, 2, 3].some((kind) => pair.transitions.filter((row) => row[0] === kind).length > FIRST_ROWS)),
      make("p", { class: "note" }, "Mirror: how often the reverse happened; net: count \u2212 mirror; adj. p (adjusted) tests a row against its mirror.",
        pair.left ? ` ${number(pair.left)} rarer changes are left out here; the JSON has them.` : "")),
  ];
  if (pair.labels.length) parts.push(partSection("Gold labels", "labels", pair.labels, again));
  for (const column of new Set(pair.slices.map((row) => row[0]))) {
    parts.push(partSection(`Slices by ${column}`, `slice ${column}`, pair.slices.filter((row) => row[0] === column), again));
  }
  if (note) parts.unshift(note);
  byId("charts").replaceChildren(...parts, ...otherParts(pair));
  enliven(byId("charts"));
}

// What several systems have right together: those that are ticked, all of them at first.
function drawOracle(pair) {
  const { set } = step, told = make("p", { id: "oracle", role: "status" });
  const boxes = set.systems.map((name) => make("input", { type: "checkbox", value: name, checked: true }));
  const tell = () => {
    const chosen = boxes.flatMap((box, i) => (box.checked ? [i] : [])), right = pair.n - missedByAll(set, chosen);
    told.textContent = chosen.length ? `At least one of ${number(chosen.length)} systems is right on ${number(right)} of ${number(pair.n)} units (${percent(right, pair.n)}).` : "Choose systems.";
  };
  for (const box of boxes) box.addEventListener("change", tell);
  tell();
  return [make("p", { class: "chosen-systems" }, ...boxes.map((box, i) => make("label", {}, box, ` ${set.systems[i]} `))), told];
}

function otherParts(pair) {
  const parts = [];
  if (step?.set.systems.length > 2) parts.push(section("Upper bound of chosen systems", null, ...drawOracle(pair)));
  if (pair.kinds.length) parts.push(section("What the changes consist of", null, drawKinds(pair)));
  if (pair.metrics.length) parts.push(section("Other scores", null, plainTable(["score", ...pair.systems, "difference", "p"], pair.metrics.map(([texts]) => texts.map(minus)), pair.metrics.map(([, values]) => values))));
  return parts;
}

function partSection(title, key, rowsOf, again) {
  const orders = [["evidence", "evidence"], ["difference", "difference"], ["units", "units"], ["name", "name"]];
  const hidden = rowsOf.filter((row) => row[11]).length > FIRST_LABELS || rowsOf.some((row) => !row[11]);
  return section(title, select("sort by", orders, state.partSort, again("partSort")),
    csvButton(key.replace(/\W+/g, "-"), PART_HEADS, partRows(rowsOf)), drawParts(pairs[state.pair], rowsOf, state.partSort, state.open[key], choose), more(key, hidden));
}

// A control and the way to the numbers stand beside the title.
function section(title, control, ...content) {
  const csv = content[0]?.classList?.contains("csv") ? content.shift() : null;
  return make("section", {}, make("div", { class: "bar-top" }, make("div", { class: "titled" }, make("h3", {}, title), csv), control || null), ...content);
}

function more(key, hidden) {
  if (!hidden) return null;
  const text = state.open[key] ? "Show fewer" : "Show all";
  return make("button", { type: "button", class: "quiet", "data-more": key, click: () => {
    state.open[key] = !state.open[key];
    drawCharts();
    document.querySelector(`[data-more="${CSS.escape(key)}"]`).focus();
  } }, text);
}

// Kinds of changes lead to their examples where the units can tell them apart.
function drawKinds(pair) {
  const known = step?.facets.find((facet) => facet.key === CHANGE)?.names ?? [];
  const cell = (kind) => (known.includes(kind) ? make("button", { type: "button", class: "link", "data-change-kind": kind, click: () => choose({ [CHANGE]: kind }) }, kind) : kind);
  return plainTable(["change in", "count"], pair.kinds.map(([kind, n]) => [cell(kind), number(n)]), pair.kinds.map(([, n]) => [n]));
}

// `values` are the numbers that the cells behind the first show, by which rows are sorted.
function plainTable(heads, body, values) {
  const head = (scope) => (text, i) => make("th", { class: i ? "r" : "l", scope }, text);
  const row = ([name, ...cells], i) => make("tr", {}, head("row")(name, 0), ...cells.map((text, j) => make("td", { class: "r", "data-value": values[i][j] }, text)));
  return scroller(heads[0], make("table", { class: "rows" }, make("thead", {}, make("tr", {}, ...heads.map(head("col")))), make("tbody", {}, ...body.map(row))));
}

// The filters are drawn once per pair and choice; typing only draws the list again.
function drawExamples() {
  const panel = byId("examples");
  if (!step) {
    const text = store ? "The page has no examples for this pair." : "This page was made from a saved result, which contains counts but no examples. Run `outscore diff` with `-o page.html` to see them.";
    panel.replaceChildren(make("h3", {}, "Examples"), make("p", { class: "note", id: "no-examples" }, ...coded(text)));
    return;
  }
  const back = make("a", { class: "back", href: "#h-explorer", click: (event) => { event.preventDefault(); byId("h-explorer").scrollIntoView(); } }, "Back to the charts");
  panel.replaceChildren(make("h3", { id: "found", "aria-live": "polite" }), make("p", { class: "note", id: "lost", role: "status" }), make("p", { class: "note", id: "joined" }), make("p", { class: "note", id: "mirror" }), back, drawFilters(), make("ol", { class: "list", id: "list" }), make("nav", { class: "pages", id: "pages", "aria-label": "Pages of examples" }));
  update();
}

const ORDERINGS = [["file", "file order"], ["change", "change"], ["unit", "word"]];
// A label may be empty, which is not to choose none.
const EMPTY = " ";

// Another filter, from the first page on; a choice is a step to go back to, what is typed only with its first letter.
function refine(isStep) {
  Object.assign(state, { page: 0, item: null });
  update();
  remember(isStep);
}

function drawFilters() {
  const { filter } = state;
  const change = (key) => (value) => {
    if (value === "") delete filter[key];
    else filter[key] = value === EMPTY ? "" : value;
    isTyping = false;
    refine(true);
  };
  const search = make("input", { type: "search", id: "search", placeholder: store.columns.length ? "words or item id" : "words or sentence id", value: filter.query, "aria-label": "Search" });
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (search.isConnected) { filter.query = search.value; refine(!isTyping); isTyping = true; } }, 120);
  });
  const clear = () => { choose({}); byId("search").focus(); };
  return make("div", { class: "filters", role: "search" },
    make("label", { class: "field grow" }, make("span", {}, "search"), search),
    ...step.facets.map((facet) => drawFacet(facet, change(facet.key))),
    select("sort by", ORDERINGS, state.order, (value) => { state.order = value; refine(true); }),
    make("button", { type: "button", class: "quiet", click: clear }, "Clear filters"),
    make("button", { type: "button", class: "quiet", id: "copy-link", click: (event) => copyLink(event.target) }, "Copy link"));
}

function drawFacet(facet, change) {
  const chosen = state.filter[facet.key], names = facet.names.slice(0, MOST_OPTIONS);
  if (chosen !== undefined && !names.includes(chosen)) names.push(chosen);
  if (facet.sorted) names.sort(compareText);
  const field = select(facet.title, [["", facet.any], ...names.map((name) => [name || EMPTY, name])], chosen === undefined ? "" : chosen || EMPTY, change);
  field.dataset.facet = facet.key;
  return field;
}

// Every value says how many there are of it with the other filters as they are.
function drawCounts(counts) {
  step.facets.forEach((facet, i) => {
    const box = document.querySelector(`[data-facet="${CSS.escape(facet.key)}"] select`), place = new Map(facet.names.map((name, code) => [name || EMPTY, code]));
    for (const option of box.options) {
      if (!option.value) continue;
      const n = counts[i][place.get(option.value)];
      option.textContent = `${option.value.trim() || "(empty)"} (${number(n)})`;
      option.hidden = !n && !option.selected;
    }
  });
}

function update() {
  const found = matching(store, step, step.facets, state.filter);
  rows = sortRows(store, step, found.rows, state.order);
  const seen = new Set();
  // The first row of each example: rows that are one change stand together, at the place of the first that fits.
  examples = rows.filter((row) => !seen.has(row) && (step.joins.get(row) ?? [row]).every((own) => seen.add(own)));
  drawCounts(found.counts);
  const { from, to, ...others } = state.filter, noun = others[CLASS] ?? "changes";
  const told = step.facets.filter((facet) => facet.key in others && facet.key !== CLASS).map((facet) => `${facet.title} ${facet.key === "gold" ? "" : "= "}${others[facet.key]}`);
  if (from !== undefined || to !== undefined) told.unshift(`${from ?? "anything"} \u2192 ${to ?? "anything"}`);
  byId("found").textContent = `${number(rows.length)} ${rows.length === 1 ? noun.replace(/s$/, "") : noun}${told.length ? `: ${told.join(", ")}` : ""}`;
  byId("lost").textContent = "";
  byId("joined").textContent = examples.length < rows.length ? `Shown as ${number(examples.length)}: an entity whose boundaries moved is two spans and one change.` : "";
  drawMirror();
  const item = examples.findIndex((row) => row === state.item || step.joins.get(row)?.includes(state.item));
  turnTo(item < 0 ? state.page : Math.floor(item / PAGE));
  if (!rows.length) byId("list").replaceChildren(drawNothing(found.without));
}

// Where nothing fits, what each filter costs.
function drawNothing(without) {
  const titles = [...step.facets.map((facet) => [facet.key, facet.title]), ["query", "search"]];
  const ways = titles.map(([key, title], i) => ({ key, title, n: without[i] })).filter(({ key, n }) => n && (key === "query" || key in state.filter));
  const drop = (key) => () => { const { [key]: _, ...rest } = state.filter; choose(rest); };
  return make("li", { class: "empty" }, "Nothing matches these filters.", ...ways.flatMap(({ key, title, n }) => [" ", make("button", { type: "button", class: "link", "data-without": key, click: drop(key) }, `Without \u201c${title}\u201d: ${number(n)}.`)]));
}

// The other half of a change, and both of them pointed out among the charts.
function drawMirror() {
  const mirror = mirrorOf(state.filter), place = byId("mirror");
  place.replaceChildren();
  if (mirror) {
    const { rows: others } = matching(store, step, step.facets, mirror), noun = counted(others.length, Math.max(0, PLURALS.indexOf(mirror[CLASS])));
    const text = `${mirror.from} \u2192 ${mirror.to}, ${number(others.length)} ${CLASS in mirror ? noun : others.length === 1 ? "change" : "changes"}`;
    place.append("The reverse: ", others.length ? make("button", { type: "button", class: "link", id: "to-mirror", click: () => choose(mirror) }, text) : text);
  }
  for (const part of document.querySelectorAll("#charts [data-filter]")) {
    const own = JSON.parse(part.dataset.filter), fits = (filter) => filter !== null && Object.keys(own).every((key) => own[key] === filter[key]) && CLASS in own === CLASS in filter;
    const isShown = fits(state.filter), row = part.closest("tr.transition") ?? part;
    if (isShown) part.setAttribute("aria-current", "true");
    else part.removeAttribute("aria-current");
    row.classList.toggle("shown", isShown);
    row.classList.toggle("mirrored", !isShown && fits(mirror));
  }
}

// Of many pairs nobody reads a list: both systems are chosen, and the criterion.
function drawChoice() {
  const systems = [...new Set(pairs.flatMap((pair) => pair.systems))], criteria = new Map(pairs.map((pair) => [pair.criterion, pair.criterionName]));
  const chosen = { first: pairs[0].systems[0], second: pairs[0].systems[1], criterion: pairs[0].criterion };
  const pick = (name) => (value) => {
    chosen[name] = value;
    const found = pairs.findIndex((pair) => pair.criterion === chosen.criterion && pair.systems.includes(chosen.first) && pair.systems.includes(chosen.second) && chosen.first !== chosen.second);
    if (found >= 0) choosePair(found);
  };
  const named = systems.map((name) => [name, name]);
  byId("choice").append(select("system", named, chosen.first, pick("first")), select("compared with", named, chosen.second, pick("second")));
  if (criteria.size > 1) byId("choice").append(select("by", [...criteria], chosen.criterion, pick("criterion")));
}

function start() {
  const options = pairs.map((pair, i) => [`${i}`, new Set(pairs.map((p) => p.criterion)).size > 1 ? `${pair.name}, ${pair.criterionName}` : pair.name]);
  if (pairs.length > MOST_PAIRS) drawChoice();
  else if (pairs.length > 1) byId("choice").append(select("pair", options, "0", (value) => choosePair(+value)));
  // The page of `outscore serve` puts another result in this one's place, and that one has its own explorer.
  const own = byId("explorer");
  document.addEventListener("keydown", function listen(event) {
    if (!own.isConnected) { document.removeEventListener("keydown", listen); return; }
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && byId("search")) { event.preventDefault(); byId("search").focus(); }
    if (typing || !event.target.closest("#pages, #list") || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    turnTo(state.page + (event.key === "ArrowRight" ? 1 : -1));
  });
  window.addEventListener("popstate", function listen() {
    if (!own.isConnected) { window.removeEventListener("popstate", listen); return; }
    const asked = readAddress(location.hash);
    if (!asked) return;
    restore(asked);
    byId("list")?.querySelector(".linked")?.focus();
  });
  restore(readAddress(location.hash) ?? readAddress(""));
  byId("list")?.querySelector(".linked")?.scrollIntoView({ block: "center" });
}

start();
