// The ways that pieces take, in pixels: a path gives a point for each share of its time.

/**
 * @typedef {[x: number, y: number]} Point
 * @typedef {(share: number) => Point} Path
 * @typedef {(share: number) => number} Easing
 */

const GATHER = 0.4; // the share of a lift in which its meeples come together

/** Fast at first, soft at the end. @type {Easing} */
export const ease = (share) => 1 - (1 - share) ** 3;

/** A little too far, and back: how a piece comes down. @type {Easing} */
export const easeDrop = (share) => 1 + 2.2 * (share - 1) ** 3 + 1.2 * (share - 1) ** 2;

/**
 * A path from point to point.
 * @param {Point} from
 * @param {Point} to
 * @param {Easing} easing
 * @param {number} [bow] how far it is bowed upwards
 * @returns {Path}
 */
export function line(from, to, easing, bow = 0) {
  return (share) => {
    const eased = easing(share);
    return [from[0] + (to[0] - from[0]) * eased, from[1] + (to[1] - from[1]) * eased - bow * 4 * share * (1 - share)];
  };
}

/**
 * First together, then away.
 * @param {Point} from
 * @param {Point} middle
 * @param {Point} to
 * @returns {Path}
 */
export function gathered(from, middle, to) {
  const gather = line(from, middle, ease);
  const leave = line(middle, to, ease, 30);
  return (share) => (share < GATHER ? gather(share / GATHER) : leave((share - GATHER) / (1 - GATHER)));
}

/**
 * How far a piece of many lies to the side, in units of the board; together they take 90 units at most.
 * @param {number} index
 * @param {number} count
 */
export const spread = (index, count) => (index - (count - 1) / 2) * Math.min(20, 90 / count);
