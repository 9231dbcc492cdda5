// Loads the frames of a match. The server makes them one at a time, and says when to ask again while it makes others.

import { query } from "./address.js";

/** @import { FramesDocument } from "../../../types/frames.d.ts" */

const TRIES = 30;

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/**
 * The frames of a match, for the eyes that the address asks for.
 * @param {{ dataset: DOMStringMap }} root
 * @returns {Promise<FramesDocument>}
 */
export async function loadFrames({ dataset: { frames, edition = "" } }) {
  const address = `${frames}?${query(location.search, { e: edition })}`;
  let answer = await fetch(address);
  for (let tries = 1; answer.status === 503 && tries < TRIES; tries++) {
    await pause(1000 * (Number(answer.headers.get("Retry-After")) || 1));
    answer = await fetch(address);
  }
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}
