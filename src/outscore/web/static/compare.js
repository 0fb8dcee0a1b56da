// The guided comparison: the sections of the report, each at the step it belongs to.

import { askJson } from "./api.js";
import { button, byId, make, say } from "./dom.js";
import { drop } from "./forms.js";
import { Worker } from "./jobs.js";
import { fetchReport, unfolding } from "./reports.js";
import { takeAway } from "./results.js";
import { View } from "./view.js";

// At which step a picture belongs, by the beginning of its caption.
const PICTURES = [
  [/^(The difference( and|:)|What (chance|swapping))/, "test"],
  [/^(Power|p on random)/, "power"],
  [/./, "data"],
];
const ELSEWHERE = ["effect size", "power"];

class Comparison extends View {
  async begin() {
    this.trial = new Worker(byId("trying"));
    await super.begin();
    await this.drawTrial();
    watchSteps();
  }

  // The verdict is there at once; the pictures take a moment longer. What is about to change keeps its room.
  async early(job, isLast) {
    const { comparisons } = await askJson("GET", `/api/results/${job.result}`);
    if (comparisons.length > 1 || this.shown === job.result || !isLast()) return;
    const [top, ...why] = comparisons[0].verdict.split(": ");
    const won = comparisons[0].decision.winner !== null;
    const verdict = make("div", { class: `verdict${won ? " won" : ""}` }, make("p", { class: "kind" }, "Pictures and tables follow …"), make("h1", {}, top), make("p", { class: "why" }, why.join(": ")));
    const held = hold(), before = byId("answer").querySelector(".verdict");
    byId("answer").querySelector(".numbers")?.classList.add("stale");
    before ? before.replaceWith(verdict) : place("answer", verdict);
    held();
  }

  async show(job, main) {
    this.shown = job.result;
    const held = hold();
    const [first, ...others] = main.querySelectorAll(":scope > article");
    main.querySelector(":scope > nav")?.remove();
    const pictures = sorted(first);
    const evidence = section(first, "evidence");
    const effects = evidence.querySelector(".effects");
    const before = [...main.childNodes].slice(0, [...main.childNodes].indexOf(first));
    place("answer", ...before, first.querySelector(".verdict"), first.querySelector(".numbers"));
    effects?.remove();
    trim(evidence.querySelector(".facts"));
    place("shown-data", pictures.data, folded(bare(section(first, "analysis"))));
    place("shown-test", bare(evidence), pictures.test);
    place("shown-effect", effects ?? make("p", { class: "note" }, "Effect sizes are for means of item scores; this metric is a ratio of sums, whose difference above is its own measure."));
    place("shown-power", bare(section(first, "power")) ?? make("p", { class: "note" }, "There is no power curve for this metric and design."), pictures.power);
    place("shown-report", ...["buckets", "items", "paper"].map((id) => lower(section(first, id))), ...others.map((article) => unfolding(article)), lower(main.querySelector("section[aria-labelledby=settings]")));
    byId("take").replaceChildren(...takeAway(job));
    byId("steps").hidden = false;
    this.advise();
    this.announce();
    held();
  }

  // The advice of the data analysis, where the test is chosen.
  advise() {
    const control = this.form.find("test").control;
    const suits = new Map();
    for (const row of document.querySelectorAll("#shown-data .advice tbody tr")) {
      const [how, test] = [...row.cells].map((cell) => cell.textContent);
      suits.set(test, how);
      if ([...control.options].some((option) => option.value === test)) row.cells[1].replaceChildren(button(test, () => this.choose(test), "link-button"));
    }
    for (const option of control.options) option.textContent = suits.has(option.value) ? `${option.value}, ${suits.get(option.value)}` : option.value;
  }

  choose(test) {
    const control = this.form.find("test").control;
    control.value = test;
    control.dispatchEvent(new Event("change", { bubbles: true }));
    control.focus();
  }

