// Results as in saved reports: tables are sorted and searched, charts saved, and folds open for whoever is sent there.

import { byId } from "./dom.js";

import { offerCharts } from "./saving.js";
import { enliven as sortable } from "./sorting.js";

export function enliven(part) {
  sortable(part);
  offerCharts(part);
}

// A part of the page that is folded away is opened for whoever is sent there.
export function unfold(id) {
  for (let fold = byId(id)?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}
