// A view: files and the parts they play, settings, one job, and its result. The guided comparison and the plan build on it.

import { readAddress, writeAddress } from "./address.js";
import { askJson } from "./api.js";
import { button, byId, make, problem, say } from "./dom.js";
import { card, sendFiles, takeFiles } from "./files.js";
import { Form, drop } from "./forms.js";
import { Worker } from "./jobs.js";
import { assign, taskOf } from "./parts.js";
import { dress, fetchReport, startExplorer, unfolding } from "./reports.js";
import { takeAway } from "./results.js";

export class View {
  constructor() {
    this.command = document.body.dataset.command;
    this.worker = new Worker(byId("work"));
    this.infos = new Map();
    this.round = 0;
  }

  async begin() {
    try {
      this.fields = await askJson("GET", `/api/options/${this.command}`);
      const { files, settings } = readAddress(this.fields);
      await this.look(Object.values(files).flat());
      this.files = Object.fromEntries(Object.entries(files).map(([part, ids]) => [part, ids.filter((id) => this.infos.has(id))]));
      takeFiles(byId("choose"), byId("files"), (chosen) => this.add(chosen));
      byId("work").addEventListener("again", () => this.compute(true));
      this.draw(settings);
      await this.compute();
    } catch (error) {
      byId("work").replaceChildren(problem(error));
    }
  }

  async look(ids) {
    const gone = [];
    await Promise.all(ids.map(async (id) => {
      try {
        this.infos.set(id, await askJson("GET", `/api/files/${id}`));
      } catch (error) {
        if (error.status !== 404) throw error;
        gone.push(id);
      }
    }));
    if (gone.length) byId("gone").hidden = false;
  }

  draw(settings) {
    this.drawFiles();
    this.drawForms(settings);
  }

  get known() {
    const infos = [...this.infos.values()];
    const names = (list) => [...new Set(list)];
    return { columns: names(infos.flatMap((file) => file.columns.map((column) => column.name))), systems: names(infos.flatMap((file) => file.systems)) };
  }

  // A comparison is of two systems: of a table with more, the first two are proposed.
  withTwo(settings) {
    const { system, ...columns } = settings;
    if (this.command !== "compare" || system || this.files.files?.length !== 1) return settings;
    const systems = this.known.systems.filter((name) => !Object.values(columns).flat().includes(name));
    return this.known.systems.length > 2 ? { ...settings, system: systems.slice(0, 2) } : settings;
  }

  drawForms(given) {
    const settings = this.withTwo(given);
    this.form = new Form(this.fields, { settings, known: this.known, changed: () => this.compute(), twoSystems: this.command !== "rank" });
    const forms = [...document.querySelectorAll("form[data-groups]")];
    const named = new Set(forms.flatMap((form) => words(form.dataset.names)));
    for (const form of forms) {
      const groups = words(form.dataset.groups), own = words(form.dataset.names);
      const mine = this.fields.filter((field) => own.includes(field.name) || (groups.includes(field.group) && !named.has(field.name)));
      form.replaceChildren();
      this.form.place(form, mine.map((field) => field.name), words(form.dataset.first));
    }
  }

  drawFiles() {
    const parts = this.fields.filter((field) => field.type === "file");
    const rows = parts.flatMap((field) => (this.files[field.name] ?? []).map((id, i) => this.fileRow(field, id, i, parts)));
    const both = (this.files.files ?? []).length === 2 && ["compare", "texts"].includes(this.command);
    const names = [...this.infos.values()].map((file) => file.name);
    byId("file-names").textContent = names.length > 4 ? `${names.length} files` : names.join(", ");
    byId("file-list").replaceChildren(...rows);
    byId("swap").replaceChildren(...(both ? [button("Swap A and B", () => this.swap())] : []));
  }

  fileRow(field, id, i, parts) {
    const info = this.infos.get(id);
    const letters = field.name === "files" && ["compare", "texts"].includes(this.command) && this.files.files.length === 2;
    const part = parts.length > 1
      ? drop({ "aria-label": `Part of ${info.name}` }, parts.map((one) => [one.name, one.label]), field.name, (event) => this.move(id, field.name, event.target.value))
      : make("span", { class: "note" }, field.label);
    return make("li", {},
      make("div", { class: "file-row" }, letters && make("span", { class: `letter ${"ab"[i]}` }, "AB"[i]), make("strong", {}, info.name), part, button("Remove", () => this.move(id, field.name, null))),
      make("details", {}, make("summary", {}, "First rows"), card(info)));
  }

