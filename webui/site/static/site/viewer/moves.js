// The move list: turns, of which the current one is open, and their decisions; the current one is tinted and kept in view.

import { all, allRendered, maybe, one, rendered } from "../dom.js";

/** @import { LiveFrame } from "../../../types/frames.d.ts" */

/** The index of the event after that of a line: its link leads there. @param {Element | undefined} line */
const indexOf = (line) => /d=(\d+)/.exec(line?.querySelector("a")?.getAttribute("href") ?? "")?.[1] ?? null;

/** The fold of the turn that a line belongs to; a bid has none. @param {Element | undefined} line */
const foldOf = (line) => line?.closest("details") ?? null;

export class Moves {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.list = maybe(root, ".move-list", HTMLElement);
    this.count = maybe(root, "[data-count]", HTMLElement);
    this.lines = this.list ? all(this.list, ".move", HTMLElement) : [];
    /** @type {Map<string | null, number>} */
    this.numbers = new Map(this.lines.map((line, number) => [indexOf(line), number]));
    this.current = this.lines.findIndex((line) => line.classList.contains("is-now"));
    this.done = this.lines.length; // so many lines are not later than the current one
    /** The turn that was opened because it is the current one. @type {HTMLDetailsElement | null} */
    this.opened = foldOf(this.lines[this.current]);
  }

  /**
   * Mark the line of the decision before an index, and open its turn; none at the set-up.
   * @param {string} name
   */
  show(name) {
    if (!this.list) return;
    const number = this.numbers.get(name) ?? -1;
    if (number !== this.current) {
      this.#mark(this.current, false);
      this.#mark(number, true);
      this.current = number;
    }
    // Line by line: a style that follows from the current line would be worked out anew for all lines at each step.
    for (; this.done > number + 1; this.done--) this.#setLater(this.done - 1, true);
    for (; this.done < number + 1; this.done++) this.#setLater(this.done, false);
    this.#unfold(foldOf(this.lines[number]));
    this.#keepInView(this.lines[number]);
  }

  /** @param {number} number @param {boolean} isLater */
  #setLater(number, isLater) {
    const line = this.lines[number];
    line?.classList.toggle("is-later", isLater);
    if (line && !line.previousElementSibling) line.closest(".turn")?.classList.toggle("is-later", isLater);
  }

  /** Open a turn, and close the one that was opened so before; what the visitor opened stays open. @param {HTMLDetailsElement | null} fold */
  #unfold(fold) {
    if (fold === this.opened) return;
    if (this.opened) this.opened.open = false;
    this.opened = fold && !fold.open ? fold : null;
    if (fold) fold.open = true;
  }

  /** Scroll within the list alone. @param {HTMLElement | undefined} line */
  #keepInView(line) {
    if (!this.list) return;
    this.list.scrollTop = line ? line.offsetTop - (this.list.clientHeight - line.clientHeight) / 2 : 0;
  }

  /** @param {number} number @param {boolean} isNow */
  #mark(number, isNow) {
    const line = this.lines[number];
    line?.classList.toggle("is-now", isNow);
    line?.closest(".turn")?.classList.toggle("has-now", isNow);
    if (isNow) line?.querySelector("a")?.setAttribute("aria-current", "step");
    else line?.querySelector("a")?.removeAttribute("aria-current");
  }

  /** The index after its last decision: -1 before the first, and without a list no number is too high. */
  get last() { return this.list ? Number(indexOf(this.lines.at(-1)) ?? -1) : Infinity; }

  /**
   * The decision of a frame, later than what is shown, and how many there are with it; whether it is new here.
   * @param {LiveFrame} frame
   */
  add({ d, move, fold, count }) {
    if (!this.list || !move || d === undefined || d <= this.last) return false;
    const lines = allRendered(move); // with the line of a round before it, where one begins
    const last = lines.at(-1);
    const line = last?.matches(".move") ? last : last?.querySelector(".move");
    if (!(line instanceof HTMLElement)) return false;
    line.classList.add("is-later");
    const turn = foldOf(this.lines.at(-1));
    if (fold && turn) {
      one(turn, "summary", HTMLElement).replaceWith(rendered(fold));
      one(turn, "ol", HTMLElement).append(line);
    } else {
      if (last !== line) last?.classList.add("is-later");
      this.list.querySelector("[data-no-moves]")?.remove();
      this.list.append(...lines);
    }
    this.numbers.set(indexOf(line), this.lines.push(line) - 1);
    if (this.count) this.count.textContent = count ?? "";
    return true;
  }
}
