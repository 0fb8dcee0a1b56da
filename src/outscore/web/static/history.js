// The results of this session: named, kept, opened again, exported and imported.

import { addressOf } from "./address.js";
import { askJson, upload } from "./api.js";
import { button, byId, counted, make, problem, say, size } from "./dom.js";
import { forgetResult, rememberResult, seenResults } from "./memory.js";
import { download, keeping, naming } from "./results.js";

const AT_ONCE = 20;

async function begin() {
  byId("import").addEventListener("change", async ({ target }) => {
    const files = [...target.files];
    target.value = "";
    await attempt(() => take(files));
  });
  await attempt(draw);
}

async function attempt(action) {
  byId("problems").replaceChildren();
  try {
    await action();
  } catch (error) {
    byId("problems").replaceChildren(problem(error));
  }
}

async function draw() {
  const ids = seenResults(), found = [];
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    found.push(...await Promise.all(ids.slice(i, i + AT_ONCE).map(describe)));
  }
  const there = found.filter(Boolean).sort((one, other) => other.kept - one.kept);
  byId("none").hidden = there.length > 0;
  byId("listed").hidden = !there.length;
  byId("rows").replaceChildren(...there.map(row));
}

// What is gone is gone from the list.
async function describe(id) {
  try {
    return await askJson("GET", `/api/results/${id}/about`);
  } catch (error) {
    if (error.status !== 404) throw error;
    forgetResult(id);
    return null;
  }
}

// With its files a result opens in its view, where settings can be changed; without them it is shown as it is.
function addressOfResult(about) {
  if (about.command === "report" || !about.available) return addressOf("/report", {}, { result: about.id });
  return addressOf(`/${about.command}`, about.files, about.settings);
}

function row(about) {
  const result = { ...about, result: about.id };
  const made = new Date(about.made * 1000);
  const when = made.toLocaleString("en-GB", { dateStyle: "short", timeStyle: "short" });
  const label = about.name || about.headline || about.systems.join(", ");
  const remove = button("Remove", () => attempt(async () => {
    await askJson("DELETE", `/api/results/${about.id}`);
    forgetResult(about.id);
    say(`${label}: removed.`);
    await draw();
  }));
  remove.setAttribute("aria-label", `Remove ${label}`);
  const link = (href, text, what) => download(href, text, { "aria-label": `${what} of ${label}` });
  return make("tr", {},
    make("th", { scope: "row", class: "l" },
      make("a", { href: addressOfResult(about) }, about.headline ?? about.command),
      make("small", { class: "note" }, [commandOf(about.command), named(about.systems)].filter(Boolean).join(" · "))),
    make("td", { class: "l" }, naming(result)),
    make("td", { class: "l" }, keeping(result, () => draw())),
    make("td", { class: "l" }, make("time", { datetime: made.toISOString() }, when)),
    make("td", {}, size(about.size)),
    make("td", { class: "l doing" },
      link(`/api/results/${about.id}/download.json`, "Export", "Export"),
      about.command !== "show" && link(`/api/results/${about.id}/settings.yaml`, "Settings", "Settings"),
      remove));
}

// As many names as fit into a line.
const named = (systems) => (systems.length > 4 ? counted(systems.length, "system") : systems.join(", "));

const commandOf = (command) => byId("rows").dataset[command] ?? command;

// Exported results, each shown again under the name of its file.
async function take(files) {
  for (const file of await upload(files, say)) {
    if (!file.suits.includes("report")) {
      const reading = file.reading ? `, but ${file.reading}` : "";
      const found = file.problem ?? `\`${file.name}\` is not an exported result${reading}.`;
      const hint = "Choose a JSON file that this page or `outscore -o result.json` wrote.";
      throw Object.assign(new Error(found), { hint });
    }
    let job = await askJson("POST", "/api/jobs", { command: "report", files: { files: [file.id] }, settings: {} });
    while (["waiting", "running"].includes(job.state)) job = await askJson("GET", `/api/jobs/${job.id}?wait=5`);
    if (job.state !== "done") throw new Error(job.error ?? "The result could not be read.");
    rememberResult(job.id);
    say(`${file.name}: imported.`);
  }
  await draw();
}

begin();

