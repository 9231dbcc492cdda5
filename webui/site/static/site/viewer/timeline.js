// The line of the whole match: slider, marks, rounds, and the sentence under the pointer.

import { drawn, one } from "../dom.js";
import { query } from "./address.js";

/** @import { Frames } from "./frames.js" */

/** Where a ply lies on the line. @param {number} ply @param {number} last */
export const percent = (ply, last) => `${(100 * ply) / (last || 1)}%`;

/**
 * The share of a line that lies before a point, 0 to 1.
 * @param {number} x
 * @param {Pick<DOMRect, "left" | "width">} line
 */
export const shareBefore = (x, { left, width }) => (width ? Math.min(1, Math.max(0, (x - left) / width)) : 0);

export class Timeline {
  /**
   * @param {HTMLElement} root
   * @param {(ply: number) => void} seek called with the ply that is asked for
   * @param {(ply: number) => string} sentence what is said of a ply
   */
  constructor(root, seek, sentence) {
    this.root = root;
    this.sentence = sentence;
    this.hides = root.closest("[data-hides-result]") !== null; // what comes after the furthest ply that was seen
    this.seen = 0;
    /** @type {Frames | null} */
    this.frames = null;
    this.last = 0;
    this.slide = one(root, "[data-slide]", HTMLInputElement);
    this.hint = one(root, "[data-hint]", HTMLElement);
    this.line = one(root, ".lane", SVGElement);
    this.done = one(root, ".lane-done", SVGElement);
    this.head = one(root, "[data-head]", SVGElement);
    this.slide.hidden = false;
    this.slide.addEventListener("input", () => seek(Number(this.slide.value)));
    root.addEventListener("pointermove", (event) => this.#hint(event));
    root.addEventListener("pointerleave", () => { this.hint.hidden = true; });
  }

  /**
   * Draw the marks and rounds of all frames.
   * @param {Frames} frames
   */
  mark(frames) {
    this.frames = frames;
    this.last = frames.last;
    const seen = this.hides ? this.seen : this.last;
    this.slide.max = String(frames.last);
    const marks = frames.all.slice(0, seen + 1).flatMap(({ d, marks: marked }, ply) => (marked ?? []).map(([kind, seat, title]) => {
      const href = `?${query(location.search, { d: String(d) })}`;
      const link = drawn("a", { class: `mark-${kind} seat-${seat}`, href, tabindex: "-1", "aria-label": title, "data-step": "" },
        drawn("use", { href: `#k-${kind}` }), drawn("title", {}, title));
      return drawn("svg", { x: percent(ply, this.last), y: "0", width: "1", height: "54", overflow: "visible" }, link);
    }));
    one(this.root, "[data-marks]", SVGElement).replaceChildren(...marks);
    const rounds = frames.rounds().filter(({ first }) => first <= seen).flatMap(({ round, first }) => {
      const x = percent(first, this.last);
      return [
        drawn("line", { class: "round-line", x1: x, x2: x, y1: "33", y2: "43" }),
        drawn("text", { class: "round-number", x, y: "53" }, String(round)),
      ];
    });
    one(this.root, "[data-rounds]", SVGElement).replaceChildren(...rounds);
  }

  /** @param {number} ply */
  show(ply) {
    if (this.hides && this.frames && ply > this.seen) {
      this.seen = ply;
      this.mark(this.frames);
    }
    this.slide.value = String(ply);
    this.slide.setAttribute("aria-valuetext", this.sentence(ply));
    const x = percent(ply, this.last);
    this.done.setAttribute("x2", x);
    this.head.setAttribute("x", x);
  }

  /** @param {PointerEvent} event */
  #hint({ clientX, pointerType, buttons }) {
    const box = this.line.getBoundingClientRect();
    const share = shareBefore(clientX, box);
    const ply = Math.round(share * this.last);
    this.hint.hidden = (pointerType === "touch" && buttons === 0) || (this.hides && ply > this.seen);
    this.hint.textContent = this.hint.hidden ? "" : this.sentence(ply);
    this.hint.style.transform = `translate(calc(${share * box.width}px - ${share * 100}%), 0)`;
  }
}
