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
const PICTURES = ["svg", "png", "pdf"];

export function takeAway(job, { table = true } = {}) {
  const address = `/api/results/${job.result}`;
  const links = FORMS.filter(([suffix]) => table || suffix !== "csv").map(([suffix, name, about]) => make("li", {}, make("a", { href: `${address}/download.${suffix}`, download: `outscore.${suffix}`, title: about }, name)));
  return [
    make("ul", { class: "downloads", "aria-label": "Downloads" }, ...links),
    pictures(address),
    copied("The same on the command line", job.command_line),
    copied("The same in Python", job.python),
  ];
}

// Pictures are drawn in three forms each, so they are drawn when somebody wants them.
function pictures(address) {
  const place = make("div", { class: "scroll", role: "region", "aria-label": "Pictures to download", tabindex: 0 });
  const fill = async () => {
    place.replaceChildren(make("p", { class: "note" }, "Drawing …"));
    try {
      place.replaceChildren(listed(address, await askJson("GET", `${address}/charts`)));
    } catch (error) {
      place.replaceChildren(problem(error));
    }
  };
  const details = make("details", {}, make("summary", {}, "Pictures to download"), place);
  details.addEventListener("toggle", fill, { once: true });
  return details;
}

function listed(address, charts) {
  const link = (chart, form) => make("a", { href: `${address}/charts/${encodeURIComponent(chart.name)}.${form}`, download: `${chart.name}.${form}` }, form.toUpperCase());
  const row = (chart) => make("tr", {}, make("td", { class: "l" }, chart.title || chart.name), ...PICTURES.map((form) => make("td", {}, link(chart, form))));
  return charts.length ? make("table", {}, make("tbody", {}, ...charts.map(row))) : make("p", { class: "note" }, "This result has none.");
}

function copied(title, text) {
  const shown = make("pre", { class: "paste mono" }, text);
  const copy = button("Copy", async () => {
    // Without https only this machine may use the clipboard; elsewhere the text is selected for the keyboard.
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else getSelection().selectAllChildren(shown);
    copy.textContent = navigator.clipboard ? "Copied" : "Press Ctrl+C";
    say(`${title}: ${copy.textContent.toLowerCase()}.`);
    setTimeout(() => { copy.textContent = "Copy"; }, 2000);
  });
  return make("div", { class: "copied" }, make("div", { class: "copied-top" }, make("h3", {}, title), copy), shown);
}
