import assert from "node:assert/strict";
import { test } from "node:test";

import { changed, Frames, VERSION } from "../../../webui/site/static/site/viewer/frames.js";
import { fixture } from "./fixtures.mjs";

/** @import { FramesDocument } from "../../../webui/site/types/frames.d.ts" */

/** @returns {FramesDocument} */
const small = () => ({
  v: VERSION,
  frames: {
    d: [null, 1, 3, 1, 1], // 1, 4, 5, 6: two events of chance belong to decision 1
    round: [1, 1, 1, 2, 2],
    act: [1, 2, 1, 2, 0],
    seat: [null, 1, 2, 1, 2],
    turn: [null, 1, null, 1, null],
    scores: [{ 1: [3, 1], 2: [0, 0] }, null, { 2: [2, 5] }, null, null],
  },
  parts: { market: [0, [0, 0, "<p>1</p>"], 2, [3, 4, "2"], 1, { 1: "p>3" }], late: [3, [0, 0, "<i></i>"]] },
  sources: ["gold", "tiles"],
  seats: ["A", "B"],
  is_over: true,
});

test("a change keeps the first and the last characters, or replaces pieces", () => {
  assert.equal(changed("abcdef", [2, 1, "-"]), "ab-f");
  assert.equal(changed("", [0, 0, "<p>1</p>"]), "<p>1</p>");
  assert.equal(changed("<a>1<b>2<c>3", { 1: "a>9", 3: "c>8" }), "<a>9<b>2<c>8");
  assert.equal(changed("same", {}), "same");
});

test("characters are code points, as the server counts them", () => {
  assert.equal(changed("🐪 1 🐪", [2, 2, "2"]), "🐪 2 🐪");
  assert.equal(changed("1 🐪", [0, 2, "🐪"]), "🐪 🐪");
});

test("values a column become one frame a ply", () => {
  const frames = new Frames(small());
  assert.equal(frames.last, 4);
  assert.deepEqual(frames.at(0), { round: 1, act: 1, scores: { 1: [3, 1], 2: [0, 0] } });
  assert.deepEqual(frames.at(3), { d: 5, round: 2, act: 2, seat: 1, turn: 1 });
  assert.throws(() => frames.at(5), RangeError);
});

test("frames of another version are refused", () => {
  assert.throws(() => new Frames({ ...small(), v: VERSION + 1 }), /version/);
});

test("a part has its latest text, and none before its first", () => {
  const frames = new Frames(small());
  assert.deepEqual([0, 1, 2, 3, 4].map((ply) => frames.text("market", ply)), ["<p>1</p>", "<p>1</p>", "<p>2</p>", "<p>3</p>", "<p>3</p>"]);
  assert.deepEqual([2, 3].map((ply) => frames.text("late", ply)), ["", "<i></i>"]);
  assert.deepEqual([...frames.table(1).keys()], ["market", "late"]);
});

test("indices of the log and plies", () => {
  const frames = new Frames(small());
  assert.deepEqual(["0", "1", "2", "3", "4", "5", "6", "99"].map((name) => frames.plyOf(name)), [0, 1, 2, 2, 2, 3, 4, 4]);
  for (const name of [null, undefined, "", "x", "-1", "1234567890"]) assert.equal(frames.plyOf(name), 4, String(name));
  assert.deepEqual([0, 1, 3].map((ply) => frames.nameOf(ply)), ["0", "1", "5"]);
});

test("points are those of the last frame that names the seat", () => {
  const frames = new Frames(small());
  assert.deepEqual([0, 1, 2, 4].map((ply) => frames.total(ply, 2)), [0, 0, 7, 7]);
  assert.deepEqual(frames.points(4, 1), [3, 1]);
  const { frames: columns, ...rest } = small();
  delete columns.scores;
  assert.equal(new Frames({ frames: columns, ...rest }).total(4, 1), null, "they are hidden");
});

test("the next decision, turn and round in both directions", () => {
  const frames = new Frames(small());
  assert.deepEqual([frames.next(0, "decision", -1), frames.next(2, "decision", 1), frames.next(4, "decision", 1)], [0, 3, 4]);
  assert.deepEqual([frames.next(0, "turn", 1), frames.next(1, "turn", 1), frames.next(3, "turn", 1)], [1, 3, 4]);
  assert.deepEqual([frames.next(4, "turn", -1), frames.next(3, "turn", -1), frames.next(1, "turn", -1)], [3, 1, 0]);
  assert.deepEqual([frames.next(0, "round", 1), frames.next(3, "round", 1), frames.next(4, "round", -1), frames.next(3, "round", -1)], [3, 4, 3, 0]);
  assert.deepEqual(frames.rounds(), [{ round: 1, first: 0, last: 2 }, { round: 2, first: 3, last: 4 }]);
});

test("a running match grows by a frame", () => {
  const frames = new Frames(small());
  frames.add({ v: VERSION, d: 7, round: 3, act: 1, seat: 1, parts: { market: [0, 0, "<b></b>"], fresh: [0, 0, "<s></s>"] } });
  assert.equal(frames.last, 5);
  assert.deepEqual([frames.text("market", 4), frames.text("market", 5), frames.text("fresh", 5)], ["<p>3</p>", "<b></b>", "<s></s>"]);
  assert.deepEqual([frames.total(5, 1), frames.total(5, 2), frames.nameOf(5)], [4, 7, "7"]);
});

test("what the server encodes is what it renders, in golden games of every ruleset", () => {
  for (const { name, document, decisions, tables, totals } of fixture("frames")) {
    const frames = new Frames(document);
    assert.deepEqual(frames.all.slice(1).map(({ d }) => d), decisions, name);
    for (const [ply, table] of Object.entries(tables)) assert.deepEqual(Object.fromEntries(frames.table(Number(ply))), table, `${name}, ply ${ply}`);
    for (const [at, total] of totals.entries()) assert.equal(frames.total(frames.last, at + 1), total, name);
  }
});

test("no name of a bot becomes markup", () => {
  let isNamed = false;
  for (const { name, document, seen, moves } of fixture("frames")) {
    for (const frames of [new Frames(document), new Frames(seen)]) {
      assert.match(frames.seats.join(""), /<img/);
      for (let ply = 0; ply <= frames.last; ply++) {
        for (const [part, text] of frames.table(ply)) {
          assert.doesNotMatch(text, /<img/, `${name}, ${part} at ply ${ply}`);
          isNamed ||= text.includes("&lt;img");
        }
      }
    }
    for (const line of moves) assert.doesNotMatch(line, /<img/, name);
  }
  assert.ok(isNamed);
});
