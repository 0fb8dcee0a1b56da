// Trees: gold's arcs above the words, and below them what the systems say instead.

const LETTER = 7.2, RELATION = 6.2, GAP = 14, STEP = 15, LINE = 16, LEAST = 26;
// The namespace of drawings, as the parser gives it.
const DRAWING = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(DRAWING, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Letters of East Asian writing are as wide as high.
const widthOf = (text) => [...text].reduce((sum, letter) => sum + (/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]/.test(letter) ? 1.9 : 1), 0) * LETTER;

// The arcs of a sentence: gold's of all words, and each system's where it has another head or label.
function arcsOf(store, step, context) {
  const { set, a, b, k } = step, first = store.offsets[context], last = store.offsets[context + 1];
  const gold = new Map();
  for (let i = first; i < last; i++) gold.set(i - first, { child: i - first, head: store.heads[i], label: store.relations ? store.relations.names[store.relations.codes[i]] : "", layer: 0, missed: false });
  const others = [];
  for (const row of rowsIn(store, set, context)) {
    const child = set.starts[row];
    const own = gold.get(child);
    own.label = set.labels[set.gold[row]];
    [a, b].forEach((column, i) => {
      if (set.correct[row * k + column]) return;
      own.missed = true;
      others.push({ child, head: set.heads[row * (k + 1) + column + 1], label: set.labels[set.answers[row * k + column]], layer: i + 1 });
    });
  }
  return { gold: [...gold.values()], others };
}

// Short arcs lie under long ones: the level of an arc is one more than that of any arc below it.
function levels(arcs) {
  const spans = arcs.map((arc) => ({ arc, low: Math.min(arc.child, Math.max(arc.head, 0)), high: Math.max(arc.child, arc.head) }))
    .filter(({ arc }) => arc.head >= 0).sort((x, y) => x.high - x.low - (y.high - y.low));
  spans.forEach((one, i) => {
    const under = spans.slice(0, i).filter((other) => other.low < one.high && other.high > one.low);
    one.arc.level = 1 + Math.max(0, ...under.map((other) => other.arc.level));
  });
  return Math.max(1, ...spans.map(({ arc }) => arc.level));
}

// Where words stand: beside each other, and far enough apart for the label of every arc between them.
function middlesOf(words, arcs) {
  const widths = words.map((word) => Math.max(LEAST, widthOf(word))), middles = [], ending = words.map(() => []);
  for (const { child, head, label } of arcs) {
    if (head >= 0) ending[Math.max(child, head)].push({ from: Math.min(child, head), room: label.length * RELATION + GAP });
  }
  words.forEach((_, i) => {
    const beside = i ? middles[i - 1] + (widths[i - 1] + widths[i]) / 2 + GAP : GAP + widths[0] / 2;
    middles.push(Math.max(beside, ...ending[i].map(({ from, room }) => middles[from] + room)));
  });
  return { middles, right: words.length ? middles.at(-1) + widths.at(-1) / 2 + GAP : GAP };
}

function drawTree(words, store, step, context, systems, at) {
  const { gold, others } = arcsOf(store, step, context);
  const above = (levels(gold) + 1) * STEP + LINE, below = others.length ? (levels(others) + 1) * STEP + LINE : 0;
  const { middles, right } = middlesOf(words, [...gold, ...others]);
  const base = above + LINE, parts = [];
  const place = (arc, down) => {
    // Beginning and end of arcs at one word lie beside each other.
    const x = middles[arc.child], edge = down ? base + 6 : base - LINE, sign = down ? 1 : -1;
    const kind = down ? `arc s${arc.layer}` : `arc${arc.missed ? " missed" : ""}`;
    // From the root, or from outside of the sentence, an arrow comes from beyond all arcs, with gold's or the system's label.
    if (arc.head < 0) {
      const far = down ? base + below - 12 : LINE;
      parts.push(draw("path", { class: kind, d: `M${x} ${far}V${edge + sign * 3}` }), point(x, edge, sign, kind));
      parts.push(draw("text", { class: `rel ${kind}`, x, y: far + (down ? 10 : -4) }, arc.head === -1 ? "root" : `${arc.label} (outside)`));
      return;
    }
    const from = middles[arc.head] + (arc.child > arc.head ? 5 : -5), to = x - (arc.child > arc.head ? 5 : -5);
    const top = edge + sign * arc.level * STEP;
    parts.push(draw("path", { class: kind, d: `M${from} ${edge}V${top}H${to}V${edge + sign * 3}` }), point(to, edge, sign, kind));
    if (arc.label) parts.push(draw("text", { class: `rel ${kind}`, x: (from + to) / 2, y: top + (down ? 10 : -2) }, arc.label));
  };
  gold.forEach((arc) => place(arc, false));
  others.forEach((arc) => place(arc, true));
  const texts = words.map((word, i) => draw("text", { class: i === at ? "word at" : "word", x: middles[i], y: base }, word));
  const height = base + below + (below ? 12 : 8);
  const told = others.map((arc) => `${systems[arc.layer - 1]}: ${words[arc.child]}, ${arc.label} of ${arc.head < 0 ? "the root or a word outside" : words[arc.head]}`);
  const label = told.length ? `What the systems say instead of gold. ${told.join(". ")}.` : "Both systems have the gold tree.";
  // Labels lie above all arcs.
  const labels = parts.filter((part) => part.localName === "text"), lines = parts.filter((part) => part.localName !== "text");
  return draw("svg", { role: "img", "aria-label": label, width: right, height, viewBox: `0 0 ${right} ${height}` }, ...lines, ...labels, ...texts);
}

function point(x, y, sign, kind) {
  return draw("path", { class: `${kind} tip`, d: `M${x - 3} ${y + sign * 5}H${x + 3}L${x} ${y}Z` });
}

// Drawn when it is unfolded: fifty trees at once would be slow.
function treeOf(words, store, step, context, systems, at, isOpen) {
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tree" });
  const folded = make("details", { class: "tree" }, make("summary", {}, "Tree"), box);
  const fill = () => {
    if (!folded.open || box.childElementCount) return;
    const key = (kind, text) => make("span", { class: `line ${kind}` }, text);
    box.append(drawTree(words, store, step, context, systems, at));
    // A long sentence opens on the word that this is about.
    const changed = box.querySelectorAll("text.word")[at];
    if (changed) box.scrollLeft = Number(changed.getAttribute("x")) - box.clientWidth / 2;
    folded.append(make("p", { class: "note" }, "Above gold, ", key("missed", "bold"), " where a system differs; below what it says instead: ", key("s1", `1 ${systems[0]}`), " ", key("s2", `2 ${systems[1]}`)));
  };
  // The event comes when it stands on the page, so that there is something to scroll.
  folded.addEventListener("toggle", fill);
  folded.open = isOpen;
  return folded;
}
