// Files: uploading by hand, by dropping and by pasting, and a card that shows what each is.

import { button, counted, make, number, quoted, size, told } from "./dom.js";
import { drop } from "./forms.js";

const SHOWN = 5;
// A folder with more files than this is not one of runs.
const MOST = 500;

// Files that are dropped anywhere on the page, or chosen in `input`, arrive at `taken`, those of folders with their path.
// Reading a folder takes a moment, so what arrives is a promise of them.
export function takeFiles(input, zone, taken) {
  const send = (files) => { if (files.length) taken(Promise.resolve([...files])); };
  input.addEventListener("change", () => { send(input.files); input.value = ""; });
  // A folder can be chosen by hand, too; hidden files and folders in it are no runs.
  const folder = document.getElementById("choose-folder"), isHidden = ({ webkitRelativePath: path }) => /(^|\/)\./.test(path);
  folder?.addEventListener("change", () => {
    const found = [...folder.files].filter((file) => !isHidden(file));
    const name = folder.files[0]?.webkitRelativePath.split("/")[0] ?? "";
    for (const file of found) file.place = file.webkitRelativePath;
    folder.value = "";
    taken(Promise.resolve().then(() => sized(found, name)));
  });
  addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.classList.remove("over"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    // Entries are gone when the event is over, so they are taken at once.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const folders = entries.filter((entry) => entry.isDirectory);
    if (!folders.length) return send(event.dataTransfer.files);
    taken(Promise.all(entries.map(filesOf)).then((found) => sized(found.flat(), folders[0].name)));
  });
}

// The files of a folder and of those below it, without hidden ones.
async function filesOf(entry) {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    return [Object.assign(file, { place: entry.fullPath.replace(/^\//, "") })];
  }
  const reader = entry.createReader(), found = [];
  // A folder is read in parts, until one of them is empty.
  for (;;) {
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!some.length) break;
    found.push(...some);
  }
  found.sort((a, b) => (a.name < b.name ? -1 : 1));
  return (await Promise.all(found.map(filesOf))).flat();
}

function sized(files, folder) {
  if (!files.length) throw new Error(`${quoted(folder)} is an empty folder.`);
  if (files.length > MOST) {
    throw new Error(`${quoted(folder)} holds ${number(files.length)} files. Drop the folder of the runs.`);
  }
  return files;
}

// What was found out about a file, under its name as a heading or as another element. `columns` are the parts that may be
// chosen, `choose` is told (part, column name).
export function card(file, { columns = [], chosen = {}, choose = null, remove = null, heading = "h3" } = {}) {
  const rows = file.rows === null ? null : counted(file.rows, "row");
  const empty = file.empty && counted(file.empty, "empty cell");
  const facts = [file.format, rows, empty, size(file.size)].filter(Boolean).join(", ");
  return make("article", { class: `card${file.problem ? " bad" : ""}`, "aria-label": file.name },
    make("div", { class: "card-top" },
      make(heading, { class: "card-name" }, file.name),
      make("span", { class: "note" }, facts),
      remove && button("Remove", () => remove(file))),
    file.problem && make("p", { class: "problem" }, told(file.problem)),
    file.reading && make("p", { class: "note" }, told(`Data: ${file.reading}.`)),
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
    make("table", { class: "preview", "aria-label": `First rows of ${file.name}` },
      heads.length > 0 && make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...rows)));
}

// The part of one column; a wide table's columns of scores are its systems.
function part(column, columns, chosen, choose) {
  const own = Object.entries(chosen).find(([, name]) => [name].flat().includes(column.name))?.[0];
  const found = column.part === "system" ? "system-column" : column.part;
  const named = (field) => field.label.toLowerCase();
  const recognised = columns.find((field) => field.name === found);
  const none = column.part === "scores" ? "scores of a system" : "not used";
  const others = columns.filter((field) => field !== recognised).map((field) => [field.name, named(field)]);
  const options = [["", recognised ? named(recognised) : none], ...others];
  const change = (event) => choose(event.target.value, column.name);
  return drop({ "aria-label": `Part of column ${column.name}` }, options, own, change);
}
