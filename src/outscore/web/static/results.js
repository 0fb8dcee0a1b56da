// What a person takes along: files to download, and the same as a command line and as a Python call.

import { ask, askJson } from "./api.js";
import { button, make, problem, say, told } from "./dom.js";

const FORMS = [
  ["html", "HTML", "the whole report, in one file"],
  ["json", "JSON", "every number, as the command line writes it"],
  ["md", "Markdown", "for a README or an issue"],
  ["tex", "LaTeX", "tables for a paper"],
  ["txt", "Text", "as the terminal shows it"],
  ["csv", "CSV", "the numbers as a table"],
];
// A browser may ask where to save a file, and reads it afterwards.
const KEPT = 60_000;
const PICTURES = ["svg", "png", "pdf", "csv"];

export function takeAway(job) {
  const address = `/api/results/${job.result}`;
  const link = (href, name, title) => make("li", {}, download(`${address}/${href}`, name, { title }));
  const forms = FORMS.map(([suffix, name, title]) => link(`download.${suffix}`, name, title));
  // Logs are listed, which takes no settings that anybody would repeat.
  const asked = document.body.dataset.command !== "show";
  const settings = asked && link("settings.yaml", "Settings (YAML)", "for --config, or for this page");
  const all = make("a", { href: "/results" }, "All results of this session");
  return [
    ...job.notes.map((note) => make("p", { class: "note" }, note)),
    make("div", { class: "row named" }, naming(job), keeping(job), all),
    make("ul", { class: "downloads", "aria-label": "Downloads" }, ...forms, settings),
    pictures(address),
    copied("The same on the command line", job.command_line),
    copied("The same in Python", job.python),
  ];
}

// A link to a file of the server, which wants the token with every request: links by themselves send none.
export const download = (href, text, more) => make("a", { href, download: "", ...more, click: save }, text);

async function save(event) {
  event.preventDefault();
  const link = event.currentTarget;
  link.parentElement.querySelector(":scope > .problem")?.remove();
  link.setAttribute("aria-busy", "true");
  try {
    const answer = await ask("GET", link.getAttribute("href"));
    const href = URL.createObjectURL(await answer.blob());
    make("a", { href, download: link.download || nameIn(answer.headers.get("content-disposition") ?? "") }).click();
    setTimeout(() => URL.revokeObjectURL(href), KEPT);
  } catch (error) {
    link.after(problem(error));
  } finally {
    link.removeAttribute("aria-busy");
  }
}

// The name that the server gives to a file.
function nameIn(disposition) {
  const [, coded, plain] = /filename\*=utf-8''([^;]+)|filename="([^"]*)"/i.exec(disposition) ?? [];
  return coded ? decodeURIComponent(coded) : plain ?? "";
}

// A field for the name of a result, which is also what its downloads are called.
export function naming(job) {
  const field = make("input", { type: "text", value: job.name, placeholder: "unnamed", maxlength: 120, autocomplete: "off" });
  const place = make("label", { class: "naming" }, make("span", {}, "Name "), field);
  field.addEventListener("change", () => change(job, { name: field.value }, place, () => {
    field.value = job.name;
    say(job.name ? `Named ${job.name}.` : "The name was removed.");
  }));
  return place;
}

// A tick that keeps a result beyond the hour.
export function keeping(job, then = () => null) {
  const box = make("input", { type: "checkbox", checked: job.kept });
  const place = make("label", { class: "keeping" }, box, " Keep beyond the hour");
  box.addEventListener("change", async () => {
    await change(job, { kept: box.checked }, place, () => {
      say(job.kept ? "Kept until the server stops." : "Removed an hour after its last use.");
      then();
    });
    box.checked = job.kept;
  });
  return place;
}

async function change(job, what, place, done) {
  place.querySelector(".problem")?.remove();
  try {
    const { name, kept } = await askJson("POST", `/api/results/${job.result}/about`, what);
    Object.assign(job, { name, kept });
    done();
  } catch (error) {
    const said = [error.message, error.hint].filter(Boolean).join(" ");
    place.append(make("span", { class: "problem", role: "alert" }, told(said)));
  }
}

// Pictures are drawn in three forms each, beside their numbers, so they are drawn when somebody wants them.
function pictures(address) {
  const place = make("div", { class: "scroll", role: "region", "aria-label": "Charts to download", tabindex: 0 });
  let drawn = false;
  // What failed is tried again when it is unfolded again.
  const fill = async () => {
    if (drawn || !details.open) return;
    drawn = true;
    place.replaceChildren(make("p", { class: "note" }, "Drawing …"));
    try {
      place.replaceChildren(listed(address, await askJson("GET", `${address}/charts`)));
    } catch (error) {
      place.replaceChildren(problem(error));
      drawn = false;
    }
  };
  const details = make("details", { toggle: fill }, make("summary", {}, "Charts to download"), place);
  return details;
}

function listed(address, charts) {
  if (!charts.length) return make("p", { class: "note" }, "This result has no charts.");
  const link = ({ name }, form) => {
    const href = `${address}/charts/${encodeURIComponent(name)}.${form}`;
    return download(href, form.toUpperCase(), { download: `${name}.${form}` });
  };
  const cells = (chart) => PICTURES.map((form) => make("td", {}, link(chart, form)));
  const named = (chart) => make("th", { class: "l", scope: "row" }, chart.title || chart.name);
  const row = (chart) => make("tr", {}, named(chart), ...cells(chart));
  return make("table", { "aria-label": "Charts to download" }, make("tbody", {}, ...charts.map(row)));
}

function copied(title, text) {
  const shown = make("pre", { class: "paste mono" }, text);
  const copy = button("Copy", async () => {
    // Without https only this machine may use the clipboard, and a person may forbid it: then the text is selected instead.
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown);
      copy.textContent = "Press Ctrl+C";
    }
    say(`${title}: ${copy.textContent.toLowerCase()}.`);
    setTimeout(() => { copy.textContent = "Copy"; }, 2000);
  });
  return make("div", { class: "copied" }, make("div", { class: "copied-top" }, make("h3", {}, title), copy), shown);
}
