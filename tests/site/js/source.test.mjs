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

/**
 * Ask a server that fails at the first request. The page's long timers are 40 times as fast, not the short ones of `fetch` itself.
 * @param {import("node:test").TestContext} context
 * @param {(answer: import("node:http").ServerResponse) => void} fail what the server does with the first request
 */
async function askAfter(context, fail) {
  const { setTimeout } = globalThis;
  context.mock.method(globalThis, "setTimeout", (/** @type {() => void} */ work, ms = 0) => setTimeout(work, ms > 5000 ? ms / 40 : ms));
  let isFirst = true;
  /** @type {boolean[]} */
  const told = [];
  const server = createServer((_, answer) => {
    if (isFirst) fail(answer);
    else answer.end("whole");
    isFirst = false;
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", () => { resolve(null); }); });
  const address = server.address();
  assert(address && typeof address === "object");
  try {
    const answer = await fetchPatiently(`http://127.0.0.1:${address.port}/`, { lost: (isLost) => told.push(isLost) });
    return { told, text: await answer.text() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

for (const [what, fail] of /** @type {[string, (answer: import("node:http").ServerResponse) => void][]} */ ([
  ["is never answered", () => {}],
  ["is answered in part", (answer) => { answer.writeHead(200, { "Content-Length": 5 }).flushHeaders(); }],
  ["breaks off", (answer) => { answer.writeHead(200, { "Content-Length": 5 }).end("who", () => answer.destroy()); }],
])) {
  test(`a request that ${what} is repeated`, { timeout: 60_000 }, async (context) => {
    const { told, text } = await askAfter(context, fail);
    assert.equal(text, "whole");
    assert.equal(told[0], true);
    assert.equal(told.at(-1), false);
  });
}

test("a time before now is no time", async () => {
  const { waits } = await ask([503, "-5"], [200, ""]);
  assert((waits[0] ?? 0) >= 990, `${waits}`);
});

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
