import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { fetchPatiently } from "../../../webui/site/static/site/source.js";

/** @param {[number, string][]} answers status and Retry-After, one after the other */
async function ask(...answers) {
  /** @type {number[]} */
  const times = [];
  /** @type {boolean[]} */
  const told = [];
  const server = createServer((_, answer) => {
    times.push(performance.now());
    const [status, after] = answers.shift() ?? [500, ""];
    answer.writeHead(status, { "Retry-After": after }).end();
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", () => { resolve(null); }); });
  const address = server.address();
  assert(address && typeof address === "object");
  try {
    const { status } = await fetchPatiently(`http://127.0.0.1:${address.port}/`, { lost: (isLost) => told.push(isLost) });
    return { status, told, waits: times.slice(1).map((time, number) => time - (times[number] ?? 0)) };
  } finally {
    server.close();
  }
}

test("a refused request waits for as long as the server asks, and says so", async () => {
  const { status, told, waits } = await ask([429, "2"], [200, ""]);
  assert.equal(status, 200);
  assert.deepEqual(told, [true, false]);
  assert((waits[0] ?? 0) >= 1990, `${waits}`);
});

test("without a time it waits longer each time", async () => {
  const { status, waits } = await ask([502, ""], [503, ""], [404, ""]);
  assert.equal(status, 404);
  assert((waits[0] ?? 0) >= 990 && (waits[1] ?? 0) >= 1990, `${waits}`);
});
