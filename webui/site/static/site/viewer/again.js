// The commands that put the visitor's own bot before a decision again: for the one that is open, or the last before it.

import { all } from "../dom.js";

/**
 * The last of some decisions, in order, that is not after an index; the first where all are.
 * @param {readonly number[]} asks
 * @param {number} index
 */
export const askAt = (asks, index) => asks.findLast((ask) => ask <= index) ?? asks[0];

export class Again {
  /** @param {ParentNode} root */
  constructor(root) {
    this.seats = all(root, "[data-again]", HTMLElement).map((element) => ({
      asks: (element.dataset.asks ?? "").split(" ").map(Number),
      places: all(element, "[data-at]", HTMLElement),
      link: all(element, "a[data-step]", HTMLAnchorElement),
      rows: all(element, "a[data-row]", HTMLAnchorElement),
    }));
  }

  /**
   * Show the decision at an index.
   * @param {string} name
   */
  show(name) {
    for (const { asks, places, link, rows } of this.seats) {
      const at = String(askAt(asks, Number(name)));
      for (const place of places) place.textContent = at;
      for (const each of link) each.href = `?d=${at}`;
      for (const each of rows) each.hash = `d${at}`;
    }
  }
}
