// The guided comparison: the sections of the report, each at the step it belongs to.

import { askJson } from "./api.js";
import { button, byId, make, say } from "./dom.js";
import { loadItems, openDrawer } from "./drawer.js";
import { drop } from "./forms.js";
import { barsOf } from "./items.js";
import { Runner } from "./jobs.js";
import { leadFrom, pictureOf, shapesOf } from "./picture.js";
import { fetchReport, unfolding } from "./reports.js";
import { takeAway } from "./results.js";
import { enliven } from "./tables.js";
import { VerdictLine } from "./verdict.js";
import { View, earlyVerdict, open } from "./view.js";

// At which step a picture belongs; all others are about the data.
const PICTURES = { difference: "test", null: "test", power: "power", sizes: "power" };
// Facts of the report that have a step of their own here; those about a margin are shown where it is typed.
const ELSEWHERE = ["effect size", "power", "margin"], OF_EFFECT = ["margin"];
// Beyond that the items are read when somebody asks for them.
const MOST_DRAWN = 20_000;
const OPEN = "open steps";
// Whose histograms a chart of the data shows.
const HISTOGRAMS = { scores: ["a", "b"], differences: ["difference"] };
const NO_EFFECTS = "Effect sizes apply to means of item scores. This metric is a ratio of sums; "
  + "the difference above is its own effect size.";
const NO_CURVE = "There is no power curve for this metric and design.";
// Settings of the comparison that a trial takes over.
const SHARED = ["alpha", "alternative", "delta", "unit-size", "unit-statistic", "shuffle",
  "system", "item", "score", "cluster", "repeat", "seed"];
// The groups of the advice, best first, and what they are called.
const ADVICE = { recommended: "recommended", usable: "usable", unsuited: "not suited" };

class Comparison extends View {
  async begin() {
    this.trial = new Runner(byId("trying"));
    this.line = new VerdictLine(byId("step-verdict"), { floating: true });
    openSteps();
    await super.begin();
    await this.drawTrial();
    watchSteps();
  }

  // A comparison is of two systems: of a table with more, the first two are proposed.
  drawForms(settings) {
    const { system, ...columns } = settings, known = this.knownOf(settings);
    const systems = known.systems.filter((name) => !Object.values(columns).flat().includes(name));
    const choosing = !system && (this.isOneTable || known.logs) && known.systems.length > 2;
    // Which two of many is the first question; of two there is nothing to ask.
    const form = document.querySelector("form[data-first]");
    form.dataset.first = form.dataset.first.replace(/^system /, "").replace(/^/, known.systems.length > 2 ? "system " : "");
    super.drawForms(choosing ? { ...settings, system: systems.slice(0, 2) } : settings);
  }

  get isOneTable() {
    return this.files.files?.length === 1;
  }

  // The two systems of one table change places, too.
  get canSwap() {
    return super.canSwap || (this.isOneTable && this.known.systems.length > 1);
  }

  swap() {
    if (!this.isOneTable) return super.swap();
    const { system = this.known.systems.slice(0, 2), ...others } = this.form.values();
    this.drawForms({ ...others, system: [...system].reverse() });
    return this.compute();
  }

  reset() {
    super.reset();
    this.shown = null;
    place("picture");
  }

  // The verdict is there at once; the pictures take a moment longer. What is about to change keeps its room.
  async early(job, isLast) {
    const verdict = await earlyVerdict(job);
    if (!verdict || this.shown === job.result || !isLast()) return;
    const before = byId("answer").querySelector(".verdict");
    byId("picture").classList.add("stale");
    before ? before.replaceWith(verdict) : place("answer", verdict);
    // That of a whole report comes back if no report follows.
    this.replaced = before?.classList.contains("early") ? this.replaced : before;
  }

  // The verdict stays in sight while settings far below it are changed.
  sumUpVerdict() {
    this.line.show(byId("answer").querySelector(".verdict"), JSON.stringify([this.files, this.form.values().system]));
  }

  // What was about to follow does not, where something else was asked and refused.
  fade(old) {
    super.fade(old);
    const early = byId("answer").querySelector(".early");
    if (!old || !early) return;
    early.replaceWith(...[this.replaced].filter(Boolean));
    byId("picture").classList.remove("stale");
  }

