// A view: files and the parts they play, settings, one job, and its result. The guided comparison and the plan build on it.

import { addressOf, leftOut, readAddress, writeAddress } from "./address.js";
import { askJson, upload } from "./api.js";
import { button, byId, listed, make, problem, quoted, say, told } from "./dom.js";
import { card, takeFiles } from "./files.js";
import { Form, drop } from "./forms.js";
import { Runner } from "./jobs.js";
import { placeBefore, rememberResult } from "./memory.js";
import { assign, isLog, isSettings } from "./parts.js";
import { fetchReport, startExplorer, unfolding } from "./reports.js";
import { takeAway } from "./results.js";
import { enliven, unfold } from "./tables.js";
import { VerdictLine } from "./verdict.js";

// A job that failed has no status; a server that is gone, full or broken is no fault of the field that was changed last.
const ALONG = "along";
// What stands on an open page is in use: its files are asked for well before the hour is over.
const KEEPING = 10 * 60 * 1000;
const CAUSED_BY_SETTINGS = [undefined, 422];
const MOST_CURES = 8;
// Pages that have no use for files.
const WITHOUT_FILES = ["/methods", "/results"];

export class View {
  constructor() {
    this.command = document.body.dataset.command;
    this.worker = new Runner(byId("work"), (refusal, error) => this.decide(refusal, error));
    this.infos = new Map();
    this.round = 0;
    this.place = placeBefore();
    this.line = byId("verdict-line") && new VerdictLine(byId("verdict-line"), { floating: true });
    setInterval(() => this.keep(), KEEPING);
    // A link within a report may lead to what is folded away.
    document.addEventListener("click", ({ target }) => unfold(target.closest(".report a[href^='#']")?.hash.slice(1) ?? ""));
  }

  async begin() {
    this.fields = await askJson("GET", `/api/options/${this.command}`);
    const { files, settings } = readAddress(this.fields);
    this.files = files;
    const gone = await this.look();
    await this.takeAlong();
    takeFiles(byId("choose"), byId("files"), (chosen) => this.add(chosen));
    byId("work").addEventListener("again", () => this.compute(true));
    // The explorer says another verdict for another pair.
    byId("result")?.addEventListener("verdict", () => this.sumUpVerdict());
    this.draw(settings);
    addEventListener("popstate", () => this.goBack());
    this.drawTools();
    if (gone.length) warn("gone", ["Some files in this address are no longer available."]);
    else this.checkAddress();
    foldSettings();
    if (this.empty && this.needsFiles) await this.offerExamples();
    await this.compute();
  }

  // Who has no files here yet sees what the view does with some.
  async offerExamples() {
    const all = await askJson("GET", "/api/examples").catch(() => []), own = all.filter((one) => one.view === this.command);
    const follow = async ({ name }) => {
      const { view, parts, settings } = await askJson("POST", `/api/examples/${name}`);
      location.assign(addressOf(`/${view}`, parts, settings));
    };
    const offers = own.map((one) => make("li", {}, button(one.title, () => follow(one), "link-button"), ` ${one.about}`));
    if (!offers.length) return;
    byId("empty").append(make("p", {}, "Or try an example:"), make("ul", { class: "own-examples" }, ...offers));
  }

  // Finds out about all files; the ids of those that are gone, which play no part any more.
  async look() {
    const ids = Object.values(this.files).flat();
    const found = await Promise.all(ids.map((id) => askJson("GET", `/api/files/${id}`).catch((error) => {
      if (error.status !== 404) throw error;
      return null;
    })));
    ids.forEach((id, i) => (found[i] ? this.infos.set(id, found[i]) : this.infos.delete(id)));
    const gone = ids.filter((_, i) => !found[i]);
    for (const [part, own] of Object.entries(this.files)) this.files[part] = own.filter((id) => !gone.includes(id));
    return gone;
  }

