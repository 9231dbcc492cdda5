// The table on the page: parts are set to texts that the server rendered.

import { all, isDrawn, rendered } from "../dom.js";

const KEPT = new Set(["tabindex"]); // where the keyboard stands belongs to the visitor

export class Table {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Map<string, string>} */
    this.shown = new Map();
    this.elements = new Map(all(root, "[data-part]", Element).map((element) => [element.getAttribute("data-part") ?? "", element]));
  }

  /** @param {string} part */
  element(part) { return this.elements.get(part) ?? null; }

  /**
   * Show all of these parts; returns the names of those that changed.
   * @param {Map<string, string>} parts
   */
  show(parts) {
    /** @type {string[]} */
    const fresh = [];
    for (const [part, text] of parts) {
      if (this.shown.get(part) === text) continue;
      if (this.shown.has(part)) fresh.push(part);
      this.shown.set(part, text);
      this.#set(part, text);
    }
    return fresh;
  }

  /** @param {string} part @param {string} text */
  #set(part, text) {
    const old = this.element(part);
    if (!old) return;
    const next = rendered(text, isDrawn(old) && isDrawn(old.parentElement));
    if (old.tagName !== next.tagName) {
      old.replaceWith(next);
      this.elements.set(part, next);
      return;
    }
    // The element itself stays, and with it the focus.
    for (const { name } of [...old.attributes]) if (!next.hasAttribute(name) && !KEPT.has(name)) old.removeAttribute(name);
    for (const { name, value } of next.attributes) if (!KEPT.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
    old.replaceChildren(...next.childNodes);
  }
}
