import assert from "node:assert/strict";
import { test } from "node:test";

import { chartData, leadChanges, median } from "../../../webui/site/static/site/viewer/chart-data.js";
import { spreadOut } from "../../../webui/site/static/site/viewer/charts.js";
import { Frames, VERSION } from "../../../webui/site/static/site/viewer/frames.js";
import { fixture } from "./fixtures.mjs";

const WORDS = { mean: "mean", median: "median", most: "most", all: "together" };

const frames = new Frames({
  v: VERSION,
  frames: {
    d: [null, 0, 1, 1], round: [1, 1, 1, 2], act: [1, 2, 1, 0], seat: [null, 1, 2, 1],
    scores: [{ 1: [50, 0], 2: [50, 0] }, { 1: [47, 0] }, { 2: [50, 4] }, { 1: [40, 0] }],
    bid: [null, 3, 0, 7], options: [null, 10, 4, 1], ms: [null, 1500, 20, 500],
    marks: [null, [["lead", 2, ""]], [["djinn", 2, ""]], [["lead", 2, ""]]],
  },
  parts: {}, sources: ["gold", "viziers"], seats: ["A", "B"], is_over: true,
});

test("totals: a line a seat, a row a round", () => {
  const { lines, rows, rounds } = chartData("total", frames, 1, WORDS);
  assert.deepEqual(lines.map(({ name, colour, values }) => [name, colour, values]),
    [["1 A", "--seat-1-ink", [50, 47, 47, 40]], ["2 B", "--seat-2-ink", [50, 50, 54, 54]]]);
  assert.deepEqual(rows, [[1, 47, 54], [2, 40, 54]]);
  assert.equal(rounds, null);
});

test("chances: from 0 to 100 percent at each ply", () => {
  const chances = [[50, 50], [62, 38], [40, 60], [0, 100]];
  const { lines, rows, unit } = chartData("chance", frames, 1, WORDS, chances);
  assert.deepEqual(lines.map(({ values }) => values), [[50, 62, 40, 0], [50, 38, 60, 100]]);
  assert.deepEqual(rows, [[1, 40, 60], [2, 0, 100]]);
  assert.equal(unit, "\u202f%");
});

test("points of a seat by source: those that it has", () => {
  const { lines, rows } = chartData("source", frames, 2, WORDS);
  assert.deepEqual(lines.map(({ name, colour }) => [name, colour]), [["gold", "--cat-gold"], ["viziers", "--cat-viziers"]]);
  assert.deepEqual(rows, [[1, 50, 4], [2, 50, 4]]);
  assert.deepEqual(chartData("source", frames, 1, WORDS).lines.map(({ name }) => name), ["gold"]);
});

test("gold paid for bids, round by round", () => {
  const { lines, rows, rounds } = chartData("bids", frames, 1, WORDS);
  assert.deepEqual([rounds, lines.map(({ values }) => values), rows], [[1, 2], [[3, 7], [0, 0]], [[1, 3, 0], [2, 7, 0]]]);
});

test("a dot a decision, and what they come to", () => {
  const options = chartData("options", frames, 1, WORDS);
  assert.ok(options.areDots);
  assert.deepEqual(options.lines.map(({ values }) => values), [[null, 10, null, 1], [null, null, 4, null]]);
  assert.deepEqual([options.head, options.rows], [["mean", "median", "most", "together"], [["1 A", "5.5", "10", "10", "11"], ["2 B", "4", "4", "4", "4"]]]);
  assert.deepEqual(chartData("think", frames, 1, WORDS).rows[1], ["2 B", "0.02", "0.02", "0.02", "0.02"]);
});

test("a seat that decided nothing has zeros", () => {
  const nobody = new Frames({ v: VERSION, frames: { d: [null], round: [1], act: [1] }, parts: {}, sources: [], seats: ["A"], is_over: false });
  assert.deepEqual(chartData("options", nobody, 1, WORDS).rows, [["1 A", "0", "0", "0", "0"]]);
});

test("median and lead changes", () => {
  assert.deepEqual([median([]), median([7]), median([9, 1, 5]), median([4, 1, 3, 2])], [0, 7, 5, 3]);
  assert.equal(leadChanges(frames), 2);
});

test("the lines of golden games end at the result", () => {
  for (const { document, totals } of fixture("frames")) {
    const { lines } = chartData("total", new Frames(document), 1, WORDS);
    assert.deepEqual(lines.map(({ values }) => values.at(-1)), totals);
  }
});

test("labels at the ends of lines keep apart, in their order, and below the top", () => {
  assert.deepEqual(spreadOut([40, 10, 12], 0), [40, 10, 25]);
  assert.deepEqual(spreadOut([-5, -3], 0), [0, 15]);
  assert.deepEqual(spreadOut([], 0), []);
});