  // Nothing that an open page shows may vanish from the server.
  keep() {
    const shown = this.job ? [`/api/jobs/${this.job.id}`] : [];
    for (const path of [...[...this.infos.keys()].map((id) => `/api/files/${id}`), ...shown]) {
      askJson("GET", path).catch(() => null);
    }
  }

  // Files that another view had come along in the address, and get the parts that suit them here.
  async takeAlong() {
    const ids = (new URLSearchParams(location.search).get(ALONG) ?? "").split(",").filter(Boolean);
    const found = await Promise.all(ids.map((id) => askJson("GET", `/api/files/${id}`).catch(() => null)));
    const there = found.filter(Boolean);
    for (const file of there) this.infos.set(file.id, file);
    for (const [part, own] of Object.entries(assign(this.command, this.fields, there, this.files))) {
      const before = this.files[part] ?? [], most = this.fields.find((field) => field.name === part)?.most ?? Infinity;
      // Several logs may be of one system, so they are not counted.
      const room = there.some(isLog) ? Infinity : Math.max(most - before.length, 0);
      this.files[part] = [...before, ...own.slice(0, room)];
    }
  }

  // The menu takes the files along, and to some views settings that mean the same there.
  guide() {
    const ids = Object.values(this.files).flat();
    for (const link of document.querySelectorAll(".masthead li a, .brand")) {
      const { pathname } = new URL(link.href);
      const bare = !ids.length || WITHOUT_FILES.includes(pathname) || pathname === location.pathname;
      const name = pathname === "/" ? "files" : ALONG;
      link.href = bare ? pathname : addressOf(pathname, { [name]: ids }, this.carried(pathname.slice(1)));
    }
  }

  carried(_view) {
    return {};
  }

  // What the address says and the form cannot hold would be lost without a word.
  checkAddress() {
    const lost = leftOut(this.fields, { ...this.held, ...this.form.values() });
    if (lost.length) warn("unfit", told(`This address contains ${listed(lost.map(quoted))}, which does not apply.`));
  }

  // What the form holds out of sight, to be used when it is called for.
  get held() {
    return {};
  }

  // A file may be removed from another window, or by the server, while its name still stands here.
  async checkFiles() {
    const names = new Map([...this.infos].map(([id, file]) => [id, file.name]));
    const gone = await this.look();
    if (!gone.length) return;
    this.worker.clear();
    const missing = listed(gone.map((id) => quoted(names.get(id))));
    warn("gone", told(`${missing} ${gone.length > 1 ? "are" : "is"} no longer available.`));
    this.draw(this.form.values());
    if (this.empty) this.reset();
  }

  draw(settings) {
    this.drawFiles();
    this.drawForms(settings);
  }

  get known() {
    return this.knownOf(this.form?.values() ?? {});
  }

  // What the files hold; of logs, what those of the chosen task hold.
  knownOf({ "log-task": task = "" } = {}) {
    const infos = [...this.infos.values()], names = (list) => [...new Set(list)];
    const own = infos.filter((file) => !task || !isLog(file) || file.tasks.includes(task));
    return {
      files: infos.length,
      columns: names(infos.flatMap((file) => file.columns.map((column) => column.name))),
      systems: names(own.flatMap((file) => file.systems)),
      logs: infos.some(isLog),
      held: {
        "log-task": names(infos.flatMap((file) => file.tasks)),
        filter: names(own.flatMap((file) => file.filters)),
        metric: names(own.flatMap((file) => file.scores)),
      },
    };
  }

  // Whether two systems are asked for, no more and no less.
  get isOfTwo() {
    return this.fields.some((field) => field.type === "file" && ["files", "pilot"].includes(field.name) && field.most === 2);
  }

