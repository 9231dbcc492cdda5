import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { loadFrames } from "../../../webui/site/static/site/viewer/load.js";

/** @param {number[]} statuses of the answers, one after the other */
async function load(...statuses) {
  /** @type {(string | undefined)[]} */
  const asked = [];
  const server = createServer((request, answer) => {
    asked.push(request.url);
    answer.writeHead(statuses.shift() ?? 500, { "Retry-After": "0.01" }).end('{"v":2}');
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", () => { resolve(null); }); });
  const address = server.address();
  assert(address && typeof address === "object");
  Object.assign(globalThis, { location: { search: "?view=2&d=7" } });
  try {
    const frames = await loadFrames({ dataset: { frames: `http://127.0.0.1:${address.port}/frames.json`, edition: "e1" } });
    return { asked, frames };
  } finally {
    server.close();
  }
}

test("frames that the server has no time for are asked for again", async () => {
  const { asked, frames } = await load(503, 503, 200);
  assert.deepEqual(frames, { v: 2 });
  assert.deepEqual(asked, Array(3).fill("/frames.json?e=e1&view=2"));
});

test("what is refused is not asked for again", async () => {
  await assert.rejects(load(404, 200), /404/);
});
