// The motions of a decision, as they are played: stage after stage, piece by piece.

/**
 * @import { Motion, MotionKind } from "../../../types/frames.d.ts"
 * @typedef {{ kind: MotionKind, symbol: string, from: string, to: string, seat: number, nth: number }} Piece
 */

/** What moves at the same time, in this order. @type {MotionKind[][]} */
export const STAGES = [["pick"], ["carry", "drop"], ["lift"], ["arrive"], ["leave"]];

const MOST = 6; // of one symbol
const DWELL = { take: 420, drop: 90, other: 640 }; // ms

/**
 * The pieces of these motions, one by one.
 * @param {Motion[]} motions
 * @returns {Piece[]}
 */
export function pieces(motions) {
  return motions.flatMap(([kind, symbol, from, to, count, seat]) =>
    Array.from({ length: Math.min(count, MOST) }, (_, nth) => ({ kind, symbol, from, to, seat, nth })));
}

/** How long a decision is shown with what moves, milliseconds at speed 1; as in webui/tv/programme.py. */
const COST = { take: 580, drop: 270, other: 960 };

/** @param {Motion[]} motions */
const kindOf = (motions) => {
  const kinds = motions.map(([kind]) => kind);
  return kinds.includes("pick") ? "take" : kinds.includes("drop") ? "drop" : "other";
};

/** @param {Motion[]} motions */
export const cost = (motions) => COST[kindOf(motions)];

const SEATED = { take: 200, drop: 60, other: 560 }; // ms; with what moves, a sowing and any other choice take 1 to 1.5 s
const NOTHING_MS = 80;

/**
 * How long a decision is looked at by somebody who waits for a turn at the table, milliseconds at speed 1.
 * @param {Motion[]} motions
 */
export const dwellSeated = (motions) => (motions.length ? SEATED[kindOf(motions)] : NOTHING_MS);

/**
 * How long a decision is looked at while the match plays, milliseconds at speed 1.
 * @param {Motion[]} motions
 */
export const dwell = (motions) => DWELL[kindOf(motions)];
