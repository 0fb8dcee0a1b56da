// The state of the explorer in the address, so that it can be sent, kept and gone back to: #explore?pair=1&gold=NOUN&q=river.

const ADDRESS = "#explore", OWN = ["pair", "q", "sort", "page", "item"];

function addressOf(state) {
  const { query, ...chosen } = state.filter, written = new URLSearchParams();
  if (state.pair) written.set("pair", state.pair + 1);
  for (const [key, name] of Object.entries(chosen)) written.set(key, name);
  if (query) written.set("q", query);
  if (state.order !== "file") written.set("sort", state.order);
  if (state.page) written.set("page", state.page + 1);
  if (state.item !== null) written.set("item", state.item + 1);
  return written.size ? `${ADDRESS}?${written}` : ADDRESS;
}

// What an address asks for; null if it is none of ours, such as that of a heading.
function readAddress(hash) {
  if (hash && hash !== ADDRESS && !hash.startsWith(`${ADDRESS}?`)) return null;
  const written = new URLSearchParams(hash.slice(ADDRESS.length + 1)), filter = { query: written.get("q") ?? "" };
  const index = (name, none) => { const found = Number.parseInt(written.get(name), 10); return found > 0 ? found - 1 : none; };
  for (const [key, name] of written) if (!OWN.includes(key)) filter[key] = name;
  return { pair: index("pair", 0), filter, order: written.get("sort") ?? "file", page: index("page", 0), item: index("item", null) };
}

// A choice is a step to go back to; typing and turning pages are not.
function remember(isStep = true) {
  const address = addressOf(state);
  if (address === (location.hash || ADDRESS)) return;
  history[isStep ? "pushState" : "replaceState"](history.state, "", address);
}

// Copied, or shown to be copied where the browser does not allow it.
async function copyLink(button) {
  const text = location.href.split("#")[0] + addressOf(state), said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = said; }, 1500);
  } catch {
    const field = make("input", { type: "text", class: "to-copy", readonly: true, value: text, "aria-label": "Link to copy" });
    button.after(field);
    field.select();
    field.addEventListener("blur", () => field.remove());
  }
}
