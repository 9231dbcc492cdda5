// Which decisions a clip shows, and for how long.

import { dwell } from "./motions.js";

/**
 * @import { Frames } from "./frames.js"
 * @typedef {{ ply: number, ms: number }} Shot
 */

const FLIES = 250; // ms that a decision takes besides being looked at, as in the player
const FIRST = 700; // ms of the position that the clip begins with
const LAST = 1400; // ms of the one that it ends with, before it begins anew

/**
 * The shots of a clip from a ply on, to the end of the match or for so many milliseconds; at the very end of what there is,
 * the decisions before it.
 * @param {Frames} frames
 * @param {number} first
 * @param {number} length milliseconds
 * @param {number} speed
 * @returns {Shot[]}
 */
export function plan(frames, first, length, speed) {
  /** @param {number} ply */
  const look = (ply) => (FLIES + dwell(frames.at(ply).motions ?? [])) / speed;
  let begin = first;
  if (first === frames.last) {
    for (let left = length - FIRST - LAST; begin > 0 && left >= look(begin); begin--) left -= look(begin);
  }
  /** @type {Shot[]} */
  const shots = [{ ply: begin, ms: FIRST }];
  for (let ply = begin + 1, left = length - FIRST - LAST; ply <= frames.last && left >= 0; ply++) {
    shots.push({ ply, ms: look(ply) });
    left -= look(ply);
  }
  const end = shots.at(-1);
  if (end) end.ms = LAST;
  return shots;
}
