// Diffs: one form, one result, and a task that the files nearly always give away.

import { taskOf } from "./parts.js";
import { View, open } from "./view.js";

class Differences extends View {
  complete(settings) {
    settings.task ||= taskOf([...this.infos.values()]);
  }

  // One table may hold the right answers and the systems.
  get lacking() {
    const whole = (this.files.gold ?? []).some((id) => this.infos.get(id)?.whole);
    return super.lacking.filter((field) => !whole || field.name !== "files");
  }
}

open(new Differences());
