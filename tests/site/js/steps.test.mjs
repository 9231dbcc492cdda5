import assert from "node:assert/strict";
import { test } from "node:test";

import { Frames, VERSION } from "../../../webui/site/static/site/viewer/frames.js";
import { byUnit, parseStep, stepOfKey, target } from "../../../webui/site/static/site/viewer/steps.js";

/** @import { Step } from "../../../webui/site/static/site/viewer/steps.js" */

const frames = new Frames({
  v: VERSION,
  frames: { d: [null, 0, 1, 1, 1], round: [1, 1, 1, 2, 2], act: [1, 1, 1, 1, 0], turn: [null, 1, null, 1, null] },
  parts: {}, sources: [], seats: ["A", "B"], is_over: true,
});

test("every step leads to a ply", () => {
  /** @type {Record<Step, number>} */
  const led = { first: 0, last: 4, previous: 1, next: 3, previous_turn: 1, next_turn: 3, previous_round: 0, next_round: 3 };
  for (const [name, ply] of Object.entries(led)) assert.equal(target(frames, 2, parseStep(name)), ply, name);
});

test("at the ends nothing leads further", () => {
  for (const step of ["first", "previous", "previous_turn", "previous_round"]) assert.equal(target(frames, 0, parseStep(step)), 0, step);
  for (const step of ["last", "next", "next_turn", "next_round"]) assert.equal(target(frames, 4, parseStep(step)), 4, step);
});

test("the two buttons in the middle go by the chosen unit", () => {
  assert.deepEqual([byUnit("next", ""), byUnit("next", "turn"), byUnit("previous", "round"), byUnit("last", "round")],
    ["next", "next_turn", "previous_round", "last"]);
});

test("a name that is no step is an error", () => {
  for (const name of [undefined, "", "toString", "next_year"]) assert.throws(() => parseStep(name), RangeError);
});

test("keys that step", () => {
  /** @param {string} key @param {boolean} [shiftKey] */
  const step = (key, shiftKey = false) => stepOfKey({ key, code: key.length === 1 ? `Key${key.toUpperCase()}` : key, shiftKey });
  assert.deepEqual(["ArrowLeft", "ArrowRight", "Home", "End", "r", "m"].map((key) => step(key)), ["previous", "next", "first", "last", "next_round", null]);
  assert.deepEqual(["ArrowLeft", "ArrowRight", "R"].map((key) => step(key, true)), ["previous_turn", "next_turn", "previous_round"]);
  assert.equal(stepOfKey({ key: "к", code: "KeyR", shiftKey: false }), "next_round", "on a Russian keyboard");
});
