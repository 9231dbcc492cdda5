// The four steps of the proof. Each gives what it compared, or throws a `Difference` that names the first thing that
// is not as it should be.

import { commitmentOf, matchSeed } from "./chance.js";
import { setUp } from "./setup.js";
import { fromHex, joined, sha256, toHex } from "./sha256.js";

/**
 * @import { Stream } from "./chance.js"
 * @import { Proof, Replay, Urn } from "../../../types/replay.d.ts"
 * @typedef {{ where: string, expected: string, published: string }} Found
 */

/** @type {["format" | "rules", string][]} */
const KNOWN = [["format", "naqala/replay/1"], ["rules", "naqala-rules/1"]];

export class Difference extends Error {
  /**
   * @param {string} what the id of a text of the page
   * @param {Record<string, unknown>} [values] its gaps
   * @param {number | null} [index] the event where it was found
   */
  constructor(what, values = {}, index = null) {
    super(`${what} ${JSON.stringify(values)}`);
    this.what = what;
    this.values = values;
    this.index = index;
  }
}

/**
 * 1: the seed is the one that was promised.
 * @param {Replay} replay
 * @param {string | undefined} promised the commitment that the page shows
 */
export function checkSeed(replay, promised) {
  for (const [key, known] of KNOWN) {
    if (replay[key] !== known) throw new Difference("unknown", { key, value: String(replay[key]) });
  }
  const seed = fromHex(replay.seed), deal = replay.deal ? fromHex(replay.deal) : null;
  const serverSeed = replay.server_seed ? fromHex(replay.server_seed) : null;
  const expected = toHex(commitmentOf(serverSeed ?? seed, deal));
  for (const published of [promised, replay.commitment]) {
    if (published !== expected) throw new Difference("commitment", { expected, published });
  }
  if (serverSeed) {
    if (replay.nonces.length !== replay.ruleset.players) throw new Difference("nonces");
    checkHashes(replay.nonces, replay.nonce_hashes);
    const made = toHex(matchSeed(serverSeed, replay.nonces.map(fromHex)));
    if (made !== replay.seed) throw new Difference("seed", { expected: made, published: replay.seed });
  }
}

/** @param {string} nonce in hex @returns {string} */
const hashOf = (nonce) => toHex(sha256(fromHex(nonce)));

/**
 * A nonce that was not revealed is empty, and fits any hash: its seat has forfeited.
 * @param {string[]} nonces
 * @param {string[]} hashes as they were given before any nonce was revealed
 */
function checkHashes(nonces, hashes) {
  for (const [place, nonce] of nonces.entries()) {
    if (nonce && hashOf(nonce) !== hashes[place]) throw new Difference("hash", { seat: place + 1 });
  }
}

/**
 * 2: the seed gives this set-up. Gives the stream, which stands where later chance begins.
 * @param {Replay} replay
 */
export function checkSetUp(replay) {
  const { players, expansions } = replay.ruleset;
  const { position, stream } = setUp(players, expansions, fromHex(replay.seed), replay.deal ? fromHex(replay.deal) : null);
  const found = firstDifference(position, replay.setup, "");
  if (found) throw new Difference("setup", found);
  return stream;
}

/**
 * 3: the decisions are those that the arena's rules have played through, and every later draw and shuffle comes from the
 * same seed. Gives the number of draws.
 * @param {Replay} replay
 * @param {Proof} proof
 * @param {Stream} stream
 */
export function checkEvents(replay, proof, stream) {
  const letters = new TextEncoder();
  let chain = new Uint8Array(32), draws = 0;
  for (const [index, [seat, text]] of replay.events.entries()) {
    if (proof.fault?.index === index) throw new Difference("illegal", { reason: proof.fault.message }, index);
    if (seat === 0) {
      const urn = proof.urns[index];
      if (urn) checkDraw(text, urn, stream, index);
      else if (!proof.fault) throw new Difference("event", { text }, index); // the rules know of no chance here
      draws++;
    }
    chain = sha256(joined(chain, letters.encode(`${seat} ${text}`)));
    if (proof.chain[index] !== toHex(chain).slice(0, 8)) throw new Difference("event", { text }, index);
  }
  if (proof.chain.length !== replay.events.length) throw new Difference("missing", {}, replay.events.length);
  return draws;
}

/** @param {string} text @param {Urn} urn @param {Stream} stream @param {number} index */
function checkDraw(text, urn, stream, index) {
  const expected = "bag" in urn ? `!bag ${stream.draw(urn.bag, urn.count)}`
    : `!shuffle ${text.split(" ")[1]} ${stream.shuffle(urn.cards).join(" ")}`;
  if (text !== expected) throw new Difference("chance", { expected, published: text }, index);
}

/**
 * 4: scores and ranks are those that follow.
 * @param {Replay} replay
 * @param {Proof} proof
 */
export function checkResult(replay, proof) {
  if (proof.fault) throw new Difference("illegal", { reason: proof.fault.message }, proof.fault.index);
  const found = firstDifference(proof.result, replay.result, "result");
  if (found) throw new Difference("result", found);
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isTree = (value) => value !== null && typeof value === "object";

/**
 * Where two JSON values first differ, or null.
 * @param {unknown} expected
 * @param {unknown} published
 * @param {string} where the path so far
 * @returns {Found | null}
 */
export function firstDifference(expected, published, where) {
  if (!isTree(expected) || !isTree(published) || Array.isArray(expected) !== Array.isArray(published)) {
    return expected === published ? null : { where, expected: shown(expected), published: shown(published) };
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(published)])) {
    const found = firstDifference(expected[key], published[key], where ? `${where}.${key}` : key);
    if (found) return found;
  }
  return null;
}

/** @param {unknown} value */
const shown = (value) => (value === undefined ? "–" : JSON.stringify(value));
