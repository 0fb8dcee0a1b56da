// Long work: one job at a time for each place on the page, with progress, and a button that ends it.

import { ask, askJson } from "./api.js";
import { button, make, number, problem, say } from "./dom.js";

const ENDED = ["done", "failed", "cancelled"];
const PATIENCE = 250;
const GRACE = 10;

export class Runner {
  // `place` shows progress, and problems unless `banner` shows them with their cures; what is under way is cancelled when
  // something else is asked.
  constructor(place, banner = null) {
    this.place = place;
    this.banner = banner;
    this.running = null;
    this.following = null;
    this.refusal = null;
    this.pending = 0;
    this.failure = null;
    this.ending = null;
    // Nobody waits for the result of a page that was left; who comes back to it, or loads it anew, does.
    let left = false;
    addEventListener("pagehide", () => {
      left = Boolean(this.running?.id);
      if (!left) return;
      ask("DELETE", `/api/jobs/${this.running.id}?after=${GRACE}`, undefined, undefined, true).catch(() => null);
      this.running.over = true;
      this.running = null;
    });
    addEventListener("pageshow", (event) => { if (event.persisted && left) this.again(); });
  }

  // The finished job, or null when it was cancelled or overtaken; what goes wrong is shown where the result would be.
  async run(command, files, settings) {
    const mine = { id: null, over: false };
    this.cancel();
    // Before anything is waited for, so that whoever asks next finds this one to cancel.
    this.running = mine;
    await this.ending;
    if (mine.over) return null;
    const shown = this.show(mine);
    try {
      const asked = { command, files, settings };
      let job = await remembered(asked) ?? await askJson("POST", "/api/jobs", asked);
      mine.id = job.id;
      remember(asked, job.id);
      if (mine.over) await askJson("DELETE", `/api/jobs/${job.id}`);
      while (!mine.over && !ENDED.includes(job.state)) {
        shown.update(job);
        job = await askJson("GET", `/api/jobs/${job.id}?wait=1`);
      }
      return mine.over ? null : this.finish(job);
    } catch (error) {
      if (!mine.over) this.refuse(error);
      return null;
    } finally {
      shown.close();
      if (this.running === mine) this.running = null;
    }
  }

  // What follows a job and is over in a moment.
  async follow(text, promise) {
    const note = make("div", { class: "progress" }, make("progress", { "aria-label": "Progress" }), text);
    const mine = this.following = {};
    // Whatever was asked since has the place, and a refusal of it stays.
    const isLast = () => !this.running && this.following === mine;
    const timer = setTimeout(() => { if (isLast()) this.place.replaceChildren(note); }, PATIENCE);
    this.busy(1);
    try {
      return await promise;
    } finally {
      this.busy(-1);
      clearTimeout(timer);
      note.remove();
    }
  }

  // Jobs and what follows them overlap when something else is asked in between.
  busy(more) {
    this.pending += more;
    this.place.closest("[aria-busy]")?.setAttribute("aria-busy", `${this.pending > 0}`);
  }

  again() {
    this.place.dispatchEvent(new Event("again", { bubbles: true }));
  }

  clear() {
    this.place.replaceChildren();
    this.forgive();
  }

  forgive() {
    this.refusal?.dispatchEvent(new Event("forgiven"));
    this.refusal?.remove();
    this.refusal = this.failure = null;
  }

  finish(job) {
    if (job.state === "done") {
      this.clear();
      return job;
    }
    const ended = job.state === "cancelled" ? "Cancelled." : "The job failed.";
    this.refuse({ message: job.error ?? ended, hint: null, setting: job.setting, cures: job.cures });
    return null;
  }

  refuse(error) {
    this.clear();
    this.refusal = problem(error);
    this.failure = error;
    if (this.banner) this.banner(this.refusal, error);
    else this.place.append(this.refusal);
    this.refusal.scrollIntoView({ block: "nearest" });
  }

  // Whoever waits for `ending` finds the process free.
  cancel() {
    const job = this.running;
    this.following = null;
    if (!job) return;
    job.over = true;
    this.running = null;
    if (job.id) this.ending = askJson("DELETE", `/api/jobs/${job.id}`).catch(() => null);
  }

  // A job of a moment shows nothing, so that the page does not flicker.
  show(mine) {
    const text = make("span", {}, "Computing");
    const bar = make("progress", { "aria-label": "Progress", max: 1 });
    const stop = button("Cancel", async () => {
      this.cancel();
      await this.ending;
      this.clear();
      const again = button("run it again", () => this.again(), "link-button");
      this.place.append(make("p", { class: "note" }, "Cancelled. Change a setting, or ", again, "."));
      say("Cancelled.");
    });
    const panel = make("div", { class: "progress" }, bar, text, stop);
    const timer = setTimeout(() => { if (!mine.over) { this.place.replaceChildren(panel); say("Computing."); } }, PATIENCE);
    this.busy(1);
    return {
      update: (job) => {
        const { doing = "Computing", done, total } = job.progress ?? {};
        const far = total ? `: ${number(done)} of ${number(total)}` : "";
        text.textContent = job.state === "waiting" ? "Waiting for a free process" : `${doing}${far}`;
        if (total) bar.value = done / total;
        else bar.removeAttribute("value");
      },
      close: () => {
        clearTimeout(timer);
        panel.remove();
        this.busy(-1);
      },
    };
  }
}

// A page that is loaded anew finds the job it had started: the same files and settings have the same answer.
const keyOf = (asked) => `job ${JSON.stringify(asked)}`;

async function remembered(asked) {
  const id = sessionStorage.getItem(keyOf(asked));
  if (!id) return null;
  sessionStorage.removeItem(keyOf(asked));
  const job = await askJson("GET", `/api/jobs/${id}`).catch(() => null);
  return job && !["failed", "cancelled"].includes(job.state) ? job : null;
}

function remember(asked, id) {
  // A browser may forbid to keep anything; then everything is computed again.
  try {
    sessionStorage.setItem(keyOf(asked), id);
  } catch {}
}
