// Runs choose in a thread of its own, one for each match, so that the bot answers pings while it thinks.
import { parentPort } from "node:worker_threads";
import { choose } from "./choose.js";
import type { DecisionRequest__Output as DecisionRequest } from "./gen/arena/wire/v1/DecisionRequest.js";

parentPort!.on("message", (request: DecisionRequest) => parentPort!.postMessage(decide(request)));

/** Returns an empty answer if choose fails: this costs one fault, without a wait. */
function decide(request: DecisionRequest) {
  const { matchId, index } = request;
  try {
    const { action, why } = choose(request);
    return { matchId, index, actions: [action], note: why };
  } catch (error) {
    console.error(`${matchId}: choose has failed at ${index}:`, error);
    return { matchId, index };
  }
}
