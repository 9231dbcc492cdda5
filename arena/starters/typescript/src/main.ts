// A complete small bot for the Naqala arena. Write your own choose (choose.ts); this file and client.go keep the stream
// alive and reconnect when it is lost. The first Ctrl-C finishes the running matches, the second stops at once.
import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";
import { choose } from "./choose.js";
import type { Answer } from "./gen/arena/wire/v1/Answer.js";
import type { BotMessage } from "./gen/arena/wire/v1/BotMessage.js";
import type { DecisionRequest__Output as DecisionRequest } from "./gen/arena/wire/v1/DecisionRequest.js";
import type { Error__Output as ArenaError } from "./gen/arena/wire/v1/Error.js";
import type { Offer__Output as Offer } from "./gen/arena/wire/v1/Offer.js";
import type { RevealRequest__Output as RevealRequest } from "./gen/arena/wire/v1/RevealRequest.js";
import type { ServerMessage__Output as ServerMessage } from "./gen/arena/wire/v1/ServerMessage.js";
import type { ProtoGrpcType } from "./gen/bot.js";

const SERVER = process.env.ARENA_SERVER ?? "127.0.0.1:50051"; // https://host:port with TLS
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
  answer: Answer | null;
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
  if (!match) matches.set(id, (match = { seat: 0, nonce: Buffer.alloc(0), answer: null }));
  return match;
}

function connect(): void {
  const tls = SERVER.startsWith("https://");
  const credentials = tls ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
  const client = new BotService(SERVER.replace("https://", ""), credentials, {
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 10_000,
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
    log(`stream lost (${why}), again in ${Math.round(pause)} ms`);
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

function take(message: ServerMessage): void {
  if (message.welcome) {
    log(`connected as ${message.welcome.bot}`);
    failures = 0;
    for (const matchId of message.welcome.over) matches.delete(matchId);
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
    matches.delete(message.matchEnd.matchId);
  } else if (message.matchAborted) {
    log(`${message.matchAborted.matchId}: aborted, ${message.matchAborted.reason}`);
    matches.delete(message.matchAborted.matchId);
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
    matches.set(matchId, (match = { seat: terms?.seat ?? 0, nonce: randomBytes(16), answer: null }));
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
  // The same index again: the answer was lost with a stream, so it is sent again.
  if (match.answer?.index !== request.index) match.answer = decide(request);
  send({ answer: match.answer });
}

/** Sends an empty answer if choose fails: this costs one fault, without a wait. If choose takes long, run it in a worker
 *  thread (node:worker_threads), so that pings are answered. */
function decide({ matchId, index, view, legal }: DecisionRequest): Answer {
  try {
    const { action, why } = choose(view!, legal);
    return { matchId, index, actions: [action], note: why };
  } catch (error) {
    log(`${matchId}: choose has failed at ${index}:`, error);
    return { matchId, index };
  }
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

if (!TOKEN) {
  log("set ARENA_TOKEN to the token from your bot's page");
  process.exit(2);
}
process.on("SIGINT", interrupted);
process.on("SIGTERM", interrupted);
connect();