  drawForms(settings) {
    const changed = () => this.changed();
    const known = this.knownOf(settings);
    this.form = new Form(this.fields, { settings, known, changed, twoSystems: this.isOfTwo });
    const forms = [...document.querySelectorAll("form[data-groups]")];
    const named = new Set(forms.flatMap((form) => words(form.dataset.names)));
    for (const form of forms) {
      const groups = words(form.dataset.groups), own = words(form.dataset.names);
      const isMine = ({ name, group }) => own.includes(name) || (groups.includes(group) && !named.has(name));
      const mine = this.fields.filter(isMine);
      this.form.place(form, mine.map((field) => field.name), words(form.dataset.first));
    }
    // Of a log the metric is one of its scores, which is asked for with the task.
    const beside = known.logs && this.form.find("filter"), metric = this.form.find("metric");
    if (beside && metric) beside.element.after(metric.element);
  }

  changed() {
    for (const id of ["unfit", "taken"]) byId(id).hidden = true;
    if (this.form.latest?.dataset.field === "log-task") this.followTask();
    this.compute();
  }

  // Which filters, scores and systems there are is for the task to say.
  followTask() {
    const settings = this.form.values(), { held, systems } = this.knownOf(settings);
    for (const name of ["filter", "metric"]) if (!held[name].includes(settings[name])) delete settings[name];
    if ([settings.system ?? []].flat().some((name) => !systems.includes(name))) delete settings.system;
    this.drawForms(settings);
    this.form.find("log-task").control.focus();
  }

  // What is folded away still says what it holds.
  sumUp() {
    for (const fold of document.querySelectorAll(".settings")) {
      fold.hidden = this.empty || !fold.querySelector("[data-field]");
      fold.querySelector("summary span").textContent = this.form.summary(fold.querySelector("form"));
    }
  }

  drawFiles() {
    const parts = this.fields.filter((field) => field.type === "file");
    const rows = parts.flatMap((field) => (this.files[field.name] ?? []).map((id, i) => this.fileRow(field, id, i, parts)));
    const names = [...this.infos.values()].map((file) => file.name);
    byId("file-names").textContent = names.length > 4 ? `${names.length} files` : names.join(", ");
    byId("file-list").replaceChildren(...rows);
    byId("swap").replaceChildren(...(this.canSwap ? [button("Swap A and B", () => this.swap())] : []));
  }

  fileRow(field, id, i, parts) {
    const info = this.infos.get(id);
    const lettered = field.name === "files" && this.hasTwoFiles;
    const move = (part) => this.move(id, field.name, part);
    const choices = parts.map((one) => [one.name, one.label]);
    const part = parts.length > 1
      ? drop({ "aria-label": `Part of ${info.name}` }, choices, field.name, (event) => move(event.target.value))
      : make("span", { class: "note" }, field.label);
    return make("li", {},
      make("div", { class: "file-row" },
        lettered && make("span", { class: `letter ${"ab"[i]}` }, "AB"[i]),
        make("strong", {}, info.name),
        part,
        button("Remove", () => move(null))),
      make("details", {}, make("summary", {}, "First rows"), card(info, { heading: "strong" })));
  }

  get hasTwoFiles() {
    return this.isOfTwo && this.files.files?.length === 2;
  }

  get canSwap() {
    return this.hasTwoFiles;
  }

  swap() {
    this.files.files.reverse();
    this.form.latest = null;
    this.drawFiles();
    return this.compute();
  }

  move(id, from, to) {
    this.files[from] = this.files[from].filter((other) => other !== id);
    if (to) this.files[to] = [...(this.files[to] ?? []), id];
    else this.infos.delete(id);
    this.changedFiles();
  }

  async add(chosen) {
    let added = [], failure = null;
    const tell = (text) => { byId("taken").textContent = text; byId("taken").hidden = !text; };
    try {
      added = await upload(await chosen, tell);
    } catch (error) {
      failure = error;
    }
    tell("");
    const data = added.filter((file) => !isSettings(file)), settings = added.find(isSettings);
    for (const file of data) this.infos.set(file.id, file);
    const guess = assign(this.command, this.fields, data, this.files);
    for (const [part, ids] of Object.entries(guess)) this.files[part] = [...(this.files[part] ?? []), ...ids];
    if (data.length) await this.changedFiles();
    if (settings && !failure) await this.takeSettings(settings).catch((error) => { failure = error; });
    if (failure) this.worker.refuse({ ...failure, message: failure.message, setting: null, status: 400 });
  }

