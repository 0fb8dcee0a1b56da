// The explorer: which pair and which filter are chosen, and the page that follows from it.

const PAGE = 50, LONGEST = 120, MOST_OPTIONS = 300;
const NO_FILTER = { kind: null, gold: null, from: null, to: null, slice: null, query: "" };
const byId = (id) => document.getElementById(id);
const pairs = JSON.parse(byId("data-pairs").textContent);
const store = ((raw) => raw && openStore(raw))(JSON.parse(byId("data-examples").textContent));
const state = { pair: 0, filter: { ...NO_FILTER }, order: "file", page: 0, matrix: 12, sort: "evidence", partSort: "evidence", open: {} };
let step = null, rows = [], examples = [], waiting = 0;

function select(label, options, value, change) {
  const box = make("select", {}, ...options.map(([key, text]) => make("option", { value: key, selected: key === value }, text)));
  box.addEventListener("change", () => change(box.value));
  return make("label", { class: "field" }, make("span", {}, label), box);
}

function choosePair(index) {
  Object.assign(state, { pair: index, filter: { ...NO_FILTER }, page: 0, open: {} });
  step = stepOf(store, pairs[index]);
  drawPair();
  drawExamples();
}

// A click on a number: its examples, and the way there for those who cannot see both.
function choose(filter) {
  state.filter = { ...NO_FILTER, ...filter };
  state.page = 0;
  drawExamples();
  const panel = byId("examples");
  panel.focus({ preventScroll: true });
  panel.scrollTop = 0;
  const seen = panel.getBoundingClientRect();
  if (seen.top < 0 || seen.top > 0.6 * innerHeight) panel.scrollIntoView({ block: "start" });
}

function drawPair() {
  const pair = pairs[state.pair];
  byId("explorer").hidden = false;
  byId("verdict-kind").textContent = `${pairs.some((p) => p.name !== pair.name) ? `${pair.name}, ` : ""}${pair.criterionName}: ${pair.significant ? "significant difference" : "undecided"}`;
  byId("verdict-reason").textContent = minus(pair.verdict);
  byId("verdict").classList.toggle("won", pair.significant);
  byId("cards").replaceChildren(...drawCards(pair));
  byId("outcomes").replaceChildren(...drawOutcomes(pair, choose).filter(Boolean));
  document.querySelector(".sentences")?.replaceChildren(...pair.notes.map((text) => make("p", {}, ...coded(text))), ...(pair.sentence ? [make("pre", { class: "paste" }, pair.sentence)] : []));
  drawCharts();
}

function drawCharts() {
  const pair = pairs[state.pair];
  const again = (key) => (value) => { state[key] = value; drawCharts(); };
  const sizes = [8, 12, 20, 40].filter((size, i, list) => !i || list[i - 1] < pair.matrix.labels.length);
  const parts = [
    section("Transition matrix", sizes.length > 1 && select("labels", sizes.map((n) => [`${n}`, `${n} most changed`]), `${state.matrix}`, (v) => again("matrix")(+v)),
      ...drawMatrix(pair, state.matrix, choose)),
    section("Changes", select("sort by", [["evidence", "evidence"], ["surplus", "surplus over mirror"], ["count", "count"]], state.sort, again("sort")),
      drawTransitions(pair, state.sort, state.open.changes, choose), more("changes", pair.transitions.length > FIRST_ROWS),
      make("p", { class: "note" }, "Mirror: how often the same went the other way; net: count \u2212 mirror; adj. p (adjusted) tests a row against its mirror.",
        pair.left ? ` ${number(pair.left)} rarer changes are left out here and stand in the JSON.` : "")),
  ];
  if (pair.labels.length) parts.push(partSection("Gold labels", "labels", pair.labels, again));
  for (const column of new Set(pair.slices.map((row) => row[0]))) {
    parts.push(partSection(`Slices by ${column}`, `slice ${column}`, pair.slices.filter((row) => row[0] === column), again));
  }
  if (pair.kinds.length) parts.push(section("What the changes consist of", null, plainTable(["change in", "count"], pair.kinds.map(([kind, n]) => [kind, number(n)]))));
  if (pair.metrics.length) parts.push(section("Other scores", null, plainTable(["score", ...pair.systems, "difference", "p"], pair.metrics.map((row) => row.map(minus)))));
  byId("charts").replaceChildren(...parts);
}

