// Units of the explorer: unpacking, the outcome of every unit, search and order. Nothing here touches the page.

const OUTCOMES = ["Both right", "Correction", "New error", "Changed error", "Shared error"];
const ZERO = "\u2205";
const PLURALS = ["both right", "corrections", "new errors", "changed errors", "shared errors"];

// Whole numbers as they were packed: base64 of little-endian integers, or of the steps between them.
function unpack(packed) {
  if ("value" in packed) return new Int32Array(packed.n).fill(packed.value);
  const raw = atob(packed.data);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const Kind = { 1: Int8Array, 2: Int16Array, 4: Int32Array }[packed.bytes];
  const numbers = new Kind(bytes.buffer);
  if (!packed.steps) return numbers;
  const sums = new Int32Array(numbers.length);
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sums[i] = sum += numbers[i];
  return sums;
}

// The whole store; contexts are unpacked at once, the units of a criterion when they are asked for.
function openStore(raw) {
  const lengths = unpack(raw.lengths);
  const offsets = new Int32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) offsets[i + 1] = offsets[i] + lengths[i];
  const heads = raw.heads && unpack(raw.heads), named = (labels) => labels && { ...labels, codes: unpack(labels.codes) };
  return { ...raw, offsets, words: unpack(raw.words), heads, relations: named(raw.relations), documents: named(raw.documents), opened: new Map(), searchable: null, byContext: new Map() };
}

function openSet(store, index) {
  if (!store.opened.has(index)) {
    const raw = store.sets[index];
    const fields = ["gold", "answers", "correct", "same", "contexts", "starts", "lengths"];
    const set = { ...raw };
    for (const field of fields) set[field] = unpack(raw[field]);
    for (const field of ["heads", "sameHeads", "distances", "remarks", "chains"]) set[field] = raw[field] && unpack(raw[field]);
    for (const table of ["settled", "mentions"]) set[table] = raw[table] && Object.fromEntries(Object.entries(raw[table]).map(([field, packed]) => [field, unpack(packed)]));
    set.slices = raw.slices.map((slice) => ({ ...slice, codes: unpack(slice.codes) }));
    store.opened.set(index, set);
  }
  return store.opened.get(index);
}

// The units of one pair with their outcomes, or null where the page holds none for it.
function stepOf(store, pair) {
  if (!store) return null;
  const fits = store.sets
    .map((set, index) => ({ index, size: set.systems.length, set }))
    .filter(({ set }) => set.criterion === pair.units && pair.systems.every((name) => set.systems.includes(name)))
    .sort((x, y) => x.size - y.size);
  if (!fits.length) return null;
  const set = openSet(store, fits[0].index);
  const [a, b] = pair.systems.map((name) => set.systems.indexOf(name));
  const k = set.systems.length;
  const outcome = new Int8Array(set.n);
  for (let row = 0; row < set.n; row++) {
    const before = set.correct[row * k + a], after = set.correct[row * k + b];
    if (before || after) outcome[row] = before && after ? 0 : after ? 1 : 2;
    else outcome[row] = set.same[row * k + a] === set.same[row * k + b] ? 4 : 3;
  }
  const step = { set, a, b, k, outcome };
  step.joins = joinsOf(store, step);
  step.facets = facetsOf(store, step, pair.systems);
  return step;
}

