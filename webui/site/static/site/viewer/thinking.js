// How long the acting seat of a live match has thought: a bar that fills up to the most that a decision may take.

import { maybe, one } from "../dom.js";

/** @import { ThinkTime } from "../../../types/frames.d.ts" */

const FROM = 1000; // ms; most decisions take less, and a bar that flickers tells nothing

/** Minutes and seconds. @param {number} ms */
export const clock = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

/** How long until the clock shows another second. @param {number} ms */
export const untilNextSecond = (ms) => 1000 - (ms % 1000);

export class Thinking {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {number | null} */
    this.since = null;
    this.most = 0;
    /** @type {HTMLElement | null} */
    this.shown = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /**
   * The seat to act has been asked so long ago.
   * @param {ThinkTime} told
   */
  begin({ ms, most }) {
    this.since = performance.now() - ms;
    this.most = most;
  }

  /** What was known is over. */
  end() {
    this.since = null;
    this.show(0);
  }

  /**
   * Show it at a seat; 0: nowhere.
   * @param {number} seat
   */
  show(seat) {
    clearTimeout(this.timer);
    const element = seat && this.since !== null ? maybe(this.root, `[data-seat="${seat}"] [data-thinking]`, HTMLElement) : null;
    if (this.shown && this.shown !== element) this.shown.hidden = true;
    this.shown = element;
    if (element && this.since !== null) this.#tick(element, this.since);
  }

  /** @param {HTMLElement} element @param {number} since */
  #tick(element, since) {
    const passed = Math.min(this.most, performance.now() - since);
    if (passed >= FROM) {
      const isFirst = element.hidden;
      element.hidden = false;
      element.title = (element.dataset.thinking ?? "").replace("%(time)s", clock(this.most));
      one(element, "[data-passed]", HTMLElement).textContent = clock(passed);
      if (isFirst || this.still.matches) this.#fill(one(element, "i", HTMLElement), passed / this.most);
    }
    if (passed < this.most) this.timer = setTimeout(() => this.#tick(element, since), untilNextSecond(passed));
  }

  /**
   * From here on the bar fills by itself; with reduced motion it is set anew each second.
   * @param {HTMLElement} bar
   * @param {number} share
   */
  #fill(bar, share) {
    bar.style.transition = "none";
    bar.style.transform = `scaleX(${share})`;
    if (this.still.matches || share === 1) return;
    bar.getBoundingClientRect(); // begins here
    bar.style.transition = `transform ${this.most * (1 - share)}ms linear`;
    bar.style.transform = "scaleX(1)";
  }
}
