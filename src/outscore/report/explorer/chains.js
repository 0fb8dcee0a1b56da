// Coreference: the document of a mention, with every chain of gold or of a system in a colour and a number of its own.

// The mentions of a file in a document, by sentence: outer ones before those inside them. Chains are numbered as they appear.
function chainsOf(store, set, document, layer) {
  const { contexts, starts, lengths, chains } = set.mentions, layers = chains.length / contexts.length;
  const found = [...contexts.keys()].filter((i) => store.documents.codes[contexts[i]] === document && chains[i * layers + layer] >= 0)
    .map((i) => ({ context: contexts[i], start: starts[i], end: starts[i] + lengths[i], chain: chains[i * layers + layer] }))
    .sort((x, y) => x.context - y.context || x.start - y.start || y.end - x.end);
  const sizes = new Map(), numbers = new Map();
  for (const { chain } of found) sizes.set(chain, (sizes.get(chain) ?? 0) + 1);
  for (const { chain } of found) if (sizes.get(chain) > 1 && !numbers.has(chain)) numbers.set(chain, numbers.size + 1);
  return Map.groupBy(found.map((mention) => ({ ...mention, number: numbers.get(mention.chain) ?? 0 })), ({ context }) => context);
}

// The words of a sentence with mentions around them; one that begins in another and ends behind it is drawn as far as that one goes.
function drawMentions(words, mentions, isOwn) {
  const line = make("p", { class: "sentence", dir: "auto" }), open = [{ element: line, end: words.length }];
  let next = 0;
  for (let i = 0; i <= words.length; i++) {
    while (open.length > 1 && open.at(-1).end <= i) open.pop();
    if (i) open.at(-1).element.append(" ");
    for (; mentions[next]?.start === i; next++) {
      const { end, number: own, chain } = mentions[next], element = make("span", { class: `mention${own ? "" : " alone"}${isOwn(chain) ? " own" : ""}`, "--chain": own });
      if (own) element.append(make("sup", {}, `${own}`));
      open.at(-1).element.append(element);
      if (end === i) element.append(ZERO);
      else open.push({ element, end: Math.min(end, open.at(-1).end) });
    }
    if (i < words.length) open.at(-1).element.append(words[i]);
  }
  return line;
}

// The whole document of a unit, drawn when it is unfolded, as gold or one of the two systems has it.
function documentOf(row, context) {
  const { set, a, b } = step;
  if (!set.mentions || !store.documents || !wordsOf(store, context).length) return null;
  const document = store.documents.codes[context], sentences = [...store.documents.codes.keys()].filter((i) => store.documents.codes[i] === document);
  const names = ["gold", ...pairs[state.pair].systems], layers = [0, a + 1, b + 1];
  const box = make("div", { class: "scroll document", tabindex: "0", role: "region", "aria-label": "Document" });
  const show = (name) => {
    const mentions = chainsOf(store, set, document, layers[names.indexOf(name)]), isUnit = ({ start, end }) => start === set.starts[row] && end === start + set.lengths[row];
    const own = mentions.get(context)?.find(isUnit)?.chain;
    box.replaceChildren(...sentences.map((i) => drawMentions(wordsOf(store, i), mentions.get(i) ?? [], (chain) => chain === own)));
    const here = box.children[sentences.indexOf(context)];
    here.classList.add("linked");
    box.scrollTop = here.offsetTop - box.offsetTop - box.clientHeight / 3;
  };
  const folded = make("details", { class: "chains" }, make("summary", {}, "Chains in the document"));
  folded.addEventListener("toggle", () => {
    if (!folded.open || box.isConnected) return;
    folded.append(select("chains of", names.map((name) => [name, name]), "gold", show), box,
      make("p", { class: "note" }, "A colour and a number for each chain; filled: the chain of this mention; dotted: a mention alone."));
    show("gold");
  });
  folded.open = row === state.item;
  return folded;
}