  // The settings of a file take the place of those in the form; what the form cannot hold is named.
  async takeSettings(file) {
    if (file.problem) throw new Error(file.problem);
    const { settings, files } = await askJson("POST", `/api/settings/${this.command}`, { file: file.id });
    this.form.latest = null;
    this.draw(settings);
    const lost = leftOut(this.fields, { ...this.held, ...this.form.values() }, Object.entries(settings).flatMap(
      ([name, value]) => [value].flat().map((one) => [name, one])));
    byId("unfit").hidden = true;
    if (lost.length) warn("unfit", told(`${quoted(file.name)} contains ${listed(lost.map(quoted))}, which does not apply.`));
    const others = files.length ? ` It names ${listed(files.map(quoted))}, for which the files on this page stand.` : "";
    byId("taken").replaceChildren(...told(`The settings of ${quoted(file.name)} are used.${others}`));
    byId("taken").hidden = false;
    return this.compute();
  }

  // Columns and systems are those of the files, so the form is drawn anew and keeps what was chosen.
  changedFiles() {
    const settings = this.form.values();
    this.complete(settings);
    byId("gone").hidden = true;
    this.draw(settings);
    return this.compute();
  }

  // Adds to the settings what the files say by themselves.
  complete(_settings) {}

  // The parts that too few files play.
  get lacking() {
    return this.fields.filter((field) => field.type === "file" && (this.files[field.name] ?? []).length < field.least);
  }

  get ready() {
    return !this.lacking.length;
  }

  get needsFiles() {
    return true;
  }

  get empty() {
    return Object.values(this.files).every((ids) => !ids.length);
  }

  // The same question twice (a field was typed in, and then left) is asked once; `again` asks it anew.
  async compute(again = false) {
    // Files may be added or removed while the question is under way.
    const files = structuredClone(this.files), settings = this.form.values();
    const asked = this.question();
    if (asked === this.last && !again) return;
    this.last = asked;
    const isLast = this.supersede();
    writeAddress(files, settings, this.begun && !this.back);
    this.begun = true;
    this.search = location.search;
    this.back = false;
    this.drawTools();
    this.guide();
    byId("empty").hidden = !this.empty;
    this.sumUp();
    if (this.empty && this.needsFiles) byId("files").open = true;
    if (this.refuseUnfit()) return;
    if (!this.ready) return this.wait();
    const job = await this.worker.run(this.command, files, settings);
    if (!isLast()) return;
    this.fade(!job);
    if (this.worker.failure?.status === 404) await this.checkFiles();
    if (!job) return;
    // Whatever goes wrong here goes wrong for the report, too, and is shown there.
    this.early(job, isLast).catch(() => null);
    try {
      const report = await this.worker.follow("Drawing charts and tables", this.load(job.result));
      if (!isLast()) return;
      this.job = job;
      rememberResult(job.id);
      this.show(job, ...report);
      for (const part of document.querySelectorAll(".report")) enliven(part);
      if (this.place) scrollTo(0, this.place);
      this.place = 0;
      byId("work").replaceChildren(...job.notes.map((note) => make("p", { class: "note noted" }, told(note))));
    } catch (error) {
      if (!isLast()) return;
      this.worker.refuse(error);
      this.fade(true);
    }
  }

  // Everything that decides the answer, as text.
  question() {
    return JSON.stringify([this.files, this.form.values(), this.form.unfit?.field.name]);
  }

  // Answers overtake each other: only the one asked for last is shown, and what is under way for another is ended.
  supersede() {
    const mine = ++this.round;
    this.worker.cancel();
    return () => mine === this.round;
  }

