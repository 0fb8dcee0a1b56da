// A saved result: from a file, or one of this session, named in the address, whose files are gone.

import { askJson } from "./api.js";
import { byId, make, told } from "./dom.js";
import { rememberResult } from "./memory.js";
import { View, open } from "./view.js";
import { enliven } from "./tables.js";

class Saved extends View {
  async begin() {
    const id = new URLSearchParams(location.search).get("result");
    if (!id) return super.begin();
    this.files = { files: [] };
    this.job = await askJson("GET", `/api/jobs/${encodeURIComponent(id)}`);
    if (this.job.state !== "done") throw new Error(this.job.error ?? "This result is not available yet.");
    byId("files").hidden = true;
    rememberResult(this.job.id);
    this.show(this.job, ...await this.worker.follow("Drawing charts and tables", this.load(this.job.result)));
    for (const part of document.querySelectorAll(".report")) enliven(part);
    byId("work").replaceChildren(...this.job.notes.map((note) => make("p", { class: "note noted" }, told(note))));
  }
}

open(new Saved());
