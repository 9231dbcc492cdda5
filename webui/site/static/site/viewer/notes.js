// The notes of the visitor's own bot: those of the decision that comes next on the board are marked and kept in view.

import { all, maybe } from "../dom.js";

export class Notes {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.list = maybe(root, ".own-notes", HTMLElement);
    this.lines = this.list ? all(this.list, "[data-note]", HTMLElement) : [];
  }

  /**
   * Mark the notes of the decision at an index.
   * @param {string} name
   */
  show(name) {
    if (!this.list) return;
    for (const line of this.lines) line.classList.toggle("is-now", line.dataset.note === name);
    const line = this.lines.find((each) => each.classList.contains("is-now"));
    if (line) this.list.scrollTop = line.offsetTop - (this.list.clientHeight - line.clientHeight) / 2; // within the list alone
  }
}
