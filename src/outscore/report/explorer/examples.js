// The list of examples: a page of them, each in its context with the answers of gold and both systems.

function turnTo(page) {
  const last = Math.max(0, Math.ceil(examples.length / PAGE) - 1);
  state.page = Math.max(0, Math.min(page, last));
  const start = state.page * PAGE, list = byId("list");
  list.setAttribute("start", start + 1);
  list.replaceChildren(...examples.slice(start, start + PAGE).map(drawExample));
  const go = (text, to, off) => make("button", { type: "button", class: "quiet", disabled: off, click: () => { turnTo(to); state.item = null; remember(false); byId("examples").focus({ preventScroll: true }); byId("found").scrollIntoView({ block: "nearest" }); } }, text);
  byId("pages").replaceChildren(...(last ? [go("\u2190 Previous", state.page - 1, !state.page), make("span", {}, `${number(start + 1)}\u2013${number(Math.min(start + PAGE, examples.length))} of ${number(examples.length)}`), go("Next \u2192", state.page + 1, state.page === last)] : []));
}

function drawExample(row) {
  const { set, a, b, k, outcome } = step, pair = pairs[state.pair];
  const context = set.contexts[row], words = wordsOf(store, context);
  // What gold says about the unit, and then both systems.
  const answers = ["gold", ...pair.systems].map((name, layer) => {
    const column = layer && [a, b][layer - 1], place = row * (k + 1) + (layer && column + 1);
    return {
      name, layer, label: set.labels[layer ? set.answers[row * k + column] : set.gold[row]], right: layer ? Boolean(set.correct[row * k + column]) : null,
      head: set.heads ? set.heads[place] : null, remark: set.remarks ? set.remarkNames[set.remarks[place]] : "",
      chain: set.chains ? [0, 1].map((side) => set.chainNames[set.chains[2 * place + side]]) : null,
    };
  });
  const whole = step.joins.get(row);
  if (whole) return drawJoined(whole, words);
  const body = drawBody(words, row, answers.map((answer) => answer.head));
  return frameOf([row], outcome[row], null, context,
    body, store.heads && set.heads ? treeOf(words, store, step, context, pair.systems, set.starts[row], row === state.item) : null, documentOf(row, context), make("dl", { class: "answers" }, ...answers.map((answer) => drawAnswer(answer, answers[0], words))));
}

// An example with its class, and its name as a link to it.
function frameOf(own, outcome, kind, context, ...content) {
  const isOpen = own.includes(state.item);
  return make("li", { class: isOpen ? "example linked" : "example", tabindex: isOpen ? -1 : null },
    make("p", { class: "where" }, make("span", { class: `badge k${outcome}` }, OUTCOMES[outcome]), kind && make("span", { class: "badge" }, kind), " ",
      make("a", { class: "to-item", href: addressOf({ ...state, item: own[0] }), title: "Link to this example" }, store.ids[context])),
    ...content);
}

function drawBody(words, row, heads) {
  if (store.columns.length) return drawTexts(words);
  if (step.set.settled) return drawEntities(words, store, step, step.set.contexts[row], [row], pairs[state.pair].systems);
  return drawSentence(words, row, heads);
}

// An entity whose boundaries moved: old against new instead of two answers that have nothing to do with each other.
function drawJoined(whole, words) {
  const { systems } = pairs[state.pair], context = step.set.contexts[whole[0]], { outcome, kind } = joinedChange(step, whole);
  return frameOf(whole, outcome, kind, context,
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
  // Of coreference, a mention that has no word stands before one or at the end.
  const isZero = set.chains && words.length && end === start;
  const [low, high] = windowOf(words, start, end);
  const line = make("p", { class: "sentence", dir: "auto" }, low ? "\u2026 " : "");
  for (let i = low; i < high; i++) {
    if (i === start && isZero) line.append(make("mark", {}, ZERO), " ");
    if (i === start && end > start) { line.append(make("mark", {}, words.slice(start, end).join(" ")), " "); i = end - 1; continue; }
    const tags = LAYERS.filter((_, j) => heads[j] === i);
    line.append(tags.length ? make("span", { class: "head" }, words[i], make("sup", {}, tags.join(" "))) : words[i], " ");
  }
  if (isZero && start === words.length) line.append(make("mark", {}, ZERO));
  if (high < words.length) line.append("\u2026");
  return line;
}

function drawTexts(texts) {
  return make("dl", { class: "texts" }, ...texts.map((text, i) => make("div", {}, make("dt", {}, store.columns[i]), make("dd", { dir: "auto" }, text))));
}

function drawAnswer({ name, layer, label, head, right, remark, chain }, gold, words) {
  const tag = head === null && !step.set.settled ? "" : `${LAYERS[layer]} `;
  const sign = right === null ? "" : right ? " \u2713" : " \u2717";
  const verdict = right === null ? null : make("span", { class: "unseen" }, right ? "right" : "wrong");
  const parts = [];
  if (head !== null) {
    const where = head === -1 ? "root" : head === -2 ? "a word outside this sentence" : words[head];
    parts.push(head === -1 ? " at the " : " of ", make("span", { class: head === gold.head ? "" : "off", dir: "auto" }, where));
  }
  if (remark) parts.push(" \u2190 ", make("span", { dir: "auto" }, remark));
  return make("div", { class: right === null ? "" : right ? "right" : "wrong" }, make("dt", {}, `${tag}${name}`), make("dd", {}, ...differing(label, gold.label), ...parts, sign, verdict, chain && drawChain(chain)));
}

// What stands before and after a mention in its chain, one under the other as in the text.
function drawChain([before, after]) {
  if (!before) return make("small", { class: "chain" }, "in no chain");
  const line = (sign, text) => make("span", {}, make("span", { "aria-hidden": "true" }, sign), make("span", { dir: "auto" }, text));
  return make("small", { class: "chain" }, after ? line("\u2191", before) : before, after ? line("\u2193", after) : null);
}

// An answer with the parts that gold lacks marked: features, words of a longer answer, or the whole label.
function differing(label, gold) {
  if (label === gold) return [make("span", {}, label)];
  const known = new Set(gold.split(/\||\s+/));
  const pieces = label.split(/(\||\s+)/);
  if (pieces.length < 2) return [make("span", { class: "off" }, label)];
  return pieces.map((piece, i) => (i % 2 || known.has(piece) ? piece : make("span", { class: "off" }, piece)));
}