// Changes counted from the units of a pair, as rows of its tables: class, gold, from, to, count, mirror and shares, without a test.
function countChanges({ set, a, b, k, outcome }) {
  const counts = new Map(), totals = [0, 0, 0, 0, 0], pairsOf = new Map(), changes = new Map();
  const key = (kind, gold, from, to) => `${kind} ${gold} ${from} ${to}`;
  outcome.forEach((kind, row) => {
    totals[kind] += 1;
    if (kind < 1 || kind > 3) return;
    const [gold, from, to] = [set.gold[row], set.answers[row * k + a], set.answers[row * k + b]], own = key(kind, gold, from, to);
    counts.set(own, (counts.get(own) ?? 0) + 1);
    const cell = pairsOf.get(`${from},${to}`) ?? [from, to, 0, 0, 0];
    cell[1 + kind] += 1;
    pairsOf.set(`${from},${to}`, cell);
    for (const label of [from, to]) changes.set(label, (changes.get(label) ?? 0) + 1);
  });
  const sum = totals[1] + totals[2] + totals[3], share = (part, whole) => ((100 * part) / whole).toFixed(2);
  const turned = { 1: 2, 2: 1, 3: 3 };
  const transitions = [...counts].map(([own, count]) => {
    const [kind, gold, from, to] = own.split(" ").map(Number), mirror = counts.get(key(turned[kind], gold, to, from)) ?? 0;
    const names = [gold, from, to].map((code) => set.labels[code]);
    return [kind, ...names, count, mirror, share(count, totals[kind]), share(count, sum), "", null];
  }).sort((x, y) => y[4] - x[4]);
  const order = [...changes].sort((x, y) => y[1] - x[1]).map(([label]) => label), place = new Map(order.map((label, i) => [label, i]));
  const cells = [...pairsOf.values()].map(([from, to, ...own]) => [place.get(from), place.get(to), ...own]);
  return { transitions, left: 0, matrix: { labels: order.map((code) => set.labels[code]), cells, outside: 0 }, labels: [], slices: [] };
}

// How many units of a set none of the chosen systems has right.
function missedByAll({ n, correct, systems }, chosen) {
  let missed = 0;
  for (let row = 0; row < n; row++) if (!chosen.some((system) => correct[row * systems.length + system])) missed += 1;
  return missed;
}

function wordsOf(store, context) {
  const words = [];
  for (let i = store.offsets[context]; i < store.offsets[context + 1]; i++) words.push(store.vocabulary[store.words[i]]);
  return words;
}

// The rows of a set, or of what is settled in it, by their contexts.
function rowsIn(store, set, context) {
  if (!store.byContext.has(set)) {
    const rows = new Map();
    set.contexts.forEach((own, row) => { if (rows.has(own)) rows.get(own).push(row); else rows.set(own, [row]); });
    store.byContext.set(set, rows);
  }
  return store.byContext.get(set).get(context) ?? [];
}

function contextsWith(store, query) {
  if (!store.searchable) {
    store.searchable = store.ids.map((id, i) => [wordsOf(store, i).join(" ").toLowerCase(), id.toLowerCase()]);
  }
  // Words are found anywhere, an id only as a whole: names of documents repeat words that their sentences do not have.
  const found = new Uint8Array(store.ids.length);
  for (let i = 0; i < found.length; i++) found[i] = store.searchable[i][0].includes(query) || store.searchable[i][1] === query ? 1 : 0;
  return found;
}

function unitText(store, set, row) {
  const first = store.offsets[set.contexts[row]] + set.starts[row];
  const words = [];
  for (let i = 0; i < set.lengths[row]; i++) words.push(store.vocabulary[store.words[first + i]]);
  return words.length || !set.chains ? words.join(" ") : ZERO;
}

function sortRows(store, step, rows, order) {
  const { set, a, b, k } = step;
  if (order === "change") {
    const key = (row) => [set.answers[row * k + a], set.answers[row * k + b], set.gold[row]];
    const name = (row) => key(row).map((c) => set.labels[c]).join("\n");
    const names = new Map(rows.map((row) => [row, name(row)]));
    return rows.sort((x, y) => compareText(names.get(x), names.get(y)) || x - y);
  }
  if (order === "unit") {
    const names = new Map(rows.map((row) => [row, unitText(store, set, row).toLowerCase()]));
    return rows.sort((x, y) => compareText(names.get(x), names.get(y)) || x - y);
  }
  return rows;
}

function compareText(x, y) {
  return x < y ? -1 : x > y ? 1 : 0;
}
