// The steps in which an action is chosen, by paths that were written by hand.

import assert from "node:assert/strict";
import test from "node:test";

import { decided, following, given, remaining, setOf } from "../../../webui/site/static/site/viewer/paths-of-choice.js";

/** @param {string} text @param {...string} path */
const action = (text, ...path) => ({ text, words: text, group: "", path, gain: null, goes_on: false });

const DROPS = [
  action("drop A2 r", "tile-A2", "meeples-r"),
  action("drop B1 r", "tile-B1", "meeples-r"),
  action("drop B1 y", "tile-B1", "meeples-y"),
];
const MARKET = [
  action("buy 1 2", "card-1", "card-2"),
  action("buy 1 4", "card-1", "card-4"),
  action("buy 2 4", "card-2", "card-4"),
  action("pass", "do-pass"),
  action("use sloar f", "own-sloar", "pay-f"),
];
const SALE = [
  action("use enki w A1", "own-enki", "tile-A1", "pay-w"),
  action("sell fish", "good-fish"),
  action("sell fish ivory", "good-fish", "good-ivory"),
  action("sell ivory", "good-ivory"),
  action("end", "do-end"),
];

test("a tile on which one tribe can be dropped decides at once, and another asks which", () => {
  assert.deepEqual(following(DROPS, []), ["tile-A2", "tile-B1"]);
  assert.equal(decided(DROPS, ["tile-A2"])?.text, "drop A2 r");
  assert.equal(decided(DROPS, ["tile-B1"]), null);
  assert.deepEqual(following(DROPS, ["tile-B1"]), ["meeples-r", "meeples-y"]);
  assert.equal(decided(DROPS, ["tile-B1", "meeples-y"])?.text, "drop B1 y");
});

test("cards of the market are chosen in any order, and the last one buys", () => {
  assert.deepEqual(following(MARKET, []), ["card-1", "card-2", "card-4", "do-pass", "own-sloar"]);
  assert.equal(decided(MARKET, ["card-4"]), null);
  assert.deepEqual(following(MARKET, ["card-4"]), ["card-1", "card-4", "card-2"]);
  assert.equal(decided(MARKET, ["card-4", "card-1"])?.text, "buy 1 4");
  assert.equal(decided(MARKET, ["do-pass"])?.text, "pass");
});

test("a single card of the market buys at once", () => {
  const small = [action("buy 1", "card-1"), action("buy 3", "card-3"), action("pass", "do-pass")];
  assert.equal(decided(small, ["card-3"])?.text, "buy 3");
});

test("a power is never used without being asked for its payment", () => {
  assert.equal(decided(MARKET, ["own-sloar"]), null);
  assert.equal(decided(MARKET, ["own-sloar", "pay-f"])?.text, "use sloar f");
  assert.equal(decided(SALE, ["own-enki", "tile-A1"]), null);
});

test("goods are never sold by choosing them: the sale has a button", () => {
  assert.equal(decided(SALE, ["good-ivory", "good-fish"]), null);
  assert.equal(setOf(SALE, ["good-ivory", "good-fish"])?.text, "sell fish ivory");
  assert.equal(setOf(SALE, ["good-ivory"])?.text, "sell ivory");
  assert.deepEqual(remaining(SALE, ["good-ivory"]).map(({ text }) => text), ["sell fish ivory", "sell ivory"]);
});

test("a bid asks for Fakirs only where there is a choice", () => {
  const bids = [action("bid 1", "spot-1", "fakirs-0"), action("bid 2", "spot-2", "fakirs-0"), action("bid 2 f 1", "spot-2", "fakirs-1")];
  assert.equal(decided(bids, ["spot-1"])?.text, "bid 1");
  assert.equal(decided(bids, ["spot-2"]), null);
  assert.equal(decided(bids, ["spot-2", "fakirs-1"])?.text, "bid 2 f 1");
});

test("what all actions begin with is given, but a sole action is left to choose", () => {
  const flights = [action("fly A1 r", "item-carpet", "tile-A1", "meeples-r"), action("fly B2 r", "item-carpet", "tile-B2", "meeples-r")];
  assert.deepEqual(given(flights), ["item-carpet"]);
  assert.deepEqual(given(DROPS), []);
  assert.deepEqual(given([action("end", "do-end")]), []);
  assert.deepEqual(given([]), []);
});
