import assert from "node:assert/strict";
import test from "node:test";
import { choose } from "./choose.js";
import type { DecisionRequest__Output as DecisionRequest } from "./gen/arena/wire/v1/DecisionRequest.js";

const nobody = { viziers: 0, elders: 0, merchants: 0, builders: 0, assassins: 0, artisans: 0 };
const view = {
  board: {
    tiles: [
      { name: "A1", value: 6, owner: 0, meeples: { ...nobody, elders: 2 } },
      { name: "B1", value: 8, owner: 2, meeples: { ...nobody, builders: 1 } },
      { name: "C1", value: 4, owner: 0, meeples: { ...nobody, viziers: 1, assassins: 2 } },
    ],
  },
};

for (const [want, legal] of [
  ["bid 10", ["bid 10", "bid 2"]],
  ["take C1", ["take A1", "take B1", "take C1"]],
  ["drop A1 w", ["drop A1 w", "drop B1 w", "drop C1 w"]],
  ["build 3", ["build 0", "build 3"]],
  ["end", ["sell fish ivory", "end"]],
  ["use enki w A1", ["use enki w A1", "end"]],
] as [string, string[]][]) {
  test(`takes ${want}`, () => {
    const { action, why } = choose({ view, legal } as unknown as DecisionRequest);
    assert.equal(action, want);
    assert.match(why, /^worth /);
  });
}
