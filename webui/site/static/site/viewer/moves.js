// The move list: the current line is tinted and kept in view, later ones are lighter.

import { all, allRendered, maybe } from "../dom.js";

/** @import { LiveFrame } from "../../../types/frames.d.ts" */

/** The index of the event after that of a line: its link leads there. @param {Element | undefined} line */
const indexOf = (line) => /d=(\d+)/.exec(line?.querySelector("a")?.getAttribute("href") ?? "")?.[1] ?? null;

export class Moves {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.list = maybe(root, ".mvl", HTMLElement);
    this.count = maybe(root, "[data-count]", HTMLElement);
    this.lines = this.list ? all(this.list, ".mv", HTMLElement) : [];
    /** @type {Map<string | null, number>} */
    this.numbers = new Map(this.lines.map((line, number) => [indexOf(line), number]));
    this.current = this.lines.findIndex((line) => line.classList.contains("is-now"));
    this.done = this.lines.length; // so many lines are not later than the current one
  }

  /**
   * Mark the line of the decision before an index; none at the set-up.
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
    for (; this.done > number + 1; this.done--) this.lines[this.done - 1]?.classList.add("is-later");
    for (; this.done < number + 1; this.done++) this.lines[this.done]?.classList.remove("is-later");
    const line = this.lines[number];
    this.list.scrollTop = line ? line.offsetTop - (this.list.clientHeight - line.clientHeight) / 2 : 0; // within the list alone
  }

  /** @param {number} number @param {boolean} isNow */
  #mark(number, isNow) {
    const line = this.lines[number];
    line?.classList.toggle("is-now", isNow);
    if (isNow) line?.querySelector("a")?.setAttribute("aria-current", "step");
    else line?.querySelector("a")?.removeAttribute("aria-current");
  }

  /** The index after its last decision: -1 before the first, and without a list no number is too high. */
  get last() { return this.list ? Number(indexOf(this.lines.at(-1)) ?? -1) : Infinity; }

  /**
   * The line of a frame, later than what is shown, and how many there are with it; whether it is new here.
   * @param {LiveFrame} frame
   */
  add({ d, move, count }) {
    if (!this.list || !move || d === undefined || d <= this.last) return false;
    const lines = allRendered(move); // with the line of a round before it, where one begins
    const line = lines.at(-1);
    if (!(line instanceof HTMLElement)) return false;
    line.classList.add("is-later");
    this.list.querySelector("[data-no-moves]")?.remove();
    this.list.append(...lines);
    this.numbers.set(indexOf(line), this.lines.push(line) - 1);
    if (this.count) this.count.textContent = count ?? "";
    return true;
  }
}
