// Which file plays which part: a first guess from names and contents, which a person can correct.

const REFERENCE = /(^|[^a-z])(ref|refs|reference|references|target|human)([^a-z]|$)/i;
const GOLD = /(^|[^a-z])(gold|key|keys|truth|answers|test)([^a-z]|$)/i;
const DOCUMENTS = /(^|[^a-z])(doc|docs|document|documents|docids?)([^a-z]|$)/i;
// Parts that files are named after, and the view that a file has to suit for its name to count.
const NAMED = { reference: [REFERENCE, "texts"], gold: [GOLD, "diff"], documents: [DOCUMENTS, "texts"] };

function isNamed(file, part, view) {
  const [name, suited] = NAMED[part] ?? [];
  if (file.whole && view === "diff") return part === "gold";
  // A table of scores is one whatever it is called, unless it is brought to where scores mean nothing.
  return name?.test(file.name) && file.suits.includes(suited) && (view === suited || !file.suits.includes("compare"));
}

// Logs say what they scored; several of them may be of one system.
export const isLog = (file) => file.scores.length > 0;

// Settings go where files go, and are none of them.
export const isSettings = (file) => file.format === "settings";

// Files by the part they play, beside those that have one already (`taken`: ids by part); each has one, whatever it is called.
export function assign(view, fields, files, taken = {}) {
  const slots = fields.filter((field) => field.type === "file");
  const rest = slots.find((field) => field.name === "files") ?? slots[0];
  const has = (field) => taken[field.name]?.length ?? 0;
  const lacks = (field) => Math.max(field.least - has(field), 0);
  const places = (field) => Math.max((field.most ?? field.least) - has(field), 0);
  const parts = {};
  // What belongs to a log goes where the log goes.
  let free = files.filter((file) => !file.companion);
  const take = (part, some) => {
    parts[part] = some.map((file) => file.id);
    free = free.filter((file) => !some.includes(file));
  };
  for (const field of slots.filter((one) => one !== rest)) {
    const room = (field.most ?? Infinity) - has(field);
    const guessed = free.filter((file) => isNamed(file, field.name, view)).slice(0, room);
    const wanted = lacks(field);
    if (guessed.length) take(field.name, guessed);
    // Where nothing is named so, the first will be it, unless all may be systems: two texts are not one and its reference.
    else if (wanted && free.length >= wanted + places(rest)) take(field.name, free.slice(0, wanted));
  }
  take(rest.name, free);
  return parts;
}

// What the files are good for, the likeliest first; each view with a sentence that says why.
export function proposals(files) {
  const usable = files.filter((file) => !file.problem && !isSettings(file));
  const suits = (view) => usable.filter((file) => file.suits.includes(view));
  const [scored, texts, outputs, battles, saved] = ["compare", "texts", "diff", "prefer", "report"].map(suits);
  // Tables beside logs are mostly other forms of them.
  const logs = scored.filter(isLog), scores = logs.length ? logs : scored;
  const apart = scored.filter((file) => !scores.includes(file)).map((file) => file.name);
  const without = apart.length ? ` Without ${apart.join(", ")}, which is not a log.` : "";
  const logged = new Set(logs.flatMap((file) => file.systems)).size;
  const systems = logged || (scores.length > 1 ? scores.length : scores[0]?.systems.length ?? 0);
  const found = [], offer = (view, own, why) => found.push({ view, files: own, why: own === scores ? why + without : why });
  if (saved.length) offer("report", saved.slice(0, 1), "A saved result, shown again.");
  if (battles.length) offer("prefer", battles, "Battles: win rates and strengths, with prompts as the sampling units.");
  if (systems > 2) offer("rank", scores, `${systems} systems: every pair is tested, and corrected for their number.`);
  // A ranking compares each pair on what both have.
  const gapped = systems ? [] : suits("rank").filter((file) => file.empty);
  const across = gapped.length > 1 ? gapped.length : gapped[0]?.systems.length ?? 0;
  const shared = `${across} systems; scores are missing, so each pair is compared on the items that both have.`;
  if (across > 1) offer("rank", gapped, shared);
  const pair = systems === 2 ? "Two systems scored on the same items." : "Two of the systems, in full detail.";
  if (systems >= 2 && (logged || scores.length <= 2)) offer("compare", scores, pair);
  if (logged) offer("show", logs, "Systems, tasks and scores of the logs, and what is missing.");
  if (texts.length > 3) offer("rank", texts, "Texts of several systems, ranked by a metric.");
  if (texts.length >= 3) offer("texts", texts, "Two texts and a reference, by several metrics.");
  const units = "Outputs unit by unit: what was fixed and what was broken.";
  // Logs hold the right answers themselves; those of one system alone have nothing to be compared with.
  const answered = outputs.filter(isLog), answering = new Set(answered.flatMap((file) => file.systems)).size;
  if (answering >= 2) offer("diff", answered, "Answers item by item: what was fixed and what was broken.");
  else if (!logged && outputs.length >= 2 && areAlike(outputs)) offer("diff", outputs, units);
  else if (outputs.length === 1 && outputs[0].whole) offer("diff", outputs, units);
  if (systems) offer("score", scores, "Each system on its own: how certain its score is, and what the items can detect.");
  if (systems === 2) offer("gate", scores, "Whether the second may replace the first: not worse by a margin.");
  if (systems >= 2 && !logged) offer("plan", scores.slice(0, 2), "Plan the next test set from the spread of these scores.");
  return found;
}

// Trees, tagged words, chains and labels cannot be compared with one another.
const areAlike = (outputs) => new Set(outputs.map((file) => file.task)).size === 1;

// What is missing, where nothing can be proposed.
export function missing(files) {
  const usable = files.filter((file) => !file.problem && !isSettings(file));
  if (!usable.length) return files.some(isSettings) ? "These are settings: add the files that they belong to." : "";
  const some = (view) => usable.some((file) => file.suits.includes(view));
  if (some("texts")) return "Texts need a reference and two systems: add the missing files.";
  const outputs = usable.filter((file) => file.suits.includes("diff"));
  if (outputs.length > 1 && !areAlike(outputs)) {
    const kinds = [...new Set(outputs.map((file) => `${file.name} (${file.format})`))];
    return `Outputs of different kinds cannot be compared: ${kinds.join(", ")}. Bring the right answers in the same format.`;
  }
  if (some("diff")) return "Outputs need the right answers: add the gold file, or another system.";
  if (!some("compare")) return "Nothing here can be compared: bring scores, labels, texts or tagged words.";
  return "These are the scores of one system: add the file of the other.";
}

// The task of a diff, which the server recognises from each file.
export const taskOf = (files) => files[0]?.task ?? null;
