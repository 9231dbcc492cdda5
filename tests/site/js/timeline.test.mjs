// Where things lie on the line of the match, and how long a seat has thought.

import assert from "node:assert/strict";
import { test } from "node:test";

import { clock, untilNextSecond } from "../../../webui/site/static/site/viewer/thinking.js";
import { percent, shareBefore } from "../../../webui/site/static/site/viewer/timeline.js";

test("a ply lies between the start and the end", () => {
  assert.deepEqual([percent(0, 8), percent(2, 8), percent(8, 8), percent(0, 0)], ["0%", "25%", "100%", "0%"]);
});

test("a pointer beside the line is at its end", () => {
  const line = { left: 100, width: 200 };
  assert.deepEqual([50, 100, 150, 300, 400].map((x) => shareBefore(x, line)), [0, 0, 0.25, 1, 1]);
  assert.equal(shareBefore(5, { left: 0, width: 0 }), 0, "nothing is shown yet");
});

test("think time is minutes and seconds", () => {
  assert.deepEqual([0, 999, 1000, 59_999, 60_000, 3_725_000].map(clock), ["0:00", "0:00", "0:01", "0:59", "1:00", "62:05"]);
});

test("the clock is set anew when it shows another second", () => {
  assert.deepEqual([0, 250, 999, 1000].map(untilNextSecond), [1000, 750, 1, 1000]);
});