function partSection(title, key, rowsOf, again) {
  const orders = [["evidence", "evidence"], ["difference", "difference"], ["units", "units"], ["name", "name"]];
  const hidden = rowsOf.filter((row) => row[11]).length > FIRST_LABELS || rowsOf.some((row) => !row[11]);
  return section(title, select("sort by", orders, state.partSort, again("partSort")),
    drawParts(pairs[state.pair], rowsOf, state.partSort, state.open[key], choose), more(key, hidden));
}

function section(title, control, ...content) {
  return make("section", {}, make("div", { class: "bar-top" }, make("h3", {}, title), control || null), ...content);
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

function plainTable(heads, body) {
  const cell = (tag) => (text, i) => make(tag, { class: i ? "r" : "l", scope: tag === "th" ? "col" : null }, text);
  return scroller(heads[0], make("table", { class: "rows" }, make("thead", {}, make("tr", {}, ...heads.map(cell("th")))), make("tbody", {}, ...body.map((row) => make("tr", {}, ...row.map(cell("td")))))));
}

// The filters are drawn once per pair and choice; typing only draws the list again.
function drawExamples() {
  const panel = byId("examples");
  if (!step) {
    const text = store ? "The page holds no examples for this pair." : "This page was made from a saved result, which holds counts and no examples. Run `outscore diff` with `-o page.html` to see them.";
    panel.replaceChildren(make("h3", {}, "Examples"), make("p", { class: "note", id: "no-examples" }, ...coded(text)));
    return;
  }
  panel.replaceChildren(make("h3", { id: "found", "aria-live": "polite" }), make("p", { class: "note", id: "joined" }), make("a", { class: "back", href: "#h-explorer" }, "Back to the charts"), drawFilters(), make("ol", { class: "list", id: "list" }), make("nav", { class: "pages", id: "pages", "aria-label": "Pages of examples" }));
  update();
}

function drawFilters() {
  const { set } = step, { filter } = state;
  const change = (key) => (value) => { filter[key] = value === "" ? null : value; state.page = 0; update(); };
  const labels = set.labels.slice(0, MOST_OPTIONS).sort(compareText).map((name) => [name, name]);
  const search = make("input", { type: "search", id: "search", placeholder: store.columns.length ? "words or item id" : "words or sentence id", value: filter.query, "aria-label": "Search" });
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (search.isConnected) { filter.query = search.value; state.page = 0; update(); } }, 120);
  });
  const kinds = [["", "all changes"], ...[1, 2, 3, 4].map((kind) => [`${kind}`, PLURALS[kind]])];
  const slices = set.slices.flatMap((slice) => slice.names.map((value) => [JSON.stringify([slice.column, value]), `${slice.column} = ${value}`]));
  const chosen = filter.slice ? JSON.stringify([filter.slice.column, filter.slice.value]) : "";
  return make("div", { class: "filters", role: "search" },
    make("label", { class: "field grow" }, make("span", {}, "search"), search),
    select("class", kinds, filter.kind === null ? "" : `${filter.kind}`, (v) => change("kind")(v === "" ? "" : +v)),
    select("gold", [["", "any"], ...labels], filter.gold ?? "", change("gold")),
    select(`${pairs[state.pair].systems[0]} says`, [["", "anything"], ...labels], filter.from ?? "", change("from")),
    select(`${pairs[state.pair].systems[1]} says`, [["", "anything"], ...labels], filter.to ?? "", change("to")),
    slices.length ? select("slice", [["", "all"], ...slices], chosen, (v) => { const [column, value] = v ? JSON.parse(v) : []; change("slice")(v ? { column, value } : ""); }) : null,
    select("sort by", [["file", "file order"], ["change", "change"], ["unit", "word"]], state.order, (v) => { state.order = v; state.page = 0; update(); }),
    make("button", { type: "button", class: "quiet", click: () => { state.filter = { ...NO_FILTER }; state.page = 0; drawExamples(); byId("search").focus(); } }, "Clear filters"));
}

