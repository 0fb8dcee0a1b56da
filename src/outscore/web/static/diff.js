// Diffs: one form, one result, and a task that the files nearly always give away.

import { taskOf } from "./parts.js";
import { View, open } from "./view.js";

class Differences extends View {
  complete(settings) {
    settings.task ||= taskOf([...this.infos.values()]);
  }
}

open(new Differences());
