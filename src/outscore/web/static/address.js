// The address holds everything that was chosen: files by the part they play, and settings that differ from their defaults.

export function readAddress(fields, search = location.search) {
  const query = new URLSearchParams(search);
  const files = {}, settings = {};
  for (const field of fields) {
    const given = query.getAll(field.name).filter((value) => value !== "");
    if (!given.length) continue;
    if (field.type === "file") files[field.name] = given.flatMap((ids) => ids.split(",")).filter(Boolean);
    else if (field.many || field.type === "several") settings[field.name] = given;
    else if (given.length === 1) [settings[field.name]] = given;
  }
  return { files, settings };
}

// What the address asks for and the form does not hold: unknown names, values that do not fit or mean nothing beside others.
/** @param {any} [given] an address, or pairs of names and values */
export function leftOut(fields, kept, given = location.search) {
  const query = new URLSearchParams(given);
  const written = (value) => [value ?? ""].flat().map(String).sort().join(" ");
  const isKept = (name) => {
    const own = fields.filter((field) => field.name === name), asked = written(query.getAll(name));
    return own.some((field) => field.type === "file" || asked === written(kept[name] ?? field.default));
  };
  const lost = [...query].filter(([name, value]) => value !== "" && name !== "along" && !isKept(name));
  return lost.map(([name, value]) => `${name}=${value}`);
}

export function addressOf(path, files, settings) {
  const query = new URLSearchParams();
  for (const [part, ids] of Object.entries(files)) if (ids.length) query.set(part, ids.join(","));
  for (const [name, value] of Object.entries(settings)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, one);
  }
  // Commas and colons are allowed in a query, and a person may read it.
  const written = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return written ? `${path}?${written}` : path;
}

// `step` is one to go back from; its number tells whether there is one before it and one behind.
export function writeAddress(files, settings, step = false) {
  const address = addressOf(location.pathname, files, settings), at = history.state?.step ?? 0;
  if (step && address !== location.pathname + location.search) history.pushState({ step: at + 1 }, "", address + location.hash);
  else history.replaceState({ step: at }, "", address + location.hash);
}
