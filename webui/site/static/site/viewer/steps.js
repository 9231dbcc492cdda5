// What the buttons and keys of the player ask for, without the page.

/**
 * @import { Frames, Unit } from "./frames.js"
 * @typedef {"first" | "last" | "previous" | "next" | "previous_turn" | "next_turn" | "previous_round" | "next_round"} Step
 * @typedef {Pick<KeyboardEvent, "key" | "code" | "shiftKey">} Press
 */

/** @type {Record<Step, [direction: 1 | -1, unit: Unit | null]>} */
const STEPS = {
  first: [-1, null],
  last: [1, null],
  previous: [-1, "decision"],
  next: [1, "decision"],
  previous_turn: [-1, "turn"],
  next_turn: [1, "turn"],
  previous_round: [-1, "round"],
  next_round: [1, "round"],
};

/**
 * The name of a step, from text that the page carries.
 * @param {string | undefined} name
 * @returns {Step}
 */
export function parseStep(name) {
  if (name === undefined || !Object.hasOwn(STEPS, name)) throw new RangeError(`no step ${name}`);
  return /** @type {Step} */ (name);
}

/**
 * The step of a button: the two in the middle go by the chosen unit, which is `turn`, `round`, or empty.
 * @param {Step} step
 * @param {string} unit
 */
export const byUnit = (step, unit) => (unit && (step === "previous" || step === "next") ? parseStep(`${step}_${unit}`) : step);

/**
 * The ply that a step leads to.
 * @param {Frames} frames
 * @param {number} ply
 * @param {Step} step
 */
export function target(frames, ply, step) {
  const [direction, unit] = STEPS[step];
  if (unit) return frames.next(ply, unit, direction);
  return direction > 0 ? frames.last : 0;
}

/**
 * The step of a key, or null.
 * @param {Press} press
 * @returns {Step | null}
 */
export function stepOfKey({ key, code, shiftKey }) {
  switch (key) {
    case "ArrowLeft": return shiftKey ? "previous_turn" : "previous";
    case "ArrowRight": return shiftKey ? "next_turn" : "next";
    case "Home": return "first";
    case "End": return "last";
    default: return code === "KeyR" ? (shiftKey ? "previous_round" : "next_round") : null;
  }
}
