// What a browser remembers: the ids of results that it has seen, since the server tells nobody about results that they do not
// know, and how far down a page was read, which comes to its length only with its answer.

const RESULTS = "results", MOST = 100;

export function rememberResult(id) {
  write([id, ...seenResults().filter((other) => other !== id)].slice(0, MOST));
}

export function forgetResult(id) {
  write(seenResults().filter((other) => other !== id));
}

// The latest first.
export function seenResults() {
  try {
    const found = JSON.parse(localStorage.getItem(RESULTS) ?? "[]");
    return Array.isArray(found) ? found.filter((id) => /^[\w-]+$/.test(id)) : [];
  } catch {
    return [];
  }
}

// A browser may forbid to keep anything; then there is no list.
function write(ids) {
  try {
    localStorage.setItem(RESULTS, JSON.stringify(ids));
  } catch {}
}

const PLACE = "place ";

// How far down the reader was who comes back to this page, to be called before its address is written; 0 for everybody else.
export function placeBefore() {
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(PLACE + location.href, scrollY);
    } catch {}
  });
  const [came] = performance.getEntriesByType("navigation");
  return came?.type === "back_forward" ? Number(sessionStorage.getItem(PLACE + location.href)) : 0;
}