  // Trying the test on samples like these data takes seconds, so it waits to be asked.
  async drawTrial() {
    const fields = await askJson("GET", "/api/options/plan");
    const tests = fields.find((field) => field.name === "test").choices.filter((choice) => choice.value !== "bayes");
    const test = drop({ id: "trial-test" }, tests.map((choice) => [choice.value, choice.label]), this.form.find("test").read(), null);
    const samples = make("input", { id: "trial-samples", type: "number", min: 1, step: 1, value: 200 });
    byId("trial").replaceChildren(
      make("div", { class: "entry" }, make("label", { for: "trial-test" }, "Test to try"), test),
      make("div", { class: "entry" }, make("label", { for: "trial-samples" }, "Samples for each size"), samples),
      make("button", { class: "quiet-button" }, "Try it on samples like these"));
    byId("trial").addEventListener("submit", (event) => { event.preventDefault(); this.tryOut(test.value, samples.value); });
    byId("trying").addEventListener("again", () => this.tryOut(test.value, samples.value));
  }

  async tryOut(test, replicates) {
    const all = this.form.values();
    const shared = ["alpha", "alternative", "system", "item", "score", "cluster", "repeat", "seed"].filter((name) => name in all);
    const settings = { retrospective: true, test, replicates, ...Object.fromEntries(shared.map((name) => [name, all[name]])) };
    const job = await this.trial.run("plan", { pilot: this.files.files }, settings);
    if (!job) return;
    const main = await fetchReport(job.result);
    for (const figure of main.querySelectorAll("figure")) if (!figure.textContent.includes("samples")) figure.remove();
    place("tried", main.querySelector(".pictures"), main.querySelector(".tables"));
    say("The test was tried.");
  }
}

const place = (id, ...parts) => byId(id).replaceChildren(...parts.filter(Boolean));
const section = (article, id) => article.querySelector(`section[aria-labelledby=${article.id}-${id}]`);

// A section without its heading: the step has one.
function bare(part) {
  part?.querySelector(".part").remove();
  part?.removeAttribute("aria-labelledby");
  return part;
}

// What an older toolkit would have said is for those who know it.
function folded(analysis) {
  const other = analysis?.querySelector(".nlpstattest");
  const heading = other?.querySelector("h3");
  if (heading) other.replaceWith(make("details", { class: "nlpstattest" }, make("summary", {}, heading.textContent), ...[...other.children].filter((child) => child !== heading)));
  return analysis;
}

// A section one level deeper, as it stands inside a step.
function lower(part) {
  const heading = part?.querySelector("h2.part");
  if (heading) heading.replaceWith(make("h3", { id: heading.id }, ...heading.childNodes));
  return part;
}

function trim(facts) {
  for (const term of facts.querySelectorAll("dt")) {
    if (!ELSEWHERE.includes(term.textContent)) continue;
    term.nextElementSibling.remove();
    term.remove();
  }
}

function sorted(article) {
  const galleries = Object.fromEntries(["data", "test", "power"].map((step) => [step, make("div", { class: "pictures" })]));
  for (const figure of article.querySelectorAll("figure")) {
    const caption = figure.querySelector("figcaption").textContent;
    galleries[PICTURES.find(([start]) => start.test(caption))[1]].append(figure);
  }
  return galleries;
}

// Results above what a person works on may grow: the page then moves with them, so that the place is kept.
function hold() {
  const at = document.activeElement?.closest(".step") ? document.activeElement : null;
  const before = at?.getBoundingClientRect().top;
  return () => { if (at) scrollBy(0, at.getBoundingClientRect().top - before); };
}

// The step that is on the screen is marked in the list of steps.
function watchSteps() {
  const links = new Map([...document.querySelectorAll("#step-list a")].map((link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) links.get(target.id).toggleAttribute("data-seen", isIntersecting);
    const current = [...links.values()].find((link) => link.hasAttribute("data-seen"));
    for (const link of links.values()) link === current ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current");
  }, { rootMargin: "-20% 0px -60% 0px" });
  for (const id of links.keys()) watch.observe(byId(id));
}

new Comparison().begin();
