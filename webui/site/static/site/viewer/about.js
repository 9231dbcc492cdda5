// What things on the table are: a card for what is clicked, tapped, or chosen with Enter on the board.

import { all, maybe, one } from "../dom.js";

const OPENS = ".layer-pieces .tile, .card:not(.gone), .hand-card, .whim, .city, .djinn-card:not(.gone), .djinn, .item, .seat-stock > div, .track";
/** The cards of things that carry the drawing of one of their kind. @type {Record<string, string>} */
const KINDS = { "i-fakir": "fakir", "i-": "goods" };
/** The cards of what stands for a thing without its drawing. @type {[string, string][]} */
const BY_PLACE = [[".whim, .city", "whim"], [".track", "track"]];

/**
 * The name of the card for a drawing.
 * @param {string} drawing
 */
export function cardOf(drawing) {
  const kind = Object.keys(KINDS).find((begin) => drawing.startsWith(begin));
  return kind === undefined ? drawing : KINDS[kind] ?? drawing;
}

export class About {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.sheet = one(root, "[data-sheet=about]", HTMLDialogElement);
    root.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element) || target.closest("a, button, summary, dialog")) return;
      const thing = target.closest(OPENS);
      if (thing) this.open(thing);
    });
    for (const sheet of all(root, "dialog.sheet", HTMLDialogElement)) { // beside it, where the browser does not know `closedby`
      sheet.addEventListener("click", (event) => { if (event.target === sheet) sheet.close(); });
    }
  }

  /** Open the cards of a thing: of a tile also those of what stands on it. @param {Element} thing */
  open(thing) {
    const place = BY_PLACE.find(([selector]) => thing.matches(selector));
    const drawings = all(thing, "use", SVGUseElement).map(({ href }) => href.baseVal.slice(1));
    const names = place ? [place[1]] : [thing.getAttribute("data-kind") ?? "", ...drawings.map(cardOf)];
    const cards = [...new Set(names)].map((name) => this.#card(name)).filter((card) => card !== null);
    const own = thing.matches(".djinn-card, .djinn, .item");
    const kind = [...thing.classList].find((name) => name.startsWith("tint-"));
    one(this.sheet, "[data-about-cards]", HTMLElement).replaceChildren(...(own ? [this.#copy(thing)] : cards));
    if (kind) this.sheet.querySelector(".tile-picture")?.classList.add(kind);
    const label = one(this.sheet, "[data-about-label]", HTMLElement);
    label.textContent = thing.getAttribute("aria-label") ?? "";
    label.hidden = !label.textContent || thing.matches(".track");
    this.sheet.showModal();
  }

  /** Show something else in the sheet. @param {HTMLElement} told */
  tell(told) {
    one(this.sheet, "[data-about-cards]", HTMLElement).replaceChildren(told);
    one(this.sheet, "[data-about-label]", HTMLElement).hidden = true;
    this.sheet.showModal();
  }

  /** @param {string} name */
  #card(name) {
    const card = maybe(this.root, `template[data-card="${name}"]`, HTMLTemplateElement);
    return card?.content.firstElementChild?.cloneNode(true) ?? null;
  }

  /** What a Djinn or an item says of itself. @param {Element} thing */
  #copy(thing) {
    const copy = document.createElement("div");
    copy.className = "about-own";
    copy.append(...[...thing.childNodes].map((node) => node.cloneNode(true)));
    return copy;
  }
}
