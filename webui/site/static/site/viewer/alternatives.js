// What else could have been done at the decision that is open: the server's page about it, in the sheet.

import { maybe } from "../dom.js";
import { query } from "./address.js";
import { patiently } from "./load.js";

/** @import { About } from "./about.js" */

export class Alternatives {
  /** @param {HTMLElement} root @param {About} about */
  constructor(root, about) {
    this.about = about;
    this.link = maybe(root, "[data-alternatives-link]", HTMLAnchorElement);
    this.link?.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      this.#open().catch(() => { if (this.link) location.href = this.link.href; });
    });
  }

  /** Lead to the decision before an index; none at the set-up. @param {string | null} name */
  show(name) {
    if (!this.link) return;
    this.link.hidden = name === null;
    if (name !== null) this.link.href = `${this.link.dataset.alternativesLink}?${query(location.search, { d: name })}`;
  }

  async #open() {
    const { link } = this;
    if (!link || link.getAttribute("aria-busy")) return;
    link.setAttribute("aria-busy", "true");
    try {
      const answer = await patiently(link.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = maybe(page, "[data-alternatives]", HTMLElement);
      if (!found) throw new TypeError(link.href);
      this.about.tell(found);
    } finally {
      link.removeAttribute("aria-busy");
    }
  }
}
