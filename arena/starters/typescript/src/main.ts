// A complete small bot for the Naqala arena. Write your own choose (choose.ts); this file keeps the stream
// alive and reconnects when it is lost. The first Ctrl-C finishes the running matches, the second stops at once.
import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";
import type { Answer } from "./gen/arena/wire/v1/Answer.js";
import type { BotMessage } from "./gen/arena/wire/v1/BotMessage.js";
import type { DecisionRequest__Output as DecisionRequest } from "./gen/arena/wire/v1/DecisionRequest.js";
import type { Error__Output as ArenaError } from "./gen/arena/wire/v1/Error.js";
import type { Offer__Output as Offer } from "./gen/arena/wire/v1/Offer.js";
import type { RevealRequest__Output as RevealRequest } from "./gen/arena/wire/v1/RevealRequest.js";
import type { ServerMessage__Output as ServerMessage } from "./gen/arena/wire/v1/ServerMessage.js";
import type { ProtoGrpcType } from "./gen/bot.js";

const SERVER = process.env.ARENA_SERVER ?? "127.0.0.1:50051";
const ADDRESS = SERVER.replace(/^https?:\/\//, "");
// Is this machine meant? Only then is the connection unencrypted unless http:// is written out, and it never uses a proxy.
// In the sandbox of a hosted bot, the address is a Unix socket.
const IS_SOCKET = ADDRESS.startsWith("unix:/");
const IS_LOOPBACK = IS_SOCKET || /^(localhost|127(\.\d+){3}|\[::1\]):\d+$/.test(ADDRESS);
const TOKEN = process.env.ARENA_TOKEN ?? "";
// It must be the same after a restart: token and process name together get the running matches back.
const PROCESS = process.env.ARENA_PROCESS ?? `${hostname()}-node`;
const VERSION = "1.0.0"; // of your bot; each version is rated anew
const MAX_MATCHES = 4;
// Expansions that the bot plays; matches of five players need one of them.
const EXPANSIONS = ["artisans", "whims"];
const MAX_PAUSE_MS = 30_000;
const IN_PLAY_MS = 2_500; // maximum wait while matches are running
// Statuses after which a retry cannot help: the same hello would get the same answer.
const FINAL = new Set<number>([
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.INVALID_ARGUMENT,
  grpc.status.FAILED_PRECONDITION,
  grpc.status.UNIMPLEMENTED,
  grpc.status.ABORTED,
]);

interface Match {
  seat: number;
  nonce: Buffer;
  wanted: number | null; // the index of the current or last decision
  answer: Answer | null;
  thinker: Worker | null; // it runs thinking.ts
}

const definition = protoLoader.loadSync("arena/wire/v1/bot.proto", {
  includeDirs: [fileURLToPath(new URL("../proto", import.meta.url))],
  enums: String,
  longs: String, // a ping's id has 64 bits, more than a number holds
  defaults: true,
  oneofs: true,
});
const { BotService } = (grpc.loadPackageDefinition(definition) as unknown as ProtoGrpcType).arena.wire.v1;

const matches = new Map<string, Match>(); // they stay when the stream is lost
let stream: grpc.ClientDuplexStream<BotMessage, ServerMessage> | null = null;
let leaving = false;
let failures = 0;
let pauseTimer: NodeJS.Timeout | undefined;

const log = (...words: unknown[]) => console.error(new Date().toISOString(), ...words);
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
const send = (message: BotMessage) => stream?.write(message);

/** Returns the match with this id; after a restart of the process the server names matches that are unknown here. */
function known(id: string): Match {
  let match = matches.get(id);
  if (!match) matches.set(id, (match = { seat: 0, nonce: Buffer.alloc(0), wanted: null, answer: null, thinker: null }));
  return match;
}

function forget(id: string): void {
  void matches.get(id)?.thinker?.terminate();
  matches.delete(id);
}

function connect(): void {
  const tls = SERVER.startsWith("https://");
  const credentials = tls ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
  const client = new BotService(ADDRESS, credentials, {
    // A hosted bot is frozen between its turns, which must not look like a lost connection.
    ...(IS_SOCKET ? {} : { "grpc.keepalive_time_ms": 20_000, "grpc.keepalive_timeout_ms": 10_000 }),
    "grpc.enable_http_proxy": IS_LOOPBACK ? 0 : 1,
  });
  const call = (stream = client.Play());
  let ended = false;
  let lastError: ArenaError | null = null;
  let watch: NodeJS.Timeout | undefined;
  let silence = 15_000; // until the welcome says how often the server pings
  const stillAlive = () => {
    clearTimeout(watch);
    watch = setTimeout(() => call.cancel(), silence);
  };
  const end = (status: { code: number; details: string }) => {
    if (ended) return;
    ended = true;
    clearTimeout(watch);
    client.close();
    stream = null;
    if (leaving && matches.size === 0) return finish(0);
    // If the stream ended while we wrote, the status says less than the last error.
    const code = lastError?.fatal ? lastError.code : status.code;
    const why = lastError?.fatal ? `${lastError.reason}: ${lastError.message}` : status.details || status.code;
    if (FINAL.has(code) && lastError?.reason !== "HELLO_EXPECTED") {
      log("refused:", why);
      return finish(1);
    }
    // The limit doubles with every failure. The wait is random, so that not all bots reconnect at the same moment.
    const pause = Math.random() * Math.min(matches.size > 0 ? IN_PLAY_MS : MAX_PAUSE_MS, 500 * 2 ** failures++);
    log(`stream lost (${why}), again in ${Math.round(pause)} ms${proxyAdvice()}`);
    pauseTimer = setTimeout(connect, pause);
  };
  call.on("error", end);
  call.on("status", end);
  call.on("data", (message: ServerMessage) => {
    if (message.welcome) silence = 3 * (message.welcome.limits?.pingIntervalMs ?? 0) || silence;
    if (message.error) lastError = message.error;
    stillAlive();
    take(message);
  });
  stillAlive();
  send({
    hello: {
      token: TOKEN,
      version: VERSION,
      process: PROCESS,
      sdk: "typescript-kit/0.1.0",
      maxMatches: MAX_MATCHES,
      expansions: EXPANSIONS,
      wantsLegal: true,
      protocol: "arena.wire/2",
      running: [...matches.keys()],
    },
  });
}

/** Names the variable that sends connections through a proxy. Those to this machine never use one. */
function proxyAdvice(): string {
  const name = ["grpc_proxy", "https_proxy", "http_proxy"].find((variable) => process.env[variable]);
  return name && !IS_LOOPBACK ? `; ${name} sets a proxy: without it, add the host to no_proxy` : "";
}

function take(message: ServerMessage): void {
  if (message.welcome) {
    log(`connected as ${message.welcome.bot}`);
    failures = 0;
    message.welcome.over.forEach(forget);
    if (leaving) send({ leave: {} });
  } else if (message.ping) {
    send({ pong: { id: message.ping.id } });
  } else if (message.offer) {
    offered(message.offer);
  } else if (message.revealRequest) {
    reveal(message.revealRequest);
  } else if (message.resumed) {
    log(`${message.resumed.matchId}: goes on at ${message.resumed.index}`);
    known(message.resumed.matchId);
    if (message.resumed.request) asked(message.resumed.request);
  } else if (message.request) {
    asked(message.request);
  } else if (message.fault) {
    log(`${message.fault.matchId}: fault ${message.fault.reason} ${message.fault.rule} ${message.fault.message}`);
  } else if (message.matchEnd) {
    log(`${message.matchEnd.matchId}: ended, placements ${message.matchEnd.verdict?.placements}`);
    forget(message.matchEnd.matchId);
  } else if (message.matchAborted) {
    log(`${message.matchAborted.matchId}: aborted, ${message.matchAborted.reason}`);
    forget(message.matchAborted.matchId);
  } else if (message.error) {
    log(`error ${message.error.reason}: ${message.error.message}`);
  } // kinds that are newer than this bot are ignored
  if (leaving && matches.size === 0) stream?.end();
}

function offered({ matchId, terms }: Offer): void {
  let match = matches.get(matchId);
  if (!match) {
    if (leaving || matches.size >= MAX_MATCHES) {
      send({ decline: { matchId, reason: "no free place" } });
      return;
    }
    match = known(matchId);
    match.seat = terms?.seat ?? 0;
    match.nonce = randomBytes(16);
    log(`${matchId}: started`);
  }
  send({ accept: { matchId, nonceHash: sha256(match.nonce) } });
}

/** Sends the nonce if its hash is in its place: then all have accepted, and nobody can change a nonce any more. */
function reveal({ matchId, nonceHashes }: RevealRequest): void {
  const { seat, nonce } = known(matchId);
  const fixed = nonceHashes[seat - 1]?.equals(sha256(nonce));
  if (!fixed) log(`${matchId}: the hash of my nonce is not in its place`);
  send({ reveal: { matchId, nonce: fixed ? nonce : Buffer.alloc(0) } });
}

function asked(request: DecisionRequest): void {
  const match = known(request.matchId);
  if (match.answer?.index === request.index) {
    send({ answer: match.answer }); // the answer was lost with a stream, so it is sent again
  } else if (match.wanted !== request.index) {
    if (match.wanted !== (match.answer?.index ?? null)) {
      void match.thinker?.terminate(); // it still thinks about a decision that is no longer wanted
      match.thinker = null;
    }
    match.wanted = request.index;
    match.thinker ??= newThinker(request.matchId, match);
    match.thinker.postMessage(request); // in the background, so that pings are answered
  }
}

function newThinker(matchId: string, match: Match): Worker {
  const thinker = new Worker(new URL("./thinking.js", import.meta.url));
  const decided = (answer: Answer) => {
    if (matches.get(matchId) !== match || match.thinker !== thinker) return;
    match.answer = answer;
    send({ answer });
  };
  thinker.on("message", decided);
  thinker.on("error", (error) => {
    log(`${matchId}: the thread that thinks has failed at ${match.wanted}:`, error);
    decided({ matchId, index: match.wanted! });
    if (match.thinker === thinker) match.thinker = null;
  });
  return thinker;
}

function interrupted(): void {
  if (leaving) return finish(130);
  leaving = true;
  log(`leaving, ${matches.size} matches to finish`);
  send({ leave: {} });
  if (matches.size > 0) return;
  if (stream) stream.end();
  else finish(0);
}

function finish(code: number): void {
  clearTimeout(pauseTimer);
  process.exit(code);
}

if (SERVER === ADDRESS && !IS_LOOPBACK) {
  log(
    `${SERVER} does not say whether to encrypt: write https://${SERVER}, or http://${SERVER} to send your token unencrypted`,
  );
  process.exit(2);
}
if (!TOKEN) {
  log("set ARENA_TOKEN to the token from your bot's page");
  process.exit(2);
}
process.on("SIGINT", interrupted);
process.on("SIGTERM", interrupted);
connect();
