// Which results this browser has seen: their ids only, since the server tells nobody about results that they do not know.

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
