import assert from "node:assert/strict";
import { test } from "node:test";

import { askAt } from "../../../webui/site/static/site/viewer/again.js";

test("the decision that is reproduced is the open one, or the last before it", () => {
  const asks = [3, 9, 14];
  /** @type {[number, number][]} */
  const cases = [[0, 3], [3, 3], [8, 3], [9, 9], [13, 9], [14, 14], [200, 14]];
  for (const [index, ask] of cases) assert.equal(askAt(asks, index), ask, String(index));
});
