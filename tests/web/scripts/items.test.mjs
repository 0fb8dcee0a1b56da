// What the page computes itself, checked by hand and against plain counting.

import assert from "node:assert/strict";
import { test } from "node:test";

const folder = "../../../src/outscore/web/static/";
const { bars, barsOf, fourfold, matching, niceStep, quartiles, recordsOf, twoValues } = await import(`${folder}items.js`);
const item = (a, b, id = "x", texts = []) => ({ id, a, b, texts });

test("right-or-wrong items have two values, in any coding", () => {
  assert.deepEqual(twoValues([item(0, 1), item(1, 1)]), [0, 1]);
  assert.deepEqual(twoValues([item(100, 0)]), [0, 100]);
  assert.equal(twoValues([item(0, 1), item(0.5, 1)]), null);
  assert.equal(twoValues([item(1, 1)]), null);
});

test("the four counts add up, and where lower is better right is the lower one", () => {
  const items = [item(1, 1), item(1, 0), item(1, 0), item(0, 1), item(0, 0)];
  assert.deepEqual(fourfold(items, [0, 1]).map(({ count }) => count), [1, 2, 1, 1]);
  assert.deepEqual(fourfold(items, [0, 1], true).map(({ count }) => count), [1, 1, 2, 1]);
});

test("every difference lies in one bar, which finds it again", () => {
  for (let seed = 1; seed < 60; seed += 1) {
    const items = Array.from({ length: seed * 3 }, (_, i) => item(Math.sin(i * seed) / seed, Math.cos(i + seed) / 3));
    const found = bars(items.map(({ a, b }) => a - b));
    assert.equal(found.reduce((sum, { count }) => sum + count, 0), items.length);
    for (const bar of found) assert.equal(matching(items, bar).length, bar.count);
    assert.ok(found.length <= 30);
  }
});

test("one value is one bar", () => {
  assert.deepEqual(bars([0, 0]), [{ low: 0, high: 1, count: 2 }]);
});

test("words are found in ids and texts", () => {
  const items = [item(1, 0, "q1", ["Why?"]), item(0, 1, "q2", ["How?"])];
  assert.deepEqual(matching(items, {}, "HOW").map(({ id }) => id), ["q2"]);
  assert.deepEqual(matching(items, { a: 1 }, "").map(({ id }) => id), ["q1"]);
  assert.deepEqual(matching(items, { column: 0, value: "Why?" }).map(({ id }) => id), ["q1"]);
});

test("steps are 1, 2 or 5", () => {
  assert.deepEqual([0.03, 0.1, 0.11, 3, 7].map(niceStep).map((x) => Number(x.toPrecision(3))), [0.05, 0.1, 0.2, 5, 10]);
});

test("quartiles of 1 to 5", () => assert.deepEqual(quartiles([5, 3, 1, 2, 4]), [2, 3, 4]));

test("bars of a histogram find what it counted, on one side or of the differences", () => {
  const items = [item(0.1, 0.9), item(0.5, 0.5), item(1, 0), item(0.2, 0.1)], edges = [0, 0.5, 1];
  const found = (side) => barsOf({ edges, counts: [2, 2] }, side).map((bar) => matching(items, bar).length);
  assert.deepEqual(found("a"), [2, 2]);
  assert.deepEqual(found("b"), [2, 2]);
  assert.deepEqual(barsOf({ edges: [-1, 0, 1], counts: [1, 3] }).map((bar) => matching(items, bar).length), [1, 3]);
});

test("bars of a metric find the items by what it counts of them", () => {
  const by = (a, b, d) => ({ ...item(null, null), by: { BLEU: [a, b, d] } });
  const items = [by(10, 20, -3), by(30, 5, 4), item(null, null)];
  assert.deepEqual(matching(items, { measure: "BLEU", low: 0, high: 10 }), [items[1]]);
  assert.deepEqual(matching(items, { measure: "BLEU", side: "b", low: 20, high: Infinity }), [items[0]]);
  assert.equal(matching(items, { measure: "TER", low: 0 }).length, 0);
});

test("an item is found by the systems that it is about, and by one of several values", () => {
  const met = (of, judge) => ({ ...item(null, null, "q", [judge]), of });
  const items = [met(["x", "y"], "j1"), met(["y", "z"], "j2"), met(["z", "x"], "j3")];
  assert.deepEqual(matching(items, { of: ["x"] }), [items[0], items[2]]);
  assert.deepEqual(matching(items, { of: ["x", "z"] }), [items[2]]);
  assert.deepEqual(matching(items, { column: 0, value: ["j1", "j2"] }), items.slice(0, 2));
  assert.equal(matching([item(1, 0)], { of: ["x"] }).length, 1);
});

test("numbers of charts are read as they are written", () => {
  assert.deepEqual(recordsOf('system,elo\n"a, ""b""\nc",1\r\nd,\n'), [{ system: 'a, "b"\nc', elo: "1" }, { system: "d", elo: "" }]);
  assert.deepEqual(recordsOf("x\n1\n2"), [{ x: "1" }, { x: "2" }]);
});