function update() {
  rows = sortRows(store, step, matching(store, step, state.filter), state.order);
  const { kind, gold, from, to, slice } = state.filter;
  const seen = new Set();
  // The first row of each example: rows that are one change stand together, at the place of the first that fits.
  examples = rows.filter((row) => !seen.has(row) && (step.joins.get(row) ?? [row]).every((own) => seen.add(own)));
  const noun = kind === null ? "changes" : PLURALS[kind];
  const told = [from !== null || to !== null ? `${from ?? "anything"} \u2192 ${to ?? "anything"}` : null, gold !== null ? `gold ${gold}` : null, slice ? `${slice.column} = ${slice.value}` : null].filter(Boolean);
  byId("found").textContent = `${number(rows.length)} ${rows.length === 1 ? noun.replace(/s$/, "") : noun}${told.length ? `: ${told.join(", ")}` : ""}`;
  byId("joined").textContent = examples.length < rows.length ? `Shown as ${number(examples.length)}: an entity whose boundaries moved is two spans and one change.` : "";
  turnTo(state.page);
}

function turnTo(page) {
  const last = Math.max(0, Math.ceil(examples.length / PAGE) - 1);
  state.page = Math.max(0, Math.min(page, last));
  const start = state.page * PAGE, list = byId("list");
  list.setAttribute("start", start + 1);
  list.replaceChildren(...examples.slice(start, start + PAGE).map(drawExample));
  if (!examples.length) list.replaceChildren(make("li", { class: "empty" }, "Nothing fits these filters."));
  const go = (text, to, off) => make("button", { type: "button", class: "quiet", disabled: off, click: () => { turnTo(to); byId("examples").focus({ preventScroll: true }); byId("found").scrollIntoView({ block: "nearest" }); } }, text);
  byId("pages").replaceChildren(...(last ? [go("\u2190 Previous", state.page - 1, !state.page), make("span", {}, `${number(start + 1)}\u2013${number(Math.min(start + PAGE, examples.length))} of ${number(examples.length)}`), go("Next \u2192", state.page + 1, state.page === last)] : []));
}

function drawExample(row) {
  const { set, a, b, k, outcome } = step, pair = pairs[state.pair];
  const context = set.contexts[row], words = wordsOf(store, context);
  const gold = set.labels[set.gold[row]];
  const head = (column) => (set.heads ? set.heads[row * (k + 1) + column] : null);
  const remark = (column) => (set.remarks ? set.remarkNames[set.remarks[row * (k + 1) + column]] : "");
  const chain = (column) => (set.chains ? set.chainNames[set.chains[row * (k + 1) + column]] || "in no chain" : "");
  const answers = [["gold", gold, head(0), null, remark(0), chain(0)], ...[a, b].map((column, i) => [pair.systems[i], set.labels[set.answers[row * k + column]], head(column + 1), Boolean(set.correct[row * k + column]), remark(column + 1), chain(column + 1)])];
  const whole = step.joins.get(row);
  if (whole) return drawJoined(whole, words);
  const body = drawBody(words, row, answers.map((answer) => answer[2]));
  return make("li", { class: "example" },
    make("p", { class: "where" }, make("span", { class: `badge k${outcome[row]}` }, OUTCOMES[outcome[row]]), ` ${store.ids[context]}`),
    body, store.heads && set.heads ? treeOf(words, store, step, context, pair.systems) : null, make("dl", { class: "answers" }, ...answers.map((answer, i) => drawAnswer(answer, answers[0], words, i))));
}

function drawBody(words, row, heads) {
  if (store.columns.length) return drawTexts(words);
  if (step.set.settled) return drawEntities(words, store, step, step.set.contexts[row], [row], pairs[state.pair].systems);
  return drawSentence(words, row, heads);
}

