// Everything that moves: the loop, paths, pieces, rows of cards.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Loop } from "../../../webui/site/static/site/viewer/loop.js";
import { dwell, pieces, STAGES } from "../../../webui/site/static/site/viewer/motions.js";
import { ease, easeDrop, gathered, line, spread } from "../../../webui/site/static/site/viewer/paths.js";
import { matchCards } from "../../../webui/site/static/site/viewer/transitions.js";
import { fixture } from "./fixtures.mjs";

/** @type {((now: number) => void) | null} */
let requested = null;

beforeEach(() => {
  requested = null;
  Reflect.set(globalThis, "requestAnimationFrame", (/** @type {(now: number) => void} */ tick) => { requested = tick; return 1; });
});

/** The browser paints: what was asked for happens. @param {number} now */
function paint(now) {
  const tick = requested;
  requested = null;
  tick?.(now);
}

test("a move is shown from 0 to 1, and then the loop rests", async () => {
  const loop = new Loop();
  /** @type {number[]} */
  const shown = [];
  const over = loop.run(100, (share) => shown.push(share));
  for (const now of [1000, 1025, 1099, 1130]) paint(now);
  await over;
  assert.deepEqual(shown, [0, 0, 0.25, 0.99, 1]);
  assert.equal(requested, null);
});

test("a move that is late waits at its beginning", () => {
  const loop = new Loop();
  /** @type {number[]} */
  const shown = [];
  loop.run(100, (share) => shown.push(share), 50);
  for (const now of [0, 40, 100]) paint(now);
  assert.deepEqual(shown, [0, 0, 0, 0.5]);
});

test("a loop that is stopped shows every end at once", async () => {
  const loop = new Loop();
  /** @type {Record<string, number>} */
  const at = {};
  const over = Promise.all([loop.run(100, (share) => { at.a = share; }), loop.run(900, (share) => { at.b = share; }, 200)]);
  paint(0);
  paint(50);
  loop.stop();
  await over;
  assert.deepEqual(at, { a: 1, b: 1 });
  paint(60);
  assert.equal(requested, null);
});

/** @param {number[]} point */
const rounded = (point) => point.map((each) => Math.round(1e6 * each) / 1e6 + 0);

test("a path begins and ends where it should, bowed upwards between", () => {
  for (const path of [line([0, 0], [10, 20], ease, 40), line([0, 0], [10, 20], easeDrop, 4), gathered([0, 0], [5, 5], [10, 20])]) {
    assert.deepEqual(rounded(path(0)), [0, 0]);
    assert.deepEqual(rounded(path(1)), [10, 20]);
  }
  assert.deepEqual(rounded(line([0, 0], [10, 0], (share) => share, 40)(0.5)), [5, -40]);
  assert.deepEqual(rounded(gathered([0, 0], [5, 5], [10, 20])(0.4)), [5, 5], "first together");
});

test("easing begins at 0, ends at 1, and a drop goes a little too far", () => {
  for (const easing of [ease, easeDrop]) assert.deepEqual([Math.abs(easing(0)) < 1e-12, easing(1)], [true, 1]);
  const shares = Array.from({ length: 100 }, (_, at) => at / 100);
  assert.ok(shares.every((share) => ease(share) < 1));
  assert.ok(shares.some((share) => easeDrop(share) > 1));
});

test("many pieces lie side by side, never wider than 90 units", () => {
  assert.equal(spread(0, 1), 0);
  assert.deepEqual([0, 1, 2].map((index) => spread(index, 3)), [-20, 0, 20]);
  for (const count of [2, 5, 12]) assert.ok(spread(count - 1, count) - spread(0, count) <= 90, String(count));
});

test("a motion of many symbols is six pieces at most", () => {
  assert.deepEqual(pieces([["leave", "coin", "a", "b", 2, 3]]).map(({ nth, seat }) => [nth, seat]), [[0, 3], [1, 3]]);
  assert.equal(pieces([["pick", "m-r", "a", "a", 9, 0]]).length, 6);
});

test("what is picked up is looked at longer than a drop", () => {
  const [pick, drop, other] = /** @type {const} */ (["pick", "drop", "leave"]).map((kind) => dwell([[kind, "m-r", "a", "b", 1, 0]]));
  assert.deepEqual([pick, drop, other, dwell([])], [420, 90, 640, 640]);
});

test("every motion of the golden games is played in some stage", () => {
  const kinds = new Set(STAGES.flat());
  for (const { document } of fixture("frames")) {
    for (const motions of document.frames.motions) for (const [kind] of motions ?? []) assert.ok(kinds.has(kind), kind);
  }
});

/** @param {string} symbols */
const cards = (symbols) => [...symbols].map((symbol, left) => ({ symbol, left, top: 0, centre: /** @type {[number, number]} */ ([left, 0]) }));

test("what is passed over in a row was taken, what follows slides, what is new fades in", () => {
  const { taken, moves } = matchCards(cards("abcd"), cards("acdxy"));
  assert.deepEqual(taken.map(({ symbol }) => symbol), ["b"]);
  assert.deepEqual(moves.map(({ card, from }) => [card.symbol, from?.left ?? null]), [["a", 0], ["c", 2], ["d", 3], ["x", null], ["y", null]]);
});

test("of two equal cards the first that is left is the one", () => {
  const { taken, moves } = matchCards(cards("aab"), cards("ab"));
  assert.deepEqual(moves.map(({ from }) => from?.left), [0, 2]);
  assert.deepEqual(taken.map(({ left }) => left), [1]);
  assert.deepEqual(matchCards(cards("abc"), []).taken.length, 3);
});
