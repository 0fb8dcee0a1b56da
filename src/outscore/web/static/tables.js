// Tables of results: sorted and searched as in saved reports, and unfolded for whoever is sent to one.

import { byId } from "./dom.js";

export { enliven, keyOf } from "./sorting.js";

// A part of the page that is folded away is opened for whoever is sent there.
export function reveal(id) {
  const part = byId(id);
  for (let fold = part?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  part?.scrollIntoView({ block: "start" });
}
