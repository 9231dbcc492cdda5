// Which steps lead on to a legal action, without the page.

/** @import { LegalAction } from "../../../types/choices.d.ts" */

/** Steps that are chosen in any order, and taken back when they are chosen again. */
const SETS = ["card", "good"];
/** Steps that nobody is asked for where only one is possible. */
const IMPLIED = ["meeples", "pay", "fakirs"];
/** First steps after which even a sole step is asked for, because something is used up. */
const ASKED = ["own", "item"];

/** The kind of a step: `tile` of `tile-A2`. @param {string} step */
export const kindOf = (step) => step.slice(0, step.indexOf("-"));

/** @param {string} step */
export const isOfSet = (step) => SETS.includes(kindOf(step));

/** Whether an action is chosen as a set. @param {LegalAction} action */
const isSet = ({ path }) => path[0] !== undefined && isOfSet(path[0]);

/**
 * The actions that can still be chosen after some steps.
 * @param {LegalAction[]} actions
 * @param {string[]} chosen
 */
export function remaining(actions, chosen) {
  return actions.filter((action) => (isSet(action) && chosen.length
    ? chosen.every((step) => action.path.includes(step))
    : chosen.every((step, at) => action.path[at] === step)));
}

/**
 * The steps that can follow, in the order of the actions; of a set those, too, that were chosen.
 * @param {LegalAction[]} actions
 * @param {string[]} chosen
 */
export function following(actions, chosen) {
  const steps = remaining(actions, chosen).flatMap((action) => {
    if (isSet(action)) return action.path;
    return action.path[chosen.length] ?? [];
  });
  return [...new Set(steps)];
}

/**
 * The steps with which all actions begin, so that nobody has to choose them.
 * @param {LegalAction[]} actions
 */
export function given(actions) {
  /** @type {string[]} */
  const steps = [];
  for (;;) {
    const [step, other] = following(actions, steps);
    if (actions.length < 2 || !step || other || isOfSet(step)) return steps;
    steps.push(step);
  }
}

/**
 * The action that the steps stand for, if nothing is left to choose or what is left is implied.
 * @param {LegalAction[]} actions
 * @param {string[]} chosen
 */
export function decided(actions, chosen) {
  const left = remaining(actions, chosen);
  const [action] = left;
  if (!action || left.length > 1 || !chosen[0]) return null;
  const rest = action.path.filter((step) => !chosen.includes(step));
  if (isSet(action)) return !rest.length && kindOf(chosen[0]) === "card" ? action : null;
  if (action.path.length === chosen.length) return action;
  const steps = action.path.slice(chosen.length);
  return !ASKED.includes(kindOf(chosen[0])) && steps.every((step) => IMPLIED.includes(kindOf(step))) ? action : null;
}

/**
 * The action that exactly these steps of a set stand for.
 * @param {LegalAction[]} actions
 * @param {string[]} chosen
 */
export function setOf(actions, chosen) {
  return actions.find((action) => isSet(action) && action.path.length === chosen.length
    && chosen.every((step) => action.path.includes(step))) ?? null;
}
