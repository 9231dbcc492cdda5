// What a browser works out to verify a match, against what the rules core works out.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { commitmentOf, matchSeed, Stream } from "../../../webui/site/static/site/verify/chance.js";
import { checkEvents, checkResult, checkSeed, checkSetUp, Difference, firstDifference } from "../../../webui/site/static/site/verify/check.js";
import { setUp } from "../../../webui/site/static/site/verify/setup.js";
import { fromHex, joined, sha256, toHex } from "../../../webui/site/static/site/verify/sha256.js";
import { fixture } from "./fixtures.mjs";

/** @import { Proof, Replay } from "../../../webui/site/types/replay.d.ts" */

test("SHA-256 of messages of every length around the blocks", () => {
  for (const length of [...Array(130).keys(), 183, 184, 250, 1000]) {
    const message = Uint8Array.from({ length }, (_, i) => (7 * i) % 256);
    assert.equal(toHex(sha256(message)), createHash("sha256").update(message).digest("hex"), String(length));
  }
});

test("hex digits and bytes", () => {
  assert.deepEqual([...fromHex("00fF10")], [0, 255, 16]);
  assert.equal(toHex(joined(Uint8Array.of(0, 255), new Uint8Array(), Uint8Array.of(16))), "00ff10");
  for (const text of ["0", "0g", " 00", undefined, null, 12]) assert.throws(() => fromHex(text), /not hex digits/);
});

test("every ruleset is set up as the rules core does", () => {
  const games = fixture("setups");
  assert.ok(games.length >= 300);
  for (const { players, expansions, seed, deal, position, at } of games) {
    const made = setUp(players, expansions, fromHex(seed), deal && fromHex(deal));
    const name = `${players} ${expansions} ${seed} ${deal}`;
    assert.equal(firstDifference(position, made.position, ""), null, name);
    assert.deepEqual(made.position, position, name);
    assert.equal(made.stream.at, at, `later chance would begin elsewhere: ${name}`);
  }
});

test("seeds, numbers, shuffles and draws come out the same", () => {
  const { seed, nonces, made, numbers, shuffled, bag, drawn, commitments } = fixture("chance");
  const stream = new Stream(fromHex(seed));
  assert.equal(toHex(matchSeed(fromHex(seed), nonces.map(fromHex))), made);
  assert.deepEqual(numbers.map((/** @type {number} */ _, /** @type {number} */ i) => stream.below(2 ** 31 + 1 + i)), numbers); // nearly every second word is rejected
  assert.deepEqual(stream.shuffle(["a", "b", "c", "d", "e"]), shuffled);
  assert.equal(stream.draw(bag, drawn.length), drawn);
  for (const { deal, commitment } of commitments) assert.equal(toHex(commitmentOf(fromHex(seed), deal && fromHex(deal))), commitment);
});

/**
 * Check a replay as the panel does.
 * @param {Replay} replay
 * @param {Proof} proof
 * @param {string} [promised]
 */
function check(replay, proof, promised = replay.commitment ?? "") {
  checkSeed(replay, promised);
  const draws = checkEvents(replay, proof, checkSetUp(replay));
  checkResult(replay, proof);
  return draws;
}

/** @returns {{ replay: Replay, proof: Proof }} */
const eventful = () => fixture("replay");

test("a true replay is accepted", () => {
  const { replay, proof } = eventful();
  const draws = replay.events.filter(([seat]) => seat === 0);
  assert.ok(draws.some(([, text]) => text.startsWith("!bag")) && draws.some(([, text]) => text.startsWith("!shuffle")));
  assert.equal(check(replay, proof), draws.length);
});

/** @type {[string, (replay: Replay, proof: Proof) => void, what: string][]} */
const FALSE = [
  ["another format", (replay) => { replay.format = "naqala/replay/9"; }, "unknown"],
  ["another server seed", (replay) => { replay.server_seed = "00".repeat(32); }, "commitment"],
  ["another nonce", (replay) => { replay.nonces[1] = "00".repeat(16); }, "hash"],
  ["another nonce, with its hash", (replay) => {
    replay.nonces[1] = "00".repeat(16);
    replay.nonce_hashes[1] = toHex(sha256(fromHex(replay.nonces[1])));
  }, "seed"],
  ["another hash", (replay) => { replay.nonce_hashes.reverse(); }, "hash"],
  ["a hash less", (replay) => { replay.nonce_hashes.pop(); }, "hash"],
  ["a nonce less", (replay) => { replay.nonces.pop(); }, "nonces"],
  ["another tile", (replay) => { /** @type {any} */ (replay.setup).board.tiles.C2.value += 1; }, "setup"],
  ["more in the set-up", (replay) => { /** @type {any} */ (replay.setup).extra = 1; }, "setup"],
  ["another decision", (replay) => { const at = replay.events.findIndex(([seat]) => seat); replay.events[at] = [1, "end"]; }, "event"],
  ["another draw", (replay) => { const at = replay.events.findIndex(([, text]) => text.startsWith("!bag")); replay.events[at] = [0, "!bag ppp"]; }, "chance"],
  ["a draw that the proof keeps silent about", (_, proof) => { proof.urns = {}; }, "event"],
  ["an event less", (replay) => { replay.events.pop(); }, "missing"],
  ["another result", (replay) => { /** @type {any} */ (replay.result).scores[0].total += 100; }, "result"],
  ["what the rules refuse", (_, proof) => { proof.fault = { index: 5, code: "ILLEGAL", message: "no" }; }, "illegal"],
];

for (const [name, falsify, what] of FALSE) {
  test(`refused: ${name}`, () => {
    const { replay, proof } = eventful();
    falsify(replay, proof);
    assert.throws(() => check(replay, proof), (error) => error instanceof Difference && error.what === what);
  });
}

test("a replay must be the one that was promised", () => {
  const { replay, proof } = eventful();
  assert.throws(() => check(replay, proof, "ab".repeat(32)), (error) => error instanceof Difference && error.what === "commitment");
});

test("the first difference of two documents is named", () => {
  assert.equal(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, ""), null);
  assert.deepEqual(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, ""), { where: "a.1.b", expected: "2", published: "3" });
  assert.deepEqual(firstDifference({}, { a: 1 }, "top"), { where: "top.a", expected: "–", published: "1" });
  assert.deepEqual(firstDifference([1], { 0: 1 }, "top"), { where: "top", expected: "[1]", published: '{"0":1}' });
  assert.deepEqual(firstDifference(null, {}, "top"), { where: "top", expected: "null", published: "{}" });
});
