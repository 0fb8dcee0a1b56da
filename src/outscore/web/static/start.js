// The start: files in, what each is, and the way to the view that suits them.

import { addressOf, readAddress, writeAddress } from "./address.js";
import { askJson, upload } from "./api.js";
import { button, byId, counted, make, problem, say } from "./dom.js";
import { card, takeFiles } from "./files.js";
import { assign, isLog, isSettings, missing, proposals, taskOf } from "./parts.js";

// Of many files most cards are folded away, so that the way on is in sight.
const UNFOLDED = 6;
// As many names are said aloud.
const SPOKEN = 3;
// Views that one system is enough for.
const ALONE = ["score", "show"];
const state = { files: [], columns: [], settings: {}, open: false, reading: 0 };

// The pages say how each view is called.
const nameOf = (view) => byId("ways").dataset[view];

function begin() {
  takeFiles(byId("choose"), byId("zone"), add);
  byId("paste").addEventListener("submit", paste);
  attempt(async () => byId("examples").replaceChildren(...grouped(await askJson("GET", "/api/examples"))));
  // Files may be dropped before the fields are known, and are in the address then: it is read as it was when the page came.
  const query = location.search;
  attempt(async () => {
    const fields = await askJson("GET", "/api/options/compare");
    state.columns = fields.filter((field) => field.type === "column");
    const given = readAddress([...state.columns, ...fields.filter((field) => field.type === "file")], query);
    const look = (id) => askJson("GET", `/api/files/${id}`).catch(() => null);
    const files = await Promise.all((given.files.files ?? []).map(look));
    state.files.unshift(...files.filter(Boolean));
    for (const [part, column] of Object.entries(given.settings)) state.settings[part] = [column].flat()[0];
    draw();
  });
}

async function attempt(action) {
  byId("problems").replaceChildren();
  try {
    await action();
  } catch (error) {
    refuse(error);
  }
}

const refuse = (error) => byId("problems").replaceChildren(problem(error));

// Until all files are there no way on is offered: it would lead to an answer from a part of them.
function add(chosen) {
  return attempt(async () => {
    const reading = make("p", { class: "reading", role: "status" });
    state.reading += 1;
    byId("zone").setAttribute("aria-busy", "true");
    byId("zone").append(reading);
    draw();
    try {
      const files = await upload(await chosen, (text) => { reading.textContent = text; });
      state.reading -= 1;
      arrived(files);
    } catch (error) {
      state.reading -= 1;
      draw();
      throw error;
    } finally {
      reading.remove();
      if (!state.reading) byId("zone").removeAttribute("aria-busy");
    }
  });
}

function paste(event) {
  event.preventDefault();
  const form = event.target;
  attempt(async () => {
    const name = form.elements.name.value.trim() || `pasted-${state.files.length + 1}.txt`;
    arrived([await askJson("POST", "/api/text", { name, text: form.elements.text.value })]);
    form.reset();
  });
}

function arrived(files) {
  state.files.push(...files);
  draw();
  const ways = proposals(state.files);
  const next = ways.length ? ` Next: ${nameOf(ways[0].view)}.` : "";
  const found = files.find((file) => file.problem)?.problem ?? `read.${next}`;
  say(`${files.length > SPOKEN ? counted(files.length, "file") : files.map((file) => file.name).join(", ")}: ${found}`);
  byId("next").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function remove(file) {
  state.files = state.files.filter((other) => other !== file);
  askJson("DELETE", `/api/files/${file.id}`).catch(() => null);
  draw();
}

function choosePart(part, column) {
  for (const [name, chosen] of Object.entries(state.settings)) {
    if (chosen === column) delete state.settings[name];
  }
  if (part) state.settings[part] = column;
  draw();
}

function draw() {
  const shown = { columns: state.columns, chosen: state.settings, choose: choosePart, remove };
  const cardsOf = (files) => files.map((file) => card(file, shown));
  // What is wrong with a file has to be seen.
  const own = state.files.filter((file) => !file.companion), cards = cardsOf(own);
  const folded = cards.filter((_, i) => i >= UNFOLDED && !own[i].problem);
  const companions = cardsOf(state.files.filter((file) => file.companion));
  byId("files").replaceChildren(...cards.filter((one) => !folded.includes(one)),
    ...(folded.length ? [more(counted(folded.length, "more file"), folded)] : []),
    ...(companions.length ? [more(`${counted(companions.length, "file")} beside the logs`, companions)] : []));
  byId("next").hidden = state.reading > 0 || state.files.every((file) => file.problem);
  writeAddress({ files: state.files.map((file) => file.id) }, state.settings);
  const ways = proposals(state.files);
  const offers = ways.map(({ view, files, why }, i) => {
    const follow = () => attempt(() => go(view, files, state.settings));
    const named = button(nameOf(view), follow, i ? "quiet-button" : "main-button");
    return make("li", {}, named, make("span", { class: "note" }, why));
  });
  // One system can be looked at; for a comparison something is missing.
  const lacking = ways.every(({ view }) => ALONE.includes(view)) ? missing(state.files) : "";
  byId("ways").replaceChildren(...offers, ...(lacking ? [make("li", { class: "note" }, lacking)] : []));
}

function more(title, cards) {
  const toggle = (event) => { state.open = event.target.open; };
  return make("details", { class: "more-files", open: state.open, toggle }, make("summary", {}, title), ...cards);
}

async function go(view, files, settings) {
  const fields = await askJson("GET", `/api/options/${view}`);
  const known = new Set(fields.filter((field) => field.type !== "file").map((field) => field.name));
  const brought = state.files.find((file) => isSettings(file) && !file.problem);
  const taken = brought ? (await askJson("POST", `/api/settings/${view}`, { file: brought.id })).settings : {};
  const own = { ...taken, ...Object.fromEntries(Object.entries(settings).filter(([name]) => known.has(name))) };
  if (view === "diff" && !own.task) own.task = taskOf(files);
  const parts = assign(view, fields, files);
  // Of more files than a view takes, the first are proposed.
  for (const { name, most } of fields) if (most && !files.some(isLog)) parts[name]?.splice(most);
  location.assign(addressOf(`/${view}`, parts, own));
}

// Examples by what one has in hand, large groups first; small ones stand beside each other.
function grouped(examples) {
  const held = byId("examples").dataset, groups = [...Map.groupBy(examples, (one) => held[one.view])];
  const sizeOf = ([, own]) => Math.min(own.length, 4), isLarge = (group) => sizeOf(group) > 2;
  const sorted = [...groups.filter(isLarge), ...groups.filter((group) => !isLarge(group))];
  const titled = (name, own) => [make("h3", {}, name), make("ul", { class: "examples-list" }, ...own.map(example))];
  return sorted.map((group) =>
    make("section", { class: "examples-of", "aria-label": group[0], "data-size": sizeOf(group) }, ...titled(...group)));
}

function example(one) {
  const open = button("Try it", () => attempt(async () => {
    say(`Making the example ${one.title}.`);
    const { view, parts, settings } = await askJson("POST", `/api/examples/${one.name}`);
    location.assign(addressOf(`/${view}`, parts, settings));
  }));
  open.setAttribute("aria-label", `Try the example: ${one.title}`);
  return make("li", { class: "offer" },
    make("h4", {}, one.title),
    make("p", {}, one.about),
    make("details", {}, make("summary", {}, "How it was simulated"), make("p", { class: "note" }, one.parameters)),
    open);
}

begin();
