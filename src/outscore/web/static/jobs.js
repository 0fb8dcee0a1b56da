// Long work: one job at a time for each place on the page, with progress, and a button that ends it.

import { askJson } from "./api.js";
import { button, make, number, problem, say } from "./dom.js";

const ENDED = ["done", "failed", "cancelled"];
const PATIENCE = 250;

export class Worker {
  // `place` shows progress and problems; what is under way is cancelled when something else is asked.
  constructor(place) {
    this.place = place;
    this.running = null;
    // Nobody waits for the result of a page that was left.
    addEventListener("pagehide", () => { if (this.running?.id) fetch(`/api/jobs/${this.running.id}`, { method: "DELETE", keepalive: true }); });
  }

  // The finished job, or null when it was cancelled or overtaken; what goes wrong is shown where the result would be.
  async run(command, files, settings) {
    const mine = { id: null, over: false };
    const before = this.cancel();
    // Before anything is waited for, so that whoever asks next finds this one to cancel.
    this.running = mine;
    await before;
    if (mine.over) return null;
    const shown = this.show(mine);
    try {
      let job = await askJson("POST", "/api/jobs", { command, files, settings });
      mine.id = job.id;
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
    const timer = setTimeout(() => { if (!this.running) this.place.replaceChildren(note); }, PATIENCE);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      note.remove();
    }
  }

  finish(job) {
    if (job.state === "done") {
      this.place.replaceChildren();
      return job;
    }
    this.refuse({ message: job.error ?? (job.state === "cancelled" ? "Cancelled." : "The job failed."), hint: null });
    return null;
  }

  refuse(error) {
    this.place.replaceChildren(problem(error));
    say(error.message);
  }

  async cancel() {
    const job = this.running;
    if (!job || job.over) return;
    job.over = true;
    this.running = null;
    if (job.id) await askJson("DELETE", `/api/jobs/${job.id}`).catch(() => null);
  }

  // A job of a moment shows nothing, so that the page does not flicker.
  show(mine) {
    const text = make("span", {}, "Waiting for a free process");
    const bar = make("progress", { "aria-label": "Progress", max: 1 });
    const stop = button("Cancel", async () => {
      await this.cancel();
      this.place.replaceChildren(make("p", { class: "note" }, "Cancelled. Change a setting, or ", button("run it again", () => this.place.dispatchEvent(new Event("again", { bubbles: true })), "link-button"), "."));
      say("Cancelled.");
    });
    const panel = make("div", { class: "progress" }, bar, text, stop);
    const timer = setTimeout(() => { if (!mine.over) { this.place.replaceChildren(panel); say("Computing."); } }, PATIENCE);
    this.place.closest("[aria-busy]")?.setAttribute("aria-busy", "true");
    return {
      update: (job) => {
        const { doing, done, total } = job.progress ?? {};
        text.textContent = job.state === "waiting" ? "Waiting for a free process" : doing ? `${doing}${total ? `: ${number(done)} of ${number(total)}` : ""}` : "Computing";
        if (total) bar.value = done / total;
        else bar.removeAttribute("value");
      },
      close: () => {
        clearTimeout(timer);
        panel.remove();
        this.place.closest("[aria-busy]")?.setAttribute("aria-busy", "false");
      },
    };
  }
}
