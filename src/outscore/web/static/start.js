// The start: files in, what each is, and the way to the view that suits them.

import { addressOf } from "./address.js";
import { askJson } from "./api.js";
import { button, byId, make, problem, say } from "./dom.js";
import { card, sendFiles, takeFiles } from "./files.js";
import { assign, missing, proposals, taskOf } from "./parts.js";

const NAMES = { compare: "Compare two systems", texts: "Compare texts", rank: "Rank all systems", diff: "See what changed", plan: "Plan a test set", report: "Show the result" };
const state = { files: [], columns: [], settings: {} };

function begin() {
  takeFiles(byId("choose"), byId("zone"), add);
  byId("paste").addEventListener("submit", paste);
  attempt(async () => byId("examples").replaceChildren(...(await askJson("GET", "/api/examples")).map(example)));
  attempt(async () => {
    const given = new URLSearchParams(location.search).get("files")?.split(",").filter(Boolean) ?? [];
    state.columns = (await askJson("GET", "/api/options/compare")).filter((field) => field.type === "column");
    const files = await Promise.all(given.map((id) => askJson("GET", `/api/files/${id}`).catch(() => null)));
    state.files.unshift(...files.filter(Boolean));
    draw();
  });
}

async function attempt(action) {
  byId("problems").replaceChildren();
  try {
    await action();
  } catch (error) {
    byId("problems").replaceChildren(problem(error));
  }
}

function add(files) {
  return attempt(async () => {
    say(`Reading ${files.length === 1 ? files[0].name : `${files.length} files`}.`);
    byId("zone").setAttribute("aria-busy", "true");
    try {
      arrived(await sendFiles(files));
    } finally {
      byId("zone").removeAttribute("aria-busy");
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
  say(`${files.map((file) => file.name).join(", ")}: ${files.find((file) => file.problem)?.problem ?? (ways.length ? `read. Next: ${NAMES[ways[0].view]}.` : "read.")}`);
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
  byId("files").replaceChildren(...state.files.map((file) => card(file, shown)));
  byId("next").hidden = !state.files.length;
  history.replaceState(null, "", addressOf("/", { files: state.files.map((file) => file.id) }, {}));
  const ways = proposals(state.files);
  const offers = ways.map(({ view, files, why }, i) =>
    make("li", {}, button(NAMES[view], () => attempt(() => go(view, files, state.settings)), i ? "quiet-button" : "main-button"), make("span", { class: "note" }, why)));
  byId("ways").replaceChildren(...(offers.length ? offers : [make("li", { class: "note" }, missing(state.files))]));
}

async function go(view, files, settings) {
  const fields = await askJson("GET", `/api/options/${view}`);
  const known = new Set(fields.filter((field) => field.type !== "file").map((field) => field.name));
  const own = Object.fromEntries(Object.entries(settings).filter(([name]) => known.has(name)));
  if (view === "diff" && !own.task) own.task = taskOf(files);
  location.assign(addressOf(`/${view}`, assign(view, fields, files), own));
}

function example(one) {
  const open = button("Try it", () => attempt(async () => {
    say(`Making the example ${one.title}.`);
    const { view, parts, settings } = await askJson("POST", `/api/examples/${one.name}`);
    location.assign(addressOf(`/${view}`, parts, settings));
  }));
  open.setAttribute("aria-label", `Try the example: ${one.title}`);
  return make("li", { class: "offer" }, make("h3", {}, one.title), make("p", {}, one.about), make("details", {}, make("summary", {}, "How it was made"), make("p", { class: "note" }, one.parameters)), open);
}

begin();
