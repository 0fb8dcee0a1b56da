// Items and what is counted of them: right or wrong, where they differ, which fit a filter. Nothing here touches the page.

/**
 * @typedef {{
 *   id: string, a: number | null, b: number | null, texts: string[], of?: string[], by?: Record<string, number[]>
 * }} Item
 * @typedef {{
 *   title?: string, low?: number, high?: number, a?: number, b?: number, side?: "a" | "b", column?: number,
 *   value?: string | string[], of?: string[], measure?: string
 * }} Filter
 */

/** The two values of right-or-wrong items, the lower one first; null where scores have others.
 * @param {Item[]} items @returns {[number, number] | null} */
export function twoValues(items) {
  const found = new Set();
  for (const { a, b } of items) {
    found.add(a).add(b);
    if (found.size > 2) return null;
  }
  const [low, high] = [...found].sort((x, y) => x - y);
  return found.size === 2 ? [low, high] : null;
}

/** How many items both have right, only A, only B, neither, in this order, with the filter that finds each.
 * @param {Item[]} items @param {[number, number]} values @param {boolean} lower whether the lower value is right */
export function fourfold(items, [low, high], lower = false) {
  const [right, wrong] = lower ? [low, high] : [high, low];
  return [[right, right], [right, wrong], [wrong, right], [wrong, wrong]].map(([a, b]) => ({
    a, b, count: items.filter((item) => item.a === a && item.b === b).length,
  }));
}

/** What a bar counts of an item: the difference, or the score of one side; of several metrics, by the one that is named.
 * @param {Item} item @param {Filter} filter */
function counted(item, { side, measure }) {
  if (measure) return item.by?.[measure]?.[side ? "ab".indexOf(side) : 2] ?? NaN;
  return side ? item[side] : item.a - item.b;
}

/** The items that a filter and words leave, in their order; differences, or the scores of one side, in [low, high).
 * @param {Item[]} items @param {Filter} filter @param {string} [query] */
export function matching(items, filter, query = "") {
  const words = query.trim().toLowerCase();
  return items.filter((item) => {
    const d = counted(item, filter);
    if (filter.a !== undefined && item.a !== filter.a) return false;
    if (filter.b !== undefined && item.b !== filter.b) return false;
    if (filter.low !== undefined && !(d >= filter.low)) return false;
    if (filter.high !== undefined && !(d < filter.high)) return false;
    if (filter.of && !filter.of.every((system) => item.of?.includes(system) ?? true)) return false;
    if (filter.column !== undefined && ![filter.value].flat().includes(item.texts[filter.column])) return false;
    return !words || item.id.toLowerCase().includes(words) || item.texts.some((text) => text.toLowerCase().includes(words));
  });
}

/** The filter of each bar of a histogram; the last one holds its end.
 * @param {{ edges: number[], counts: number[] }} histogram @param {"a" | "b"} [side] whose scores, or the differences */
export function barsOf({ edges, counts }, side) {
  const last = counts.length - 1;
  return counts.map((count, i) => ({ side, low: edges[i], high: i === last ? Infinity : edges[i + 1], count }));
}

/** Bars over the differences: equal steps from the least to the greatest, with 0 between two bars or in the middle of one.
 * @param {number[]} differences @param {number} [most] */
export function bars(differences, most = 25) {
  const low = Math.min(0, ...minMax(differences)), high = Math.max(0, ...minMax(differences));
  if (low === high) return [{ low, high: low + 1, count: differences.length }];
  const step = niceStep((high - low) / most), first = Math.floor(low / step), last = Math.floor(high / step);
  const edge = (i) => (first + i) * step;
  const found = Array.from({ length: last - first + 1 }, (_, i) => ({ low: edge(i), high: edge(i + 1), count: 0 }));
  for (const d of differences) found[placeOf(d, found, step, first)].count += 1;
  return found;
}

// Rounding may put a difference beside its bar.
function placeOf(d, found, step, first) {
  let i = Math.min(found.length - 1, Math.max(0, Math.floor(d / step) - first));
  while (i > 0 && d < found[i].low) i -= 1;
  while (i < found.length - 1 && d >= found[i].high) i += 1;
  return i;
}

const minMax = (numbers) => numbers.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);

/** The next of 1, 2 and 5 times a power of ten.
 * @param {number} width */
export function niceStep(width) {
  const power = 10 ** Math.floor(Math.log10(width));
  return power * [1, 2, 5, 10].find((times) => times * power >= width * (1 - 1e-9));
}

/** The quartiles of numbers, between neighbours where they fall there.
 * @param {number[]} numbers */
export function quartiles(numbers) {
  const sorted = numbers.toSorted((x, y) => x - y);
  return [0.25, 0.5, 0.75].map((share) => {
    const at = share * (sorted.length - 1), below = Math.floor(at);
    return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
  });
}

/** The lines of a CSV text as records by its first line; a quoted field may hold commas, quotes and ends of lines.
 * @param {string} text @returns {Record<string, string>[]} */
export function recordsOf(text) {
  const lines = [[""]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    const line = lines[lines.length - 1];
    line[line.length - 1] = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    if (end === ",") line.push("");
    else if (end) lines.push([""]);
    else break;
  }
  const [names, ...rows] = lines.filter((line) => line.length > 1 || line[0]);
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? ""])));
}