  swap() {
    this.files.files.reverse();
    this.drawFiles();
    this.compute();
  }

  move(id, from, to) {
    this.files[from] = this.files[from].filter((other) => other !== id);
    if (to) this.files[to] = [...(this.files[to] ?? []), id];
    else this.infos.delete(id);
    this.changedFiles();
  }

  async add(chosen) {
    try {
      const added = await sendFiles(chosen);
      for (const file of added) this.infos.set(file.id, file);
      const guess = assign(this.command, this.fields, added);
      for (const [part, ids] of Object.entries(guess)) this.files[part] = [...(this.files[part] ?? []), ...ids];
      this.changedFiles();
    } catch (error) {
      byId("work").replaceChildren(problem(error));
    }
  }

  // Columns and systems are those of the files, so the form is drawn anew and keeps what was chosen.
  changedFiles() {
    const settings = this.form.values();
    if (this.command === "diff" && !settings.task) settings.task = taskOf([...this.infos.values()]);
    byId("gone").hidden = true;
    this.draw(settings);
    this.compute();
  }

  get ready() {
    const parts = this.fields.filter((field) => field.type === "file");
    return parts.every((field) => (this.files[field.name] ?? []).length >= field.least);
  }

  get empty() {
    return Object.values(this.files).every((ids) => !ids.length);
  }

  // The same question twice (a field was typed in, and then left) is asked once; `again` asks it anew.
  async compute(again = false) {
    const settings = this.form.values();
    const asked = JSON.stringify([this.files, settings]);
    if (asked === this.last && !again) return;
    this.last = asked;
    writeAddress(this.files, settings);
    byId("empty").hidden = !this.empty;
    if (this.empty && this.command !== "plan") byId("files").open = true;
    if (!this.ready) return;
    // The explorer listens to the whole page until it is left: another result gets a fresh page, at the same place.
    if (this.exploring) {
      location.reload();
      return;
    }
    // Reports overtake each other: only the one asked for last is shown.
    const mine = ++this.round;
    const isLast = () => mine === this.round;
    const job = await this.worker.run(this.command, this.files, settings);
    if (isLast()) this.fade(!job);
    if (!job || !isLast()) return;
    // Whatever goes wrong here goes wrong for the report, too, and is shown there.
    this.early(job, isLast).catch(() => null);
    try {
      const main = await this.worker.follow("Drawing pictures and tables", fetchReport(job.result));
      if (isLast()) await this.show(job, main);
    } catch (error) {
      if (isLast()) this.worker.refuse(error);
    }
  }

  // What stays on the page when a question was refused or cancelled is the answer to another one, and looks like it.
  fade(old) {
    document.body.classList.toggle("unanswered", old);
  }

  // What can be shown before the pictures are drawn.
  async early() {}

  async show(job, main) {
    await dress(main);
    foldArticles(main);
    // A plan, which a saved result may be, has no rows to make a table of.
    const table = main.querySelector("#places") !== null || main.querySelector("#grounds") === null;
    byId("result").replaceChildren(...main.childNodes);
    byId("take").replaceChildren(...takeAway(job, { table }));
    byId("taking").hidden = false;
    this.exploring = byId("data-pairs") !== null;
    if (this.exploring) startExplorer();
    this.announce();
  }

  announce() {
    const title = document.querySelector("#result h1, #answer h1")?.textContent ?? "";
    const why = document.querySelector("#result .why, #answer .why")?.textContent ?? "";
    say(`${title}. ${why}`);
    document.title = `${title} · outscore`;
  }
}

// Of several comparisons the table on top says most; the details of each unfold.
function foldArticles(main) {
  const articles = [...main.querySelectorAll(":scope > article")];
  if (articles.length < 2) return;
  main.querySelector(":scope > nav").remove();
  articles.forEach((article, i) => unfolding(article, i === 0));
}

export const words = (text) => (text ?? "").split(" ").filter(Boolean);