  // The report to show, and the result itself for what the page does with it.
  async load(result) {
    return Promise.all([fetchReport(result), askJson("GET", `/api/results/${result}`)]);
  }

  show(job, main, saved) {
    this.shown = job.result;
    this.replaced = null;
    const [first, ...others] = main.querySelectorAll(":scope > article");
    main.querySelector(".contents-of")?.remove();
    const pictures = sorted(first);
    const evidence = section(first, "evidence");
    const effects = evidence.querySelector(".effects");
    const loose = [...main.childNodes].filter((node) => !["ARTICLE", "SECTION", "SCRIPT"].includes(node.tagName));
    const isBefore = (node) => node.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING;
    const before = loose.filter(isBefore), overview = loose.filter((node) => !isBefore(node));
    // The answer: the verdict, what to check first, how the files were read.
    const numbers = evidence.querySelector(".numbers"), top = first.querySelector(".told-first").children;
    // Slices are one table below the answer, and each unfolds in the report.
    place("answer", ...before, ...top, ...overview);
    this.drawPicture(saved.comparisons[0], pictures.test.querySelector("figure[data-key=difference]"));
    this.sumUpVerdict();
    effects?.remove();
    const margin = trim(evidence.querySelector(".facts"));
    place("shown-data", pictures.data, folded(bare(section(first, "analysis"))));
    place("shown-test", numbers, bare(evidence), pictures.test);
    place("shown-effect", margin, effects ?? note(NO_EFFECTS));
    place("shown-power", bare(section(first, "power")) ?? note(NO_CURVE), pictures.power);
    // Charts have gone to their steps, and what has no step of its own is part of the report.
    section(first, "pictures")?.remove();
    place("shown-report",
      ...[...first.querySelectorAll(":scope > section")].map(lower),
      ...others.map((article) => unfolding(article)),
      ...[...main.querySelectorAll(":scope > section")].map(lower));
    // The first of all comparisons is the answer itself.
    for (const link of byId("answer").querySelectorAll("a[href^='#']")) {
      if (!byId(link.hash.slice(1))) link.replaceWith(...link.childNodes);
    }
    byId("take").replaceChildren(...takeAway(job));
    byId("taking").hidden = false;
    byId("steps").hidden = false;
    byId("trial").hidden = !this.canTry;
    this.followTest();
    if (this.tried !== this.question()) this.forgetTrial();
    this.advise(saved.comparisons[0].analysis?.tests ?? {});
    // What was chosen for these data, where nobody chose.
    const unset = this.form.find("metric")?.control.querySelector("option[value='']");
    if (unset) unset.textContent = saved.comparisons[0].metric;
    this.announce();
    this.linkItems(saved.comparisons);
  }

  // One picture beside the verdict: that of the items where there is one score for each, else the difference with its interval.
  async drawPicture(comparison, difference) {
    const drawn = this.shown, files = structuredClone(this.files), settings = this.form.values();
    this.items = () => loadItems(files, settings);
    byId("picture").classList.remove("stale");
    if (!settings.unpaired && comparison.design.rows <= MOST_DRAWN) {
      try {
        const found = await this.items();
        if (this.shown !== drawn) return;
        const { interval, difference: mean } = comparison, lower = comparison.higher_is_better === false;
        const about = { lower, interval, difference: mean };
        place("picture", pictureOf(found, about, (filter) => openDrawer(this.items(), filter)));
        return;
      } catch {
        // Counts have no single score for each item.
      }
    }
    if (this.shown === drawn) place("picture", difference);
  }

  // Rows about items and slices, and charts of items, lead to what they count.
  linkItems([first, ...others]) {
    const rows = document.querySelectorAll("#shown-report .items tbody th[scope=row]");
    for (const head of rows) {
      const id = head.textContent.trim();
      head.replaceChildren(button(id, () => openDrawer(this.items(), { title: "Items" }, { first: id }), "link-button"));
    }
    for (const [key, sides] of Object.entries(HISTOGRAMS)) {
      const figure = document.querySelector(`#shown-data figure[data-key=${key}]`);
      if (!figure) continue;
      figure.append(button("See the items", () => openDrawer(this.items(), { title: "All items" }), "link-button"));
      // Bars of units or clusters hold several items each.
      if (first.design.unit_size > 1 || first.clusters !== null) continue;
      this.linkBars(figure, sides, first.pictures?.histograms ?? {});
    }
    // Below the whole, one row for each slice.
    const head = document.querySelector("#answer table thead tr");
    const below = document.querySelectorAll("#answer table tbody tr");
    if (!head || !others.some(({ slice }) => slice)) return;
    head.append(make("th", { scope: "col" }, make("span", { class: "unseen" }, "items")));
    others.forEach(({ slice }, i) => below[i + 1]?.append(make("td", {}, slice && this.itemsOf(slice))));
  }

