// Which file plays which part: a first guess from names and contents, which a person can correct.

const REFERENCE = /(^|[^a-z])(ref|refs|reference|references|target|human)([^a-z]|$)/i;
const GOLD = /(^|[^a-z])(gold|key|keys|truth|answers|test)([^a-z]|$)/i;
const DOCUMENTS = /(^|[^a-z])(doc|docs|document|documents|docids?)([^a-z]|$)/i;
const NAMED = { reference: REFERENCE, gold: GOLD, documents: DOCUMENTS };

// The files of a view by the part they play.
export function assign(view, fields, files) {
  const parts = {};
  const free = new Map(files.map((file) => [file.name, file.id]));
  const take = (part, names) => {
    parts[part] = names.map((name) => free.get(name));
    for (const name of names) free.delete(name);
  };
  for (const field of fields.filter((one) => one.type === "file" && one.name !== "files")) {
    const guessed = [...free.keys()].filter((name) => NAMED[field.name]?.test(name)).slice(0, field.most ?? undefined);
    if (guessed.length) take(field.name, guessed);
    else if (field.least && free.size > field.least) take(field.name, [...free.keys()].slice(0, field.least));
  }
  if (view === "plan") return { ...parts, pilot: files.map((file) => file.id) };
  return { ...parts, files: [...free.values()] };
}

// What the files are good for, the likeliest first; each view with a sentence that says why.
export function proposals(files) {
  const usable = files.filter((file) => !file.problem);
  const suits = (view) => usable.filter((file) => file.suits.includes(view));
  const [scores, texts, outputs, saved] = ["compare", "texts", "diff", "report"].map(suits);
  const systems = scores.length > 1 ? scores.length : scores[0]?.systems.length ?? 0;
  const found = [];
  if (saved.length) found.push({ view: "report", files: saved.slice(0, 1), why: "A saved result, shown again." });
  if (systems > 2) found.push({ view: "rank", files: scores, why: `${systems} systems: every pair is tested, and corrected for their number.` });
  if (systems >= 2 && scores.length <= 2) found.push({ view: "compare", files: scores, why: systems === 2 ? "Two systems scored on the same items." : "Two of the systems, in every detail." });
  if (texts.length > 3) found.push({ view: "rank", files: texts, why: "Texts of several systems, ranked by a metric." });
  if (texts.length >= 3) found.push({ view: "texts", files: texts.slice(0, 4), why: "Two texts and a reference, by several metrics." });
  if (outputs.length >= 2) found.push({ view: "diff", files: outputs, why: "Outputs unit by unit: what was corrected, what was broken." });
  if (systems >= 2) found.push({ view: "plan", files: scores.slice(0, 2), why: "The spread of these scores, to plan the next test set." });
  return found;
}

// What is missing, where nothing can be proposed.
export function missing(files) {
  const usable = files.filter((file) => !file.problem);
  if (!usable.length) return "";
  if (usable.some((file) => file.suits.includes("texts"))) return "Texts need a reference and two systems: add the files that are missing.";
  if (usable.some((file) => file.suits.includes("diff"))) return "Outputs need the right answers: add the gold file, or another system.";
  return "These are the scores of one system: add the file of the other.";
}

const BIO = /^([BIESLU]-\S+|O)$/;

// The task of a diff, from the format and from what the last column looks like.
export function taskOf(files) {
  const [first] = files;
  if (!first) return null;
  if (/2012|coref/.test(first.format)) return "coref";
  if (first.format === "labels" || first.suits.includes("compare")) return "label";
  if (first.head.length && first.head.every((row) => BIO.test(row.at(-1)))) return "ner";
  return "pos";
}
