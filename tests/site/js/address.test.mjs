import assert from "node:assert/strict";
import { test } from "node:test";

import { decisionIn, keepDecision, query, withDecision, withView } from "../../../webui/site/static/site/viewer/address.js";

const MATCH = "https://arena.test/matches/m1/";

test("the decision that an address asks for", () => {
  /** @type {[string, string | null][]} */
  const asked = [["", null], ["?d=12", "12"], ["?view=2&d=137", "137"], ["#main", null], ["?d=4#main", "4"]];
  for (const [address, decision] of asked) assert.equal(decisionIn(new URL(MATCH + address)), decision, address);
});

test("an address asks for a decision in one place", () => {
  assert.equal(String(withDecision(`${MATCH}?d=4&view=2`, "12")), `${MATCH}?d=12&view=2`);
  assert.equal(String(withDecision(`${MATCH}?d=9`, null)), MATCH);
});

test("whose eyes", () => {
  assert.equal(String(withView(`${MATCH}?view=1&d=9`, "2")), `${MATCH}?view=2&d=9`);
  assert.equal(String(withView(`${MATCH}?view=1&d=9`, "")), `${MATCH}?d=9`);
  assert.equal(String(query("?view=2&d=8", { d: "9" })), "d=9&view=2");
  assert.equal(String(query("", { d: "9" })), "d=9");
  assert.equal(String(query("?spoilers=0&chart=chance", { d: "9" })), "d=9&spoilers=0");
});

test("many steps change the address once, to the last", async (context) => {
  context.after(() => { Reflect.deleteProperty(globalThis, "history"); Reflect.deleteProperty(globalThis, "location"); });
  /** @type {string[]} */
  const kept = [];
  const done = new Promise((resolve) => {
    Reflect.set(globalThis, "location", { href: MATCH });
    Reflect.set(globalThis, "history", { replaceState: (/** @type {unknown} */ _, /** @type {string} */ __, /** @type {URL} */ to) => resolve(kept.push(to.href)) });
  });
  for (const name of ["1", "2", "3"]) keepDecision(name);
  await done;
  assert.deepEqual(kept, [`${MATCH}?d=3`]);
});