  // Whether something was typed that is no number, which is said beside it.
  refuseUnfit() {
    const field = this.form.unfit?.field;
    if (!field) return false;
    const message = `“${field.label}” is not a number.`;
    this.worker.refuse({ message, hint: "Use digits, with a point before decimals.", setting: field.name });
    this.fade(true);
    return true;
  }

  // Too few files for an answer: without any, nothing of an earlier one is left.
  wait() {
    if (this.empty) return this.reset();
    const count = ({ name, label, least }) => (least > 1 ? `${label} (${this.files[name]?.length ?? 0} of ${least})` : label);
    this.worker.clear();
    const said = `Still needed: ${listed(this.lacking.map(count))}.`;
    byId("work").append(make("p", { class: "problem", role: "status" }, said));
    byId("files").open = true;
    this.fade(true);
  }

  reset() {
    this.worker.clear();
    this.fade(false);
    this.line?.clear();
    for (const id of ["answer", "result", "take"]) byId(id)?.replaceChildren();
    for (const id of ["steps", "taking"]) byId(id)?.toggleAttribute("hidden", true);
    byId("empty").hidden = false;
  }

  // Undo and redo are the browser's own; what the explorer of a diff remembers has the same question.
  async goBack() {
    this.drawTools();
    const { files, settings } = readAddress(this.fields);
    if (location.search === this.search) return;
    this.files = files;
    this.form.latest = null;
    await this.look();
    this.back = true;
    this.draw(settings);
    await this.compute();
  }

  drawTools() {
    const at = history.state?.step ?? 0;
    this.furthest = Math.max(this.furthest ?? 0, at);
    const tool = (text, title, isOff, click) => {
      const made = button(text, click);
      made.title = title;
      made.disabled = isOff;
      return made;
    };
    const reset = () => { this.form.latest = null; this.draw({}); return this.compute(); };
    byId("tools")?.replaceChildren(
      tool("Undo", "The settings before the last change", at === 0, () => history.back()),
      tool("Redo", "The settings after it", at >= this.furthest, () => history.forward()),
      tool("Reset", "All settings as they were at first", !this.form || !Object.keys(this.form.values()).length, reset));
  }

  // A refusal is a decision: it stands under the header, with the cures that take one click, and its field is in focus.
  decide(refusal, error) {
    const blamed = CAUSED_BY_SETTINGS.includes(error.status) ? this.form?.placeOf(error.setting) : null;
    const cures = this.curesOf(error);
    if (cures.length) refusal.append(make("span", { class: "cures" }, ...cures));
    refusal.id = "refusal";
    byId("banner").replaceChildren(refusal);
    this.offerForms();
    const control = blamed?.querySelector("input:not([type=checkbox]), select, textarea") ?? blamed?.querySelector("input");
    if (!control) return;
    const others = (control.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== refusal.id);
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-describedby", [...others, refusal.id].join(" "));
    refusal.addEventListener("forgiven", () => {
      control.removeAttribute("aria-invalid");
      control.setAttribute("aria-describedby", others.join(" "));
    });
    if (error.setting && !document.activeElement?.closest("form")) control.focus({ preventScroll: true });
  }

  // What a click can cure: the settings that the refusal proposes, and the values of one that lacks its own.
  curesOf({ cures = [], setting }) {
    const known = (name) => this.form?.entries.find(({ field, element }) => field.name === name && !element.hidden)?.field
      ?? this.form?.entries.find(({ field }) => field.name === name)?.field;
    const open = [...new Set([...cures.filter(({ value }) => value === null).map((cure) => cure.setting), setting])];
    const isCured = (name) => cures.some((cure) => cure.setting === name && cure.value !== null);
    const offered = open.filter((name) => name && !isCured(name)).flatMap((name) => {
      const { choices = [], type } = known(name) ?? {};
      return type === "choice" && choices.length <= MOST_CURES ? choices.map(({ value }) => ({ setting: name, value })) : [];
    });
    return [...cures.filter(({ value }) => value !== null), ...offered].slice(0, MOST_CURES).flatMap((cure) => {
      const field = known(cure.setting);
      return field ? [button(cureText(field, cure.value), () => this.cure(cure))] : [];
    });
  }

