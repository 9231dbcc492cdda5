// The show of one match on TV: its decisions at a pace that a person can follow, so that the last one comes in time.

import { maybe } from "../dom.js";
import { cost, dwell } from "./motions.js";
import { pause, Stage } from "./stage.js";

/** @import { FramesDocument, LiveFrame, ThinkTime } from "../../../types/frames.d.ts" */

const SLOWEST = 0.5;
const FASTEST = 8; // faster than that, decisions are left out
const LEAST_END = 3000; // ms; who comes late sees the end, too

export class Show extends Stage {
  /**
   * @param {HTMLElement} root says when the show ends, in milliseconds from `base` on
   * @param {FramesDocument} document_
   * @param {number} base when that was true (`performance.now`)
   * @param {string} [at] the index that is shown already, where the match was followed live before
   */
  constructor(root, document_, base, at) {
    super(root, document_);
    const { shown, rest, decision, programme = "" } = root.dataset;
    this.number = programme;
    /** When the last decision is to be shown; null while the match runs. */
    this.shownAt = shown === undefined ? null : base + Number(shown);
    this.endsAt = rest === undefined ? null : base + Number(rest);
    this.ply = this.frames.plyOf(at ?? decision);
    this.turns = maybe(root, "[data-turns]", HTMLElement);
    this.button = maybe(root, "[data-pause]", HTMLButtonElement);
    if (this.button) this.button.hidden = false;
    /** @type {(() => void) | null} */
    this.awake = null;
    /** Called when the last decision is shown. @type {(() => void) | null} */
    this.atEnd = null;
    this.showButton();
    this.draw();
  }

  /** How fast it has to go on. */
  get speed() {
    if (this.shownAt === null) return 1;
    const { frames, ply, shownAt } = this;
    const rest = frames.all.slice(ply + 1).reduce((sum, { motions = [] }) => sum + cost(motions), 0);
    const left = shownAt - performance.now();
    return left > 0 ? Math.max(SLOWEST, rest / left) : Infinity;
  }

  /** Play to the end of a match that is over, and show that for a while; whether it was not stopped before. */
  async play() {
    if (this.isPlaying) return false;
    const run = this.begin();
    this.showButton();
    while (this.ply < this.frames.last || this.isLive) {
      if (this.ply === this.frames.last) await this.#news();
      else await this.#step(run);
      if (run !== this.run) return false;
    }
    this.atEnd?.();
    await pause(Math.max(LEAST_END, (this.endsAt ?? 0) - performance.now()));
    return run === this.run;
  }

  /** @param {number} run */
  async #step(run) {
    const { speed, frames } = this;
    const next = speed === Infinity ? frames.last : Math.min(frames.last, this.ply + Math.max(1, Math.floor(speed / FASTEST)));
    await this.to(next, run, speed);
    if (run !== this.run) return;
    const { turn, motions = [] } = frames.at(next);
    if (turn && this.turns) this.turns.textContent = this.sentence(next);
    await pause(dwell(motions) / speed);
  }

  /** Resolves when there is one more frame, or it is stopped. @returns {Promise<void>} */
  #news() { return new Promise((resolve) => { this.awake = resolve; }); }

  stop() {
    this.halt();
    this.thinking.show(0);
    this.awake?.();
    this.showButton();
  }

  showButton() { this.button?.setAttribute("aria-pressed", String(this.isPlaying)); }

  /** One more frame of a running match. @param {LiveFrame} frame */
  add(frame) {
    this.frames.add(frame);
    this.thinking.end();
    this.awake?.();
  }

  /** How long the seat to act has thought. @param {ThinkTime} told */
  think(told) {
    this.thinking.begin(told);
    this.showThinking();
  }
}