// An entity whose boundaries moved: old against new instead of two answers that have nothing to do with each other.
function drawJoined(whole, words) {
  const { systems } = pairs[state.pair], context = step.set.contexts[whole[0]], { outcome, kind } = joinedChange(step, whole);
  return make("li", { class: "example" },
    make("p", { class: "where" }, make("span", { class: `badge k${outcome}` }, OUTCOMES[outcome]), make("span", { class: "badge" }, kind), ` ${store.ids[context]}`),
    drawEntities(words, store, step, context, whole, systems),
    make("dl", { class: "answers" }, ...joinedAnswers(words, store, step, whole, systems)));
}

// Where a long sentence begins and ends to be shown.
function windowOf(words, start, end) {
  return words.length > LONGEST ? [Math.max(0, start - LONGEST / 2), Math.min(words.length, end + LONGEST / 2)] : [0, words.length];
}

// The sentence with the unit marked, and small letters after the words that somebody makes its head.
function drawSentence(words, row, heads) {
  const { set } = step, start = set.starts[row], end = start + set.lengths[row];
  const [low, high] = windowOf(words, start, end);
  const line = make("p", { class: "sentence", dir: "auto" }, low ? "\u2026 " : "");
  for (let i = low; i < high; i++) {
    if (i === start && end > start) { line.append(make("mark", {}, words.slice(start, end).join(" ")), " "); i = end - 1; continue; }
    const tags = ["G", "1", "2"].filter((_, j) => heads[j] === i);
    line.append(tags.length ? make("span", { class: "head" }, words[i], make("sup", {}, tags.join(" "))) : words[i], " ");
  }
  if (high < words.length) line.append("\u2026");
  return line;
}

function drawTexts(texts) {
  return make("dl", { class: "texts" }, ...texts.map((text, i) => make("div", {}, make("dt", {}, store.columns[i]), make("dd", { dir: "auto" }, text))));
}

function drawAnswer([name, label, head, right, remark, chain], [, goldLabel, goldHead], words, place) {
  const tag = head === null && !step.set.settled ? "" : `${["G", "1", "2"][place]} `;
  const sign = right === null ? "" : right ? " \u2713" : " \u2717";
  const verdict = right === null ? null : make("span", { class: "unseen" }, right ? "right" : "wrong");
  const parts = [];
  if (head !== null) {
    const where = head === -1 ? "root" : head === -2 ? "a word outside this sentence" : words[head];
    parts.push(head === -1 ? " at the " : " of ", make("span", { class: head === goldHead ? "" : "off", dir: "auto" }, where));
  }
  if (remark) parts.push(" \u2190 ", make("span", { dir: "auto" }, remark));
  return make("div", { class: right === null ? "" : right ? "right" : "wrong" }, make("dt", {}, `${tag}${name}`), make("dd", {}, ...differing(label, goldLabel), ...parts, sign, verdict, chain ? make("small", { class: "chain", dir: "auto" }, chain) : null));
}

// An answer with the parts that gold lacks marked: features, words of a longer answer, or the whole label.
function differing(label, gold) {
  if (label === gold) return [make("span", {}, label)];
  const known = new Set(gold.split(/\||\s+/));
  const pieces = label.split(/(\||\s+)/);
  if (pieces.length < 2) return [make("span", { class: "off" }, label)];
  return pieces.map((piece, i) => (i % 2 || known.has(piece) ? piece : make("span", { class: "off" }, piece)));
}

function start() {
  const options = pairs.map((pair, i) => [`${i}`, new Set(pairs.map((p) => p.criterion)).size > 1 ? `${pair.name}, ${pair.criterionName}` : pair.name]);
  if (pairs.length > 1) byId("choice").append(select("pair", options, "0", (value) => choosePair(+value)));
  // The page of `outscore serve` puts another result in this one's place, and that one has its own explorer.
  const own = byId("explorer");
  document.addEventListener("keydown", function listen(event) {
    if (!own.isConnected) { document.removeEventListener("keydown", listen); return; }
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && byId("search")) { event.preventDefault(); byId("search").focus(); }
    if (typing || !event.target.closest("#pages, #list") || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    turnTo(state.page + (event.key === "ArrowRight" ? 1 : -1));
  });
  choosePair(0);
}

start();
