// The plan: a calculator that answers while you type, and the whole report once you have stopped.

import { askJson } from "./api.js";
import { byId, make, problem, say, settled } from "./dom.js";
import { takeAway } from "./results.js";
import { View } from "./view.js";

const SPREAD = ["sd", "discordance", "accuracy", "method", "repeats", "within", "cluster-size", "icc"];
const COMMON = ["alternative", "alpha", "seed"];
const PILOT = ["retrospective", "test", "replicates", "system", "item", "score", "cluster", "repeat"];
const TRIED = ["test", "replicates"];
// What each question asks for.
const QUESTIONS = {
  items: ["effect", "power", ...SPREAD, ...COMMON, ...PILOT],
  effect: ["n", "power", ...SPREAD, ...COMMON, ...PILOT],
  power: ["effect", "n", ...SPREAD, ...COMMON, ...PILOT],
  review: ["scores", "n", "alternative", "alpha"],
};
const NEEDED = { items: ["effect"], effect: ["n"], power: ["effect", "n"], review: ["scores", "n"] };
const EXAMPLE = { effect: "0.02", sd: "0.3" };

class Plan extends View {
  constructor() {
    super();
    this.later = settled(900, (again) => super.compute(again));
    this.asked = 0;
  }

  drawForms(settings) {
    const blank = !Object.keys(settings).length && this.empty;
    super.drawForms(blank ? EXAMPLE : settings);
    for (const entry of this.form.entries) entry.control.addEventListener("input", () => this.answer());
    for (const radio of document.querySelectorAll("[name=question]")) {
      radio.addEventListener("change", () => { this.ask(radio.value); this.compute(); });
    }
    this.ask(questionOf(settings));
  }

  ask(question) {
    this.question = question;
    byId(`ask-${question}`).checked = true;
    const pilot = !this.empty;
    const tries = () => this.form.find("retrospective").read();
    this.form.allows = ({ name }) => QUESTIONS[question].includes(name) && (pilot || !PILOT.includes(name)) && (!TRIED.includes(name) || tries());
    this.form.refresh();
  }

  // Half a question has no answer yet.
  get ready() {
    const given = this.form.values();
    return NEEDED[this.question].every((name) => (name === "scores" ? given.scores?.length === 2 : name in given)) || !this.empty;
  }

  async compute(again = false) {
    this.later(again);
    await this.answer();
  }

  // Answers overtake each other: only the last one counts.
  async answer() {
    const mine = ++this.asked;
    if (!this.ready) this.forget();
    if (!this.empty || !this.ready) return;
    try {
      const found = await askJson("POST", "/api/plan", this.form.values());
      if (mine === this.asked) this.showAnswer(found);
    } catch (error) {
      if (mine === this.asked) byId("answer").replaceChildren(problem(error));
    }
  }

  // Without its numbers a question has no answer, and that of another question is not to be taken for one.
  forget() {
    const given = this.form.values();
    const missing = NEEDED[this.question].filter((name) => !(name in given) || (name === "scores" && given.scores.length < 2));
    const labels = missing.map((name) => this.form.find(name).field.label);
    byId("answer").replaceChildren(make("p", { class: "note" }, `Still to be given: ${labels.join(" and ")}.`));
    byId("result").replaceChildren();
    byId("taking").hidden = true;
  }

  showAnswer(found) {
    const [, top, why] = /^(.*?[a-z]\b.*?)((?: to detect| with power| \(|, depending).*)$/.exec(found.verdict) ?? [null, found.verdict, ""];
    byId("answer").replaceChildren(make("div", { class: "verdict won" }, make("p", { class: "kind" }, "Plan"), make("h1", {}, top), make("p", { class: "why" }, why.replace(/^[, ]+/, ""))));
  }

  async show(job, main) {
    byId("answer").replaceChildren(main.querySelector(".verdict"));
    byId("result").replaceChildren(...main.childNodes);
    byId("take").replaceChildren(...takeAway(job, { table: false }));
    byId("taking").hidden = false;
    say(byId("answer").textContent);
  }
}

function questionOf(settings) {
  if (settings.scores) return "review";
  if (settings.n && settings.effect) return "power";
  return settings.n ? "effect" : "items";
}

new Plan().begin();
