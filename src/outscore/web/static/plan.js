// The plan: a calculator that answers while you type, and the whole report once you have stopped.

import { askJson } from "./api.js";
import { byId, listed, make, settled, told } from "./dom.js";
import { takeAway } from "./results.js";
import { View, open, words } from "./view.js";

const TRIED = ["test", "replicates", "delta"];
const EXAMPLE = { effect: "0.02", sd: "0.3" };

class Plan extends View {
  constructor() {
    super();
    this.later = settled(900, (again) => { if (!this.wrong) super.compute(again); });
    this.soon = settled(150, (signal) => this.fetchAnswer(signal));
    this.asking = new AbortController();
    this.wrong = false;
  }

  drawForms(settings) {
    const blank = !Object.keys(settings).length && this.empty;
    super.drawForms(blank ? EXAMPLE : settings);
    for (const entry of this.form.entries) entry.control.addEventListener("input", () => this.answer());
    for (const radio of document.querySelectorAll("[name=question]")) {
      radio.onchange = () => { this.ask(radio.value); this.changed(); };
    }
    const tabled = this.asked === "table" || this.files.table?.length;
    this.ask(tabled && !settings.scores ? "table" : questionOf(settings));
  }

  // The test waits until it is to be tried.
  get held() {
    return { test: this.form.find("test").read() };
  }

  ask(question) {
    this.asked = question;
    const radio = byId(`ask-${question}`), asks = words(radio.dataset.asks);
    radio.checked = true;
    this.needed = words(radio.dataset.needs);
    this.hand(...(question === "table" ? ["pilot", "table"] : ["table", "pilot"]));
    const hasData = ({ group }) => group !== "pilot" || !this.empty;
    const isTried = ({ name }) => !TRIED.includes(name) || this.form.find("retrospective").read();
    this.form.allows = (field) => asks.includes(field.name) && hasData(field) && isTried(field);
    this.form.refresh();
  }

  // A file is what the question takes it for: a pilot, or a table somebody printed.
  hand(from, to) {
    if (!this.files[from]?.length) return;
    this.files[to] = [...(this.files[to] ?? []), ...this.files[from]];
    this.files[from] = [];
    this.drawFiles();
  }

  move(id, from, to) {
    if (from === "table" && to) this.asked = "items";
    super.move(id, from, to);
  }

  // Half a question has no answer yet.
  get missing() {
    const given = this.form.values();
    return this.needed.filter((name) => !(name in given) || (name === "scores" && given.scores.length < 2));
  }

  get needsFiles() {
    return false;
  }

  get ready() {
    return this.asked === "table" ? !this.empty : !this.missing.length || !this.empty;
  }

  question() {
    return JSON.stringify([this.asked, super.question()]);
  }

  async compute(again = false) {
    this.later(again);
    this.answer(again);
  }

  // The answer to what stands in the form now; that to anything before is not wanted any more.
  answer(again = false) {
    const question = this.question();
    if (question === this.answered && !again) return;
    this.answered = question;
    this.last = null;
    this.supersede();
    // Pictures follow later, and what can be taken along until then would be of another plan.
    byId("result").classList.add("old");
    byId("taking").hidden = true;
    this.asking.abort();
    this.asking = new AbortController();
    this.wrong = this.refuseUnfit();
    if (this.wrong) return;
    if (!this.ready) this.wait();
    else if (this.empty) this.soon(this.asking.signal);
  }

  async fetchAnswer(signal) {
    if (signal.aborted) return;
    try {
      const found = await askJson("POST", "/api/plan/headline", this.form.values(), signal);
      if (!signal.aborted) this.showAnswer(found);
    } catch (error) {
      if (signal.aborted) return;
      // The whole report would be refused as well, and once is enough.
      this.wrong = true;
      this.worker.refuse(error);
      this.fade(true);
    }
  }

  // Without its numbers a question has no answer, and that of another question is not to be taken for one.
  wait() {
    this.worker.clear();
    this.fade(false);
    const labels = this.missing.map((name) => this.form.find(name).field.label);
    if (this.asked === "table") {
      labels.push(`${this.fields.find(({ name }) => name === "table").label} (a file)`);
      byId("files").open = true;
    }
    byId("answer").replaceChildren(make("p", { class: "note" }, `Still needed: ${listed(labels)}.`));
    byId("result").replaceChildren();
    byId("taking").hidden = true;
  }

  showAnswer(found) {
    this.worker.forgive();
    this.fade(false);
    byId("answer").replaceChildren(make("div", { class: "verdict told" },
      make("p", { class: "kind" }, "Plan"),
      make("h2", {}, found.headline),
      make("p", { class: "why" }, told(found.why))));
  }

  // The answer is there before the job is asked for, unless there are data.
  async early(job, isLast) {
    if (!this.empty) await super.early(job, isLast);
  }

  show(job, main) {
    const verdict = main.querySelector(".verdict"), heading = verdict.querySelector("h1");
    // The page has its own first heading: the question.
    heading.replaceWith(make("h2", {}, ...heading.childNodes));
    byId("answer").replaceChildren(verdict);
    // The numbers stand beside the answer here, so its picture stands below it.
    const first = main.querySelector(".first-screen");
    first?.replaceWith(...first.querySelector(".told-first").children, first.querySelector(".picture"));
    byId("result").replaceChildren(...main.childNodes);
    byId("result").classList.remove("old");
    byId("take").replaceChildren(...takeAway(job));
    byId("taking").hidden = false;
  }
}

function questionOf(settings) {
  if (settings.scores) return "review";
  if (settings.n && settings.effect) return "power";
  return settings.n ? "effect" : "items";
}

open(new Plan());
