// Entities: the whole sentence with what gold and both systems say, and a moved boundary as one change.

const LAYERS = ["G", "1", "2"];

const overlap = (one, other) => one.start < other.end && other.start < one.end;
const spanOf = (set, row, layer, code) => ({ start: set.starts[row], end: set.starts[row] + set.lengths[row], label: set.labels[code], layer, row });

// What gold, the first and the second system say about a unit; of entities 0 is none.
const codesOf = ({ set, a, b, k }, row) => [set.gold[row], set.answers[row * k + a], set.answers[row * k + b]];

// Rows that are one change: an entity of the first system that the second one has with other boundaries. Spans of one file do not overlap.
function joinsOf(store, step) {
  const joins = new Map();
  if (!step.set.settled) return joins;
  for (const context of new Set(step.set.contexts)) {
    const olds = [], news = [];
    for (const row of rowsIn(store, step.set, context)) {
      const [, before, after] = codesOf(step, row);
      if (before && !after) olds.push(spanOf(step.set, row, 1, before));
      if (after && !before) news.push(spanOf(step.set, row, 2, after));
    }
    for (const one of olds) for (const other of news) {
      if (!overlap(one, other)) continue;
      const joined = [...new Set([...(joins.get(one.row) ?? [one.row]), ...(joins.get(other.row) ?? [other.row])])].sort((x, y) => x - y);
      for (const row of joined) joins.set(row, joined);
    }
  }
  return joins;
}

// One change instead of two or more: right before, right after, and whether the type stayed the same.
function joinedChange(step, rows) {
  const { set, a, b, k } = step;
  const codes = rows.map((row) => codesOf(step, row));
  const isRight = (system, layer) => rows.every((row, i) => !codes[i][layer] || set.correct[row * k + system]);
  const before = isRight(a, 1), after = isRight(b, 2);
  const types = new Set(codes.flatMap(([, one, other]) => [one, other].filter(Boolean)));
  let outcome = 3;
  if (after && !before) outcome = 1;
  if (before && !after) outcome = 2;
  return { outcome, right: [before, after], kind: types.size > 1 ? "boundary and type" : "boundary" };
}

// The entities of a sentence: those that all three have alike, and the others of each.
function entitiesOf(store, step, context) {
  const { set } = step, alike = [], apart = [];
  for (const i of rowsIn(store, set.settled, context)) alike.push(spanOf({ ...set.settled, labels: set.labels }, i, 0, set.settled.types[i]));
  for (const row of rowsIn(store, set, context)) {
    const codes = codesOf(step, row);
    if (codes.every((code) => code === codes[0])) { if (codes[0]) alike.push(spanOf(set, row, 0, codes[0])); continue; }
    codes.forEach((code, layer) => { if (code) apart.push(spanOf(set, row, layer, code)); });
  }
  return { alike, apart };
}

// Entities that touch each other stand in one knot of words with a line for each file.
function knotsOf(apart) {
  const knots = [];
  for (const span of apart.toSorted((x, y) => x.start - y.start || y.end - x.end)) {
    const last = knots.at(-1);
    if (last && span.start < last.end) { last.end = Math.max(last.end, span.end); last.spans.push(span); }
    else knots.push({ start: span.start, end: span.end, spans: [span] });
  }
  return knots;
}

function drawEntities(words, store, step, context, rows, systems) {
  const { set } = step, { alike, apart } = entitiesOf(store, step, context), knots = knotsOf(apart);
  const start = Math.min(...rows.map((row) => set.starts[row])), end = Math.max(...rows.map((row) => set.starts[row] + set.lengths[row]));
  const isUnit = (i) => rows.some((row) => i >= set.starts[row] && i < set.starts[row] + set.lengths[row]);
  const [low, high] = windowOf(words, start, end);
  const line = make("p", { class: "sentence entities", dir: "auto" }, low ? "\u2026 " : "");
  for (let i = low; i < high; i++) {
    const knot = knots.find((one) => one.start === i), whole = alike.find((one) => one.start === i);
    if (knot) { line.append(drawKnot(words, knot, isUnit, systems), " "); i = knot.end - 1; }
    else if (whole) { line.append(make("span", { class: "alike", title: "gold and both systems" }, words.slice(i, whole.end).join(" "), make("small", {}, whole.label)), " "); i = whole.end - 1; }
    else line.append(words[i], " ");
  }
  if (high < words.length) line.append("\u2026");
  return line;
}

function drawKnot(words, knot, isUnit, systems) {
  const own = words.slice(knot.start, knot.end);
  const cells = own.map((word, i) => make(isUnit(knot.start + i) ? "mark" : "span", { "--from": i + 1, "--to": i + 2, "--line": 1 }, word, " "));
  const names = ["gold", ...systems], gold = knot.spans.filter((span) => span.layer === 0);
  const lanes = LAYERS.flatMap((tag, layer) => {
    const spans = knot.spans.filter((span) => span.layer === layer), place = { "--line": layer + 2 };
    if (!spans.length) return [make("span", { class: "lane none", "--from": 1, "--to": own.length + 1, ...place, title: `${names[layer]}: no entity` }, `${tag} none`)];
    return spans.map((span) => {
      const right = gold.some((one) => one.start === span.start && one.end === span.end && one.label === span.label);
      const sign = layer ? (right ? " \u2713" : " \u2717") : "";
      const title = `${names[layer]}: ${words.slice(span.start, span.end).join(" ")}, ${span.label}`;
      return make("span", { class: `lane s${layer}`, "--from": span.start - knot.start + 1, "--to": span.end - knot.start + 1, ...place, title }, `${tag} ${span.label}${sign} `);
    });
  });
  return make("span", { class: "knot" }, ...cells, ...lanes);
}

// Old against new: the entities of each file that a joined change is about.
function joinedAnswers(words, store, step, rows, systems) {
  const { apart } = entitiesOf(store, step, step.set.contexts[rows[0]]), { right } = joinedChange(step, rows);
  const own = apart.filter((span) => rows.includes(span.row));
  const near = apart.filter((span) => span.layer === 0 && own.some((one) => overlap(one, span)));
  return [near, own.filter((span) => span.layer === 1), own.filter((span) => span.layer === 2)].map((spans, layer) => {
    const told = spans.flatMap((span, i) => [i ? ", " : "", make("b", { dir: "auto" }, words.slice(span.start, span.end).join(" ")), ` ${span.label}`]);
    const good = layer ? right[layer - 1] : null;
    const kind = good === null ? "" : good ? "right" : "wrong";
    return make("div", { class: kind }, make("dt", {}, `${LAYERS[layer]} ${["gold", ...systems][layer]}`),
      make("dd", {}, ...(told.length ? told : ["no entity"]), good === null ? "" : good ? " \u2713" : " \u2717", kind ? make("span", { class: "unseen" }, kind) : null));
  });
}
