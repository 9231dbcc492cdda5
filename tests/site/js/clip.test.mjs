import assert from "node:assert/strict";
import { test } from "node:test";

import { plan } from "../../../webui/site/static/site/viewer/clip-plan.js";
import { Frames, VERSION } from "../../../webui/site/static/site/viewer/frames.js";

const ROUND = Array.from({ length: 21 }, () => 1);
const frames = new Frames({
  v: VERSION,
  frames: { d: ROUND.map((_, at) => (at ? 1 : null)), round: ROUND, act: ROUND },
  parts: {}, sources: [], seats: ["A"], is_over: true,
});

// A decision without motions is looked at for 640 ms, and takes 250 ms; 700 ms for the first and 1400 ms for the last.

test("a clip shows whole decisions until its length is used up", () => {
  const shots = plan(frames, 3, 5000, 1); // 2900 ms for 890 ms each: three, and a fourth that begins within them
  assert.deepEqual(shots.map(({ ply }) => ply), [3, 4, 5, 6, 7]);
  assert.deepEqual(shots.map(({ ms }) => ms), [700, 890, 890, 890, 1400]);
});

test("twice as fast shows more of the match in the same time", () => {
  assert.deepEqual(plan(frames, 0, 5000, 2).map(({ ply }) => ply), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test("a clip ends with the match", () => {
  assert.deepEqual(plan(frames, 19, 10000, 1).map(({ ply }) => ply), [19, 20]);
});

test("from the end it shows the decisions that led there", () => {
  assert.deepEqual(plan(frames, 20, 5000, 1).map(({ ply }) => ply), [17, 18, 19, 20]);
});
