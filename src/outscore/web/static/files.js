// Files: uploading by hand, by dropping and by pasting, and a card that shows what each is.

import { upload } from "./api.js";
import { button, make, number, size } from "./dom.js";
import { drop } from "./forms.js";

const SHOWN = 5;

// Files that are dropped anywhere on the page, or chosen in `input`, arrive at `taken`.
export function takeFiles(input, zone, taken) {
  const send = (files) => { if (files.length) taken([...files]); };
  input.addEventListener("change", () => { send(input.files); input.value = ""; });
  addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.classList.remove("over"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    send(event.dataTransfer.files);
  });
}

export const sendFiles = upload;

// What was found out about a file. `columns` are the parts that may be chosen, `choose` is told (part, column name).
export function card(file, { columns = [], chosen = {}, choose = null, remove = null } = {}) {
  const facts = [file.format, file.rows === null ? null : `${number(file.rows)} rows`, size(file.size)].filter(Boolean).join(", ");
  return make("article", { class: `card${file.problem ? " bad" : ""}`, "aria-label": file.name },
    make("div", { class: "card-top" }, make("h3", {}, file.name), make("span", { class: "note" }, facts), remove && button("Remove", () => remove(file))),
    file.problem && make("p", { class: "problem" }, make("strong", {}, file.problem)),
    file.systems.length > 1 && make("p", { class: "note" }, `Systems: ${listed(file.systems)}`),
    file.head.length > 0 && preview(file, columns, chosen, choose));
}

function listed(names) {
  return names.length > 8 ? `${names.slice(0, 8).join(", ")} and ${names.length - 8} more` : names.join(", ");
}

function preview(file, columns, chosen, choose) {
  const tabular = ["csv", "tsv", "jsonl", "parquet"].some((form) => file.format?.startsWith(form)) && choose;
  const heads = file.columns.map((column) => make("th", { scope: "col" }, make("span", {}, column.name),
    tabular ? part(column, columns, chosen, choose) : column.part && make("small", {}, column.part)));
  const rows = file.head.slice(0, SHOWN).map((row) => make("tr", {}, ...row.map((cell) => make("td", { dir: "auto" }, cell))));
  return make("div", { class: "scroll", role: "region", "aria-label": `First rows of ${file.name}`, tabindex: 0 },
    make("table", { class: "preview" }, heads.length ? make("thead", {}, make("tr", {}, ...heads)) : null, make("tbody", {}, ...rows)));
}

// The part of one column; a wide table's columns of scores are its systems.
function part(column, columns, chosen, choose) {
  const own = Object.entries(chosen).find(([, name]) => [name].flat().includes(column.name))?.[0];
  const found = column.part === "system" ? "system-column" : column.part;
  const recognised = columns.some((field) => field.name === found) ? "" : column.part === "scores" ? "scores of a system" : "no part";
  const options = [["", recognised || columns.find((field) => field.name === found).label.toLowerCase()], ...columns.map((field) => [field.name, field.label.toLowerCase()])];
  return drop({ "aria-label": `Part of column ${column.name}` }, options.filter(([name], i) => i === 0 || name !== found), own, (event) => choose(event.target.value, column.name));
}
