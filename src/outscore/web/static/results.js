// What a person takes along: files to download, and the same as a command line and as a Python call.

import { askJson } from "./api.js";
import { button, make, problem, say } from "./dom.js";

const FORMS = [
  ["html", "HTML", "the whole report, in one file"],
  ["json", "JSON", "every number, as the command line writes it"],
  ["md", "Markdown", "for a README or an issue"],
  ["tex", "LaTeX", "tables for a paper"],
  ["txt", "Text", "as the terminal shows it"],
  ["csv", "CSV", "the numbers as a table"],
];
const PICTURES = ["svg", "png", "pdf", "csv"];

export function takeAway(job) {
  const address = `/api/results/${job.result}`;
  const link = ([suffix, name, title]) => make("a", { href: `${address}/download.${suffix}`, download: "", title }, name);
  return [
    ...job.notes.map((note) => make("p", { class: "note" }, note)),
    make("ul", { class: "downloads", "aria-label": "Downloads" }, ...FORMS.map((form) => make("li", {}, link(form)))),
    pictures(address),
    copied("The same on the command line", job.command_line),
    copied("The same in Python", job.python),
  ];
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
    return make("a", { href, download: `${name}.${form}` }, form.toUpperCase());
  };
  const cells = (chart) => PICTURES.map((form) => make("td", {}, link(chart, form)));
  const row = (chart) => make("tr", {}, make("td", { class: "l" }, chart.title || chart.name), ...cells(chart));
  return make("table", {}, make("tbody", {}, ...charts.map(row)));
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