  cure({ setting, value }) {
    const { [setting]: _, ...others } = this.form.values();
    this.form.latest = null;
    this.draw(value === "" ? others : { ...others, [setting]: value });
    return this.compute();
  }

  // What stays on the page when a question was refused or cancelled is the answer to another one, and looks like it.
  fade(old) {
    document.body.classList.toggle("unanswered", old);
    if (old) byId("result")?.querySelector(":scope > .early")?.remove();
  }

  // What `show` needs of a result.
  async load(result) {
    return [await fetchReport(result)];
  }

  // Shows the forms where no answer has brought them yet: what was refused has to be put right somewhere.
  offerForms() {}

  // The first verdict is there before the pictures are drawn; an earlier report stays until the next one is whole.
  async early(job, isLast) {
    if (byId("result").firstChild) return;
    const verdict = await earlyVerdict(job);
    if (verdict && isLast() && !byId("result").firstChild) byId("result").append(verdict);
  }

  show(job, main) {
    foldArticles(main);
    byId("result").replaceChildren(...main.childNodes);
    byId("take").replaceChildren(...takeAway(job));
    byId("taking").hidden = false;
    if (byId("data-pairs")) startExplorer().catch((error) => this.worker.refuse(error));
    this.sumUpVerdict();
    this.announce();
  }

  sumUpVerdict() {
    const verdict = document.querySelector("#result .verdict");
    // That of another pair is no earlier one of this.
    this.line?.show(verdict, JSON.stringify([this.files, verdict?.dataset.pair ?? "0"]));
  }

  announce() {
    const title = document.querySelector("#result h1, #answer h1")?.textContent ?? "";
    const why = document.querySelector("#result .why, #answer .why")?.textContent ?? "";
    say(`${title}. ${why}`);
    document.title = `${title} · outscore`;
  }
}

// What a click does, in a few words.
function cureText(field, value) {
  if (value === "") return `Without “${field.label}”`;
  if (field.type === "flag") return field.label;
  return `${field.label}: ${field.choices.find((choice) => choice.value === value)?.label ?? value}`;
}

// The verdict of a result whose report is still made; null where that begins with something else.
export async function earlyVerdict(job) {
  const found = await askJson("GET", `/api/results/${job.result}/headline`);
  return found && make("div", { class: `verdict early${found.won ? " won" : ""}` },
    make("p", { class: "kind" }, "Charts and tables to follow …"),
    make("h1", {}, found.headline),
    make("p", { class: `why${found.named ? " as-is" : ""}` }, told(found.why)));
}

// Five settings are at hand where there is room; on a small screen the answer comes first.
function foldSettings() {
  const roomy = matchMedia("(min-width: 60rem)");
  const folds = document.querySelectorAll(".settings");
  const fold = () => { for (const one of folds) one.open = roomy.matches; };
  roomy.addEventListener("change", fold);
  fold();
}

// Of several comparisons the table on top says most; the details of each unfold.
function foldArticles(main) {
  const articles = [...main.querySelectorAll(":scope > article")].filter((one) => one.querySelector(".verdict h2"));
  if (articles.length > 1) main.querySelector(".contents-of")?.remove();
  // One verdict is enough: what stands behind another answer, as that of a gate, is opened by whoever wants it.
  articles.forEach((article, i) => unfolding(article, articles.length > 1 && i === 0));
}

// One of the warnings that stand above everything else.
function warn(id, parts) {
  byId(id).querySelector("strong").replaceChildren(...parts);
  byId(id).hidden = false;
}

// Shows a view. What goes wrong before there is anything to see is said where its result would be.
export async function open(view) {
  try {
    await view.begin();
  } catch (error) {
    byId("work").replaceChildren(problem(error));
  }
}

export const words = (text) => (text ?? "").split(" ").filter(Boolean);