  // The bars are drawn in the order of their histograms.
  linkBars(figure, sides, histograms) {
    const known = sides.filter((side) => histograms[side]);
    const bars = known.flatMap((side) => barsOf(histograms[side], side === "difference" ? undefined : side));
    const shapes = shapesOf(figure, "rect");
    bars.forEach((bar, i) => {
      if (!bar.count || !shapes[i]) return;
      const title = shapes[i].querySelector("title")?.textContent ?? `${bar.count} items`;
      leadFrom(shapes[i], title, () => openDrawer(this.items(), { ...bar, title }));
    });
  }

  itemsOf({ column, value }) {
    const filter = { title: `${column} = ${value}`, named: column, value };
    const open = button("items", () => openDrawer(this.items(), filter), "link-button");
    open.setAttribute("aria-label", `Items with ${column} = ${value}`);
    return open;
  }

  // The advice of the data analysis, where the test is chosen: its table has a row for each entry, in the same order.
  advise(advice) {
    const control = this.form.find("test").control;
    const offered = new Set([...control.options].map((option) => option.value));
    const entries = Object.keys(ADVICE).flatMap((group) => (advice[group] ?? []).map(({ test }) => ({ group, test })));
    const rows = [...document.querySelectorAll("#shown-data .advice tbody tr")];
    entries.forEach(({ test }, i) => {
      if (offered.has(test)) rows[i]?.cells[1].replaceChildren(button(test, () => this.choose(test), "link-button"));
    });
    const groups = new Map(entries.map(({ group, test }) => [test, group]));
    group(control, Object.keys(ADVICE), (option) => groups.get(option.value));
  }

  choose(test) {
    for (const fold of document.querySelectorAll(".settings")) fold.open = true;
    const control = this.form.find("test").control;
    control.value = test;
    control.dispatchEvent(new Event("change", { bubbles: true }));
    control.focus();
  }

  // Trying the test on samples like these data takes seconds, so it waits to be asked.
  async drawTrial() {
    const fields = await askJson("GET", "/api/options/plan");
    const tests = fields.find((field) => field.name === "test").choices.filter((choice) => choice.value !== "bayes");
    const offered = tests.map((choice) => [choice.value, choice.label]);
    const test = drop({ id: "trial-test" }, offered, this.form.find("test").read(), null);
    const samples = make("input", { id: "trial-samples", type: "number", min: 1, step: 1, value: 200 });
    byId("trial").replaceChildren(
      make("div", { class: "entry" }, make("label", { for: "trial-test" }, "Test to try"), test),
      make("div", { class: "entry" }, make("label", { for: "trial-samples" }, "Samples per size"), samples),
      make("button", { class: "quiet-button" }, "Try it on samples like these"));
    // The test that was chosen for the comparison is the one to try, until another one is picked.
    this.trialTest = test;
    byId("trial").addEventListener("submit", (event) => { event.preventDefault(); this.tryOut(test.value, samples.value); });
    byId("trying").addEventListener("again", () => this.tryOut(test.value, samples.value));
  }

  followTest() {
    const chosen = this.form.find("test").read(), control = this.trialTest;
    if (!control || this.followed === chosen) return;
    this.followed = chosen;
    if ([...control.options].some((option) => option.value === chosen)) control.value = chosen;
  }

  // What a plan from these data is to have in common with their comparison.
  get shared() {
    const all = this.form.values();
    return Object.fromEntries(SHARED.filter((name) => name in all).map((name) => [name, all[name]]));
  }

  carried(view) {
    return view === "plan" && this.canTry ? { ...this.shared, test: this.form.find("test").read() } : {};
  }

