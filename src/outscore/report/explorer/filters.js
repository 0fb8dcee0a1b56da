// What units can be filtered by, and which are left. Nothing here touches the page.

/** @type {Record<string, string>} */
const NO_FILTER = { query: "" };
const CLASS = "class", CHANGE = "change";
const SENTENCE_LENGTHS = [1, 6, 11, 21, 31, 41], HEAD_DISTANCES = [1, 2, 3, 7], CHAIN_DISTANCES = [0, 1, 2, 4, 10];
// How two systems differ: in an entity, or in a word of a tree. The tables of reports call and count them so.
const SPAN_CHANGES = ["type", "boundary", "boundary and type", "other"], TREE_CHANGES = ["head only", "label only", "head and label"];

const rangesOf = (firsts) => firsts.map((low, i) => (i + 1 === firsts.length ? `${low} and more` : firsts[i + 1] - low > 1 ? `${low}\u2013${firsts[i + 1] - 1}` : `${low}`));
const rangeOf = (firsts, value) => firsts.findLastIndex((low) => value >= low);

// Each facet has a value for every unit, as the code of a name; -1 for none. The class comes first: without a choice it leaves changes only.
function facetsOf(store, step, systems) {
  const { set, a, b, k, outcome } = step;
  const each = (valueOf) => Int32Array.from({ length: set.n }, (_, row) => valueOf(row));
  const answers = (system) => each((row) => set.answers[row * k + system]);
  const found = [
    { key: CLASS, title: "class", any: "all changes", names: PLURALS.slice(1), codes: each((row) => outcome[row] - 1) },
    { key: "gold", title: "gold", any: "any", names: set.labels, codes: set.gold, sorted: true },
    { key: "from", title: `${systems[0]} says`, any: "anything", names: set.labels, codes: answers(a), sorted: true },
    { key: "to", title: `${systems[1]} says`, any: "anything", names: set.labels, codes: answers(b), sorted: true },
  ];
  const changes = changesOf(step);
  if (changes) found.push({ key: CHANGE, title: "kind of change", any: "any", ...changes });
  if (store.documents) found.push({ key: "document", title: "document", any: "all", names: store.documents.names, codes: each((row) => store.documents.codes[set.contexts[row]]) });
  if (!store.columns.length && set.lengths.some(Boolean)) {
    const lengths = each((row) => rangeOf(SENTENCE_LENGTHS, store.offsets[set.contexts[row] + 1] - store.offsets[set.contexts[row]]));
    found.push({ key: "length", title: "words in sentence", any: "any", names: rangesOf(SENTENCE_LENGTHS), codes: lengths });
  }
  const distances = distancesOf(step, each);
  if (distances) found.push({ key: "distance", any: "any", ...distances });
  if (k > 2) found.push({ key: "right", title: "right with", any: "any", ...solversOf(set, k, each) });
  for (const slice of set.slices) found.push({ key: `slice ${slice.column}`, title: slice.column, any: "all", names: slice.names, codes: slice.codes });
  // What leaves no choice need not be asked.
  return found.filter((facet) => ["class", "gold", "from", "to"].includes(facet.key) || facet.codes.some((code) => code !== facet.codes[0]));
}

// Of three systems and more who has a unit right: nobody, one of them alone, or how many.
function solversOf(set, k, each) {
  const names = ["no system", ...set.systems.map((name) => `${name} alone`), ...Array.from({ length: k - 2 }, (_, i) => `${i + 2} of ${k}`)];
  const codes = each((row) => {
    const right = set.correct.subarray(row * k, (row + 1) * k), n = right.reduce((sum, one) => sum + one, 0);
    if (n === 1) return 1 + right.indexOf(1);
    return n ? k + n - 1 : 0;
  });
  return { names, codes };
}

