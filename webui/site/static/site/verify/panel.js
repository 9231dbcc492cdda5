// <match-proof>: the panel "Verify this match". Its button fetches the replay and checks it here, step by step.

import { all, maybe, one } from "../dom.js";

/**
 * @import { Difference } from "./check.js"
 * @import { Proof, Replay } from "../../../types/replay.d.ts"
 * @typedef {"" | "running" | "done" | "failed"} StepState
 * @typedef {"" | "good" | "bad"} Tone
 * @typedef {object} Texts all that the panel may say; gaps are written `{index}`
 * @property {Record<"none" | "good" | "bad", string>} chips
 * @property {Record<"running" | "done" | "failed", string>} states
 * @property {string} done
 * @property {string} broken
 * @property {string} look
 * @property {Record<string, string>} differences
 */

const PAINTED_WITHIN_MS = 200;

/** @param {string} text @param {Record<string, unknown>} values */
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, /** @type {string} */ name) => String(values[name] ?? ""));
/** When what has changed is painted. Nothing is in a tab that nobody sees: there the checks go on without it. */
const painted = () => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, PAINTED_WITHIN_MS);
});

/** @param {unknown} error @returns {error is Difference} */
const isDifference = (error) => error instanceof Error && "what" in error && "values" in error;

/** @param {string | undefined} address */
async function json(address) {
  const answer = await fetch(address ?? "");
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

class MatchProof extends HTMLElement {
  /** @type {HTMLElement[]} */
  steps = [];

  connectedCallback() {
    const button = maybe(this, "[data-verify]", HTMLButtonElement);
    if (!button?.hidden) return; // there is nothing to verify yet, or it is offered already
    /** @type {Texts} */
    const texts = JSON.parse(one(this, "script[type='application/json']", HTMLScriptElement).text);
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (button.getAttribute("aria-disabled")) return;
      button.setAttribute("aria-disabled", "true");
      await this.verify(texts);
      button.removeAttribute("aria-disabled");
    });
  }

  /** @param {Texts} texts */
  async verify(texts) {
    this.steps = all(this, "[data-proof]", HTMLElement);
    for (const step of this.steps) this.mark(step, "", texts);
    this.say("", "", texts);
    try {
      await this.prove(texts);
    } catch (error) {
      const now = this.steps.find((step) => step.dataset.state === "running") ?? this.steps[0];
      if (now) this.mark(now, "failed", texts);
      this.fail(error, texts);
    }
  }

  /** @param {Texts} texts */
  async prove(texts) {
    const { checkEvents, checkResult, checkSeed, checkSetUp } = await import("./check.js"); // few visitors check
    const { replay: replayAt, proof: proofAt, commitment } = this.dataset;
    const replay = await this.step("seed", texts, async () => {
      /** @type {Replay} */
      const found = await json(replayAt);
      checkSeed(found, commitment);
      return found;
    });
    const stream = await this.step("setup", texts, () => checkSetUp(replay));
    const [proof, draws] = await this.step("events", texts, async () => {
      /** @type {Proof} */
      const found = await json(proofAt);
      return /** @type {const} */ ([found, checkEvents(replay, found, stream)]);
    });
    await this.step("result", texts, () => checkResult(replay, proof));
    this.say("good", fill(texts.done, { decisions: replay.events.length - draws, draws }), texts);
  }

  /**
   * Run a check while its line says so.
   * @template Found
   * @param {string} name
   * @param {Texts} texts
   * @param {() => Found | Promise<Found>} check
   */
  async step(name, texts, check) {
    const step = one(this, `[data-proof="${name}"]`, HTMLElement);
    this.mark(step, "running", texts);
    await painted();
    const found = await check();
    this.mark(step, "done", texts);
    return found;
  }

  /** @param {HTMLElement} step @param {StepState} state @param {Texts} texts */
  mark(step, state, texts) {
    step.dataset.state = state;
    one(step, "[data-proof-state]", HTMLElement).textContent = state && texts.states[state];
  }

  /** @param {unknown} error @param {Texts} texts */
  fail(error, texts) {
    if (!isDifference(error)) {
      this.say("bad", fill(texts.broken, { reason: error instanceof Error ? error.message : error }), texts);
      return;
    }
    const { what, values, index } = error;
    this.say("bad", fill(texts.differences[what] ?? what, { ...values, index }), texts);
    if (index === null) return;
    const link = document.createElement("a");
    link.href = `?d=${index}`;
    link.textContent = fill(texts.look, { index });
    one(this, "[data-proof-says]", HTMLElement).append(" ", link);
  }

  /** @param {Tone} tone @param {string} words @param {Texts} texts */
  say(tone, words, texts) {
    const line = one(this, "[data-proof-says]", HTMLElement);
    line.dataset.tone = tone;
    line.textContent = words;
    const chip = one(this, "[data-proof-chip]", HTMLElement);
    chip.className = `chip ${tone}`;
    chip.textContent = texts.chips[tone || "none"];
  }
}

customElements.define("match-proof", MatchProof);