  async tryOut(test, replicates) {
    const settings = { retrospective: true, test, replicates, ...this.shared };
    const asked = this.tried = this.question();
    const job = await this.trial.run("plan", { pilot: [...this.files.files] }, settings);
    if (!job) return;
    try {
      const main = await this.trial.follow("Drawing charts and tables", fetchReport(job.result));
      // Meanwhile other data may have been chosen, or another trial been asked for.
      if (asked !== this.question() || this.trial.running) return;
      for (const figure of main.querySelectorAll("figure")) if (!figure.dataset.key.startsWith("tried")) figure.remove();
      place("tried", main.querySelector(".pictures"), main.querySelector(".tables"));
      enliven(byId("tried"));
      say("The trial is done.");
    } catch (error) {
      this.trial.refuse(error);
    }
  }

  // Samples are drawn of items with one number each; counts have several.
  get canTry() {
    const columns = [this.form.values().score ?? []].flat();
    return columns.length < 2 && [...this.infos.values()].every((file) => file.suits.includes("plan"));
  }

  // What was tried on other data says nothing about these.
  forgetTrial() {
    this.tried = null;
    this.trial.cancel();
    this.trial.clear();
    place("tried");
  }
}

// The choices under the headings of their groups, in this order; what belongs to none stands at the end.
function group(control, order, groupOf) {
  const chosen = control.value, options = [...control.options];
  const under = (name) => options.filter((option) => groupOf(option) === name);
  const headings = order.filter((name) => under(name).length);
  const groups = headings.map((name) => make("optgroup", { label: ADVICE[name] }, under(name)));
  control.replaceChildren(...groups, ...options.filter((option) => !groupOf(option)));
  control.value = chosen;
}

const note = (text) => make("p", { class: "note" }, text);
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
  if (!heading) return analysis;
  const rest = [...other.children].filter((child) => child !== heading);
  other.replaceWith(make("details", { class: "nlpstattest" }, make("summary", {}, heading.textContent), ...rest));
  return analysis;
}

// A section one level deeper, as it stands inside a step.
function lower(part) {
  const heading = part?.querySelector("h2.part");
  if (heading) heading.replaceWith(make("h3", { id: heading.id }, ...heading.childNodes));
  return part;
}

// Takes out of the facts what is shown at another step; what belongs to the effect size comes back as a list of its own.
function trim(facts) {
  const moved = make("dl", { class: "facts" });
  for (const term of facts.querySelectorAll("dt")) {
    if (!ELSEWHERE.includes(term.dataset.key)) continue;
    const pair = [term, term.nextElementSibling];
    for (const part of pair) part.remove();
    if (OF_EFFECT.includes(term.dataset.key)) moved.append(...pair);
  }
  return moved.children.length ? moved : null;
}

function sorted(article) {
  const galleries = Object.fromEntries(["data", "test", "power"].map((step) => [step, make("div", { class: "pictures" })]));
  for (const figure of article.querySelectorAll("figure")) galleries[PICTURES[figure.dataset.key] ?? "data"].append(figure);
  return galleries;
}

// Steps stay open as they were, through changes and when the page is loaded again.
function openSteps() {
  const steps = [...document.querySelectorAll("details.step")], all = byId("open-all");
  const told = () => { all.textContent = steps.every((step) => step.open) ? "Close all" : "Open all"; };
  const remembered = (sessionStorage.getItem(OPEN) ?? "").split(" ");
  for (const step of steps) {
    step.open = remembered.includes(step.id);
    step.addEventListener("toggle", () => {
      sessionStorage.setItem(OPEN, steps.filter((one) => one.open).map((one) => one.id).join(" "));
      told();
    });
  }
  all.addEventListener("click", () => {
    const open = !steps.every((step) => step.open);
    for (const step of steps) step.open = open;
  });
  byId("step-list").addEventListener("click", ({ target }) => {
    const step = byId(target.closest("a")?.hash.slice(1) ?? "");
    if (step) step.open = true;
  });
}

// The step that is on the screen is marked in the list of steps.
function watchSteps() {
  const links = new Map([...document.querySelectorAll("#step-list a")].map((link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) links.get(target.id).toggleAttribute("data-seen", isIntersecting);
    const current = [...links.values()].find((link) => link.hasAttribute("data-seen"));
    for (const link of links.values()) link.removeAttribute("aria-current");
    current?.setAttribute("aria-current", "step");
  }, { rootMargin: "-20% 0px -60% 0px" });
  for (const id of links.keys()) watch.observe(byId(id));
}

open(new Comparison());