// Of trees how far the word is from its head in gold, of coreference how far the mention is from the one before it.
function distancesOf({ set, k }, each) {
  if (set.heads) {
    const names = [...rangesOf(HEAD_DISTANCES), "root", "outside of the sentence"];
    const codes = each((row) => {
      const head = set.heads[row * (k + 1)];
      return head < 0 ? HEAD_DISTANCES.length - 1 - head : rangeOf(HEAD_DISTANCES, Math.abs(head - set.starts[row]));
    });
    return { title: "distance to head", names, codes };
  }
  if (!set.distances) return null;
  const names = [...rangesOf(CHAIN_DISTANCES).map((range, i) => (i ? `${range} sentence${i > 1 ? "s" : ""} before` : "in this sentence")), "none"];
  return { title: "previous mention", names, codes: each((row) => (set.distances[row] < 0 ? CHAIN_DISTANCES.length : rangeOf(CHAIN_DISTANCES, set.distances[row]))) };
}

function changesOf(step) {
  const { set, a, b, k } = step, codes = new Int32Array(set.n).fill(-1);
  if (set.settled) {
    for (let row = 0; row < set.n; row++) {
      const [, before, after] = codesOf(step, row);
      if (before === after) continue;
      const others = step.joins.get(row), isSameType = others?.some((other) => isMoved(step, row, other));
      if (before && after) codes[row] = 0;
      else if (others) codes[row] = isSameType ? 1 : 2;
      else codes[row] = 3;
    }
    return { names: SPAN_CHANGES, codes };
  }
  if (!set.sameHeads || !["las", "clas"].includes(set.criterion)) return null;
  for (let row = 0; row < set.n; row++) {
    const isHead = set.sameHeads[row * k + a] !== set.sameHeads[row * k + b], isLabel = set.answers[row * k + a] !== set.answers[row * k + b];
    if (isHead || isLabel) codes[row] = isHead && isLabel ? 2 : isHead ? 0 : 1;
  }
  return { names: TREE_CHANGES, codes };
}

// Whether one system's entity is the other's with other boundaries: of the same type, and touching it.
function isMoved(step, row, other) {
  const { set } = step, [mine, theirs] = [row, other].map((one) => codesOf(step, one));
  const isSameType = (mine[1] && mine[1] === theirs[2]) || (mine[2] && mine[2] === theirs[1]);
  return isSameType && overlap(spanOf(set, row, 0, 0), spanOf(set, other, 0, 0));
}

// Rows that the filters leave, in file order; of each facet how many there are of each value if it alone were chosen otherwise,
// and how many without it.
function matching(store, step, facets, filter) {
  const { set } = step, query = filter.query.trim().toLowerCase(), contexts = query ? contextsWith(store, query) : null;
  const chosen = facets.map((facet) => (facet.key in filter ? facet.names.indexOf(filter[facet.key]) : -1));
  const isChosen = facets.map((facet) => facet.key in filter), codes = facets.map((facet) => facet.codes);
  const counts = facets.map((facet) => new Int32Array(facet.names.length)), without = new Int32Array(facets.length + 1);
  const rows = [];
  for (let row = 0; row < set.n; row++) {
    let failed = -1, fails = 0;
    if (contexts && !contexts[set.contexts[row]]) { failed = facets.length; fails = 1; }
    for (let i = 0; i < facets.length && fails < 2; i++) {
      const code = codes[i][row];
      if (isChosen[i] ? code === chosen[i] : i || (code >= 0 && code < 3)) continue;
      failed = i;
      fails++;
    }
    if (fails > 1 || codes[0][row] < 0) continue;
    if (fails) {
      if (failed || codes[0][row] < 3) without[failed]++;
      if (failed < facets.length && codes[failed][row] >= 0) counts[failed][codes[failed][row]]++;
      continue;
    }
    rows.push(row);
    for (let i = 0; i < facets.length; i++) if (codes[i][row] >= 0) counts[i][codes[i][row]]++;
  }
  return { rows, counts, without };
}

// What went the other way: the systems exchanged, so that a correction becomes a new error. None without both answers.
function mirrorOf(filter) {
  if (!("from" in filter && "to" in filter)) return null;
  const swapped = { [PLURALS[1]]: PLURALS[2], [PLURALS[2]]: PLURALS[1] };
  const mirror = { ...filter, from: filter.to, to: filter.from };
  if (CLASS in filter) mirror[CLASS] = swapped[filter[CLASS]] ?? filter[CLASS];
  return Object.keys(mirror).every((key) => mirror[key] === filter[key]) ? null : mirror;
}
