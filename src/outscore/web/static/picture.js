// The picture beside a verdict: what suits the data, and every part of it leads to its items.

import { counted, make, number } from "./dom.js";
import { bars, fourfold, quartiles, twoValues } from "./items.js";

const DRAWING = "http://www.w3.org/2000/svg", WIDE = 460, HIGH = 150, CLOUD = 34, MARGIN = 24;
// So many dots still are dots.
const MOST_DOTS = 2000;

/** The picture of all items of a comparison: a table of right and wrong, or a cloud of differences over its box. */
export function pictureOf({ systems, items }, { lower, interval, difference }, open) {
  const values = twoValues(items);
  if (!values) return cloud(systems, items, { interval, difference }, open);
  const repeated = new Set(items.map(({ id }) => id)).size < items.length;
  return table(systems, fourfold(items, values, lower), repeated, open);
}

function table(systems, cells, repeated, open) {
  const total = cells.reduce((sum, { count }) => sum + count, 0);
  const kinds = ["both right", `only ${systems[0]} right`, `only ${systems[1]} right`, "both wrong"];
  const cell = ({ a, b, count }, i) => {
    const filter = { a, b, title: `${counted(count, "item")}: ${kinds[i]}` };
    const share = `${((100 * count) / total).toFixed(1)}%`;
    const label = `${kinds[i]}: ${number(count)}, ${share}`;
    return make("td", { class: ["same", "a", "b", "same"][i] }, make("button", {
      type: "button", class: "cell-button", disabled: !count, "aria-label": label, click: () => open(filter),
    }, make("strong", {}, number(count)), make("small", {}, share)));
  };
  const [both, first, second, neither] = cells.map(cell);
  const head = (text, scope) => make("th", { scope }, text);
  return make("figure", { class: "fourfold-figure" },
    make("figcaption", {}, `Both systems on the same ${repeated ? "items and runs" : "items"}; choose a number to see them`),
    make("table", { class: "fourfold" },
      make("thead", {}, make("tr", {}, make("td", {}), head(`${systems[1]} right`, "col"), head(`${systems[1]} wrong`, "col"))),
      make("tbody", {},
        make("tr", {}, head(`${systems[0]} right`, "row"), both, first),
        make("tr", {}, head(`${systems[0]} wrong`, "row"), second, neither))));
}

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(DRAWING, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Where each difference would lie on paper: bars above, dots below, and between them the box and the mean with its interval.
function cloud(systems, items, { interval, difference }, open) {
  const differences = items.map(({ a, b }) => a - b), found = bars(differences);
  const low = found[0].low, high = found.at(-1).high, most = Math.max(...found.map(({ count }) => count));
  const x = (value) => MARGIN + ((value - low) / (high - low || 1)) * (WIDE - 2 * MARGIN);
  const top = HIGH - CLOUD - 30, y = (count) => 8 + (top - 8) * (1 - count / most);
  const parts = found.filter(({ count }) => count).map((bar) => barOf(bar, x, y, top, systems, open));
  const [q1, median, q3] = quartiles(differences), middle = top + 16;
  parts.push(draw("rect", { class: "box", x: x(q1), y: middle - 6, width: Math.max(1, x(q3) - x(q1)), height: 12 }),
    draw("path", { class: "median", d: `M${x(median)} ${middle - 6}v12` }),
    draw("path", { class: "zero", d: `M${x(0)} 4V${HIGH - 16}` }));
  const ends = interval && [interval.low ?? low, interval.high ?? high];
  if (ends) parts.push(draw("path", { class: "mean", d: `M${x(ends[0])} ${middle}H${x(ends[1])}` }));
  parts.push(draw("circle", { class: "mean", cx: x(difference), cy: middle, r: 4 }));
  // The same items lie at the same height every time.
  const dots = differences.length > MOST_DOTS ? [] : differences.map((d, i) =>
    draw("circle", { class: "item-dot", cx: x(d), cy: top + 28 + ((i * 0.618034) % 1) * (CLOUD - 14), r: 1.6 }));
  const label = (value) => draw("text", { x: x(value), y: HIGH - 2, "text-anchor": "middle" }, short(value));
  const ticks = low < 0 && high > 0 ? [low, 0, high] : [low, high];
  const caption = `Differences ${systems[0]} − ${systems[1]} of ${counted(items.length, "item")}, with their quartiles `
    + "and the mean with its interval; choose a bar to see its items";
  return make("figure", { class: "cloud-figure" }, make("figcaption", {}, caption),
    draw("svg", { class: "cloud", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group", "aria-label": caption },
      ...parts, ...dots, ...ticks.map(label)));
}

function barOf(bar, x, y, top, systems, open) {
  const title = `${counted(bar.count, "item")}: ${systems[0]} − ${systems[1]} from ${short(bar.low)} to ${short(bar.high)}`;
  const side = bar.high <= 0 ? "b" : "a";
  const shape = draw("rect", {
    class: `bar-of ${side}`, tabindex: "0", role: "button", "aria-label": title,
    x: x(bar.low) + 0.5, y: y(bar.count), width: Math.max(1, x(bar.high) - x(bar.low) - 1), height: top - y(bar.count),
  }, draw("title", {}, title));
  return leading(shape, () => open({ low: bar.low, high: bar.high, title }));
}

/** The shapes of this kind that a chart of a report draws for its rows, in their order. */
export const shapesOf = (figure, kind) => [...figure.querySelectorAll(`.mark-${kind}.role-mark path`)];

/** Makes a shape of a chart lead somewhere. */
export function leadFrom(shape, title, follow) {
  const svg = shape.closest("svg");
  // What is drawn over a shape would be in the way of the pointer.
  svg.classList.add("leads-on");
  svg.setAttribute("role", "group");
  const role = { tabindex: "0", role: "button", "aria-label": title };
  for (const [name, value] of Object.entries(role)) shape.setAttribute(name, value);
  shape.classList.add("bar-of");
  leading(shape, follow);
}

// A shape that leads somewhere, by the mouse and by the keyboard.
export function leading(shape, follow) {
  shape.addEventListener("click", follow);
  shape.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    follow();
  });
  return shape;
}

const short = (value) => `${Number(value.toPrecision(3))}`.replace("-", "−");
