// A complete small bot for the Naqala arena, made from the .proto files alone. It plays random legal actions:
// write your own `choose`. Everything below it keeps the stream alive and finds the way back when it is lost.
//
//   npm ci && ARENA_SERVER=127.0.0.1:50051 ARENA_TOKEN=... npm start
//
// The first Ctrl-C finishes the running matches, the second stops at once.
import { createHash, randomBytes, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

/** Decide: one action, or several to be played in order. `request.view` is all that your seat may see (game.proto). */
function choose(request) {
  return request.legal[randomInt(request.legal.length)];
}

const SERVER = process.env.ARENA_SERVER ?? "127.0.0.1:50051"; // https://host:port with TLS
const TOKEN = process.env.ARENA_TOKEN ?? "";
// The same after a restart: token and process name together get the running matches back.
const PROCESS = process.env.ARENA_PROCESS ?? `${hostname()}-node`;
const VERSION = "1.0.0";
const MAX_MATCHES = 4;
// What it is ready to play besides the base game; tables of five come with these.
const EXPANSIONS = ["artisans", "whims"];
const MAX_PAUSE_MS = 30_000;
// Trying again cannot help where the same hello would get the same answer.
const FINAL = new Set([
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.INVALID_ARGUMENT,
  grpc.status.FAILED_PRECONDITION,
  grpc.status.UNIMPLEMENTED,
  grpc.status.ABORTED,
]);

// The .proto files: a copy beside this file, or those of the arena's repository.
const here = dirname(fileURLToPath(import.meta.url));
const protoPath = [process.env.ARENA_PROTO, join(here, "proto"), join(here, "../../../proto")].find(
  (path) => path && existsSync(join(path, "arena/wire/v1/bot.proto")),
);
if (!protoPath) throw new Error("put the arena's proto folder beside bot.js, or name it in ARENA_PROTO");
const definition = protoLoader.loadSync("arena/wire/v1/bot.proto", {
  includeDirs: [protoPath],
  enums: String,
  longs: String, // a ping's id has 64 bits, more than a number holds
  defaults: true,
  oneofs: true,
});
const { BotService } = grpc.loadPackageDefinition(definition).arena.wire.v1;

const matches = new Map(); // match id -> { seat, nonce, answer }
let stream = null;
let leaving = false;
let failures = 0;
let pauseTimer = null;

const log = (...words) => console.error(new Date().toISOString(), ...words);
const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
const send = (message) => stream?.write(message);
const matchOf = (id) => matches.get(id) ?? matches.set(id, { seat: 0, nonce: Buffer.alloc(0), answer: null }).get(id);

function connect() {
  pauseTimer = null;
  const tls = SERVER.startsWith("https://");
  const credentials = tls ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
  const client = new BotService(SERVER.replace("https://", ""), credentials, {
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 10_000,
  });
  const call = (stream = client.Play());
  let ended = false;
  let watch = null;
  const stillAlive = (silence) => {
    clearTimeout(watch);
    watch = setTimeout(() => call.cancel(), silence);
  };
  let silence = 15_000; // until the welcome tells how often the server pings
  const end = (status) => {
    if (ended) return;
    ended = true;
    clearTimeout(watch);
    client.close();
    stream = null;
    if (leaving && matches.size === 0) return finish(0);
    if (FINAL.has(status.code)) {
      log("refused:", status.details);
      return finish(1);
    }
    // Twice as long after every failure, and never all bots at the same moment.
    const pause = Math.random() * Math.min(MAX_PAUSE_MS, 500 * 2 ** failures++);
    log(`stream lost (${status.details || status.code}), again in ${Math.round(pause)} ms`);
    pauseTimer = setTimeout(connect, pause);
  };
  call.on("error", end);
  call.on("status", end);
  call.on("data", (message) => {
    if (message.welcome) {
      failures = 0;
      silence = 3 * message.welcome.limits.pingIntervalMs || silence;
    }
    stillAlive(silence);
    take(message);
  });
  stillAlive(silence);
  send({
    hello: {
      token: TOKEN,
      version: VERSION,
      process: PROCESS,
      sdk: "node-starter/1.0.0",
      maxMatches: MAX_MATCHES,
      expansions: EXPANSIONS,
      wantsLegal: true,
      protocol: "arena.wire/2",
      running: [...matches.keys()],
    },
  });
}

function take(message) {
  switch (message.kind) {
    case "welcome":
      log(`connected as ${message.welcome.bot}`);
      for (const matchId of message.welcome.over) matches.delete(matchId);
      if (leaving) send({ leave: {} });
      break;
    case "ping":
      send({ pong: { id: message.ping.id } });
      break;
    case "offer":
      offered(message.offer);
      break;
    case "revealRequest":
      reveal(message.revealRequest);
      break;
    case "resumed":
      log(`${message.resumed.matchId}: goes on at ${message.resumed.index}`);
      matchOf(message.resumed.matchId);
      if (message.resumed.request) asked(message.resumed.request);
      break;
    case "request":
      asked(message.request);
      break;
    case "fault":
      log(`${message.fault.matchId}: fault ${message.fault.reason} ${message.fault.rule} ${message.fault.message}`);
      break;
    case "matchEnd":
      log(`${message.matchEnd.matchId}: ended, placements ${message.matchEnd.verdict.placements}`);
      over(message.matchEnd.matchId);
      break;
    case "matchAborted":
      log(`${message.matchAborted.matchId}: aborted, ${message.matchAborted.reason}`);
      over(message.matchAborted.matchId);
      break;
    case "error":
      log(`error ${message.error.reason}: ${message.error.message}`);
      break;
    // What is newer than this bot is not for it.
  }
}

function offered({ matchId, terms }) {
  if (!matches.has(matchId)) {
    if (leaving || matches.size >= MAX_MATCHES) return send({ decline: { matchId, reason: "no free place" } });
    matches.set(matchId, { seat: terms.seat, nonce: randomBytes(16), answer: null });
    log(`${matchId}: started`);
  }
  send({ accept: { matchId, nonceHash: sha256(matches.get(matchId).nonce) } });
}

// All have accepted, and nobody can choose another nonce any more: this one is given away, if its hash is in its place.
function reveal({ matchId, nonceHashes }) {
  const { seat, nonce } = matchOf(matchId);
  const fixed = nonceHashes[seat - 1]?.equals(sha256(nonce));
  if (!fixed) log(`${matchId}: the hash of my nonce is not in its place`);
  send({ reveal: { matchId, nonce: fixed ? nonce : Buffer.alloc(0) } });
}

function asked(request) {
  const match = matchOf(request.matchId);
  // The same index again: the answer was lost with a stream, so it is given again.
  if (match.answer?.index !== request.index) {
    const actions = [choose(request)].flat();
    match.answer = { matchId: request.matchId, index: request.index, actions };
  }
  send({ answer: match.answer });
}

function over(matchId) {
  matches.delete(matchId);
  if (leaving && matches.size === 0) stream?.end();
}

function interrupted() {
  if (leaving) return finish(130);
  leaving = true;
  log(`leaving, ${matches.size} matches to finish`);
  send({ leave: {} });
  if (matches.size > 0) return;
  if (stream) stream.end();
  else finish(0);
}

function finish(code) {
  clearTimeout(pauseTimer);
  process.exit(code);
}

if (!TOKEN) {
  log("set ARENA_TOKEN to the token from your bot's page");
  process.exit(2);
}
process.on("SIGINT", interrupted);
process.on("SIGTERM", interrupted);
connect();
