// What a browser remembers: the token of the server, the ids of results that it has seen, since the server tells nobody about
// results that they do not know, and how far down a page was read, which comes to its length only with its answer.

const TOKEN = "token", RESULTS = "results", MOST = 100;

// The address that the server printed holds its token. It is kept here, where no other server of this machine sees it, and
// taken out of the address, which people share, bookmark and show.
const given = new URLSearchParams(location.search).get(TOKEN);
if (given !== null) {
  keep(TOKEN, given);
  const rest = new URLSearchParams(location.search);
  rest.delete(TOKEN);
  history.replaceState(null, "", `${location.pathname}?${rest}`.replace(/\?$/, "") + location.hash);
}

export function token() {
  try {
    return localStorage.getItem(TOKEN) ?? given;
  } catch {
    return given;
  }
}

export function rememberResult(id) {
  keep(RESULTS, JSON.stringify([id, ...seenResults().filter((other) => other !== id)].slice(0, MOST)));
}

export function forgetResult(id) {
  keep(RESULTS, JSON.stringify(seenResults().filter((other) => other !== id)));
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

// A browser may forbid to keep anything; then there is no list, and each page wants the token in its address.
function keep(name, text) {
  try {
    localStorage.setItem(name, text);
  } catch {}
}

const PLACE = "place ";

// How far down the reader was who comes back to this page, to be called before its address is written; 0 for everybody else.
export function placeBefore() {
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(PLACE + location.href, `${scrollY}`);
    } catch {}
  });
  const [came] = performance.getEntriesByType("navigation");
  return came?.type === "back_forward" ? Number(sessionStorage.getItem(PLACE + location.href)) : 0;
}
