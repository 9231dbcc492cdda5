// Terms of the game: a link to the glossary explains itself where it is pointed at, focused or tapped. What it says is read
// from the glossary page, once, when the first one is wanted; without scripts the link leads there.

import { maybe } from "./dom.js";

const TERM = "a.term[href*='#']";
const WAITS = 250; // ms until a pointer that passes by is one that rests
const GAP = 6; // pixels between the word and its meaning

/** @type {Promise<Document> | null} */
let loading = null;

/** The glossary page. @param {string} address */
function glossary(address) {
  loading ??= fetch(address).then(async (answer) => {
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  });
  loading.catch(() => { loading = null; });
  return loading;
}

/** @param {EventTarget | null} target */
const termAt = (target) => {
  const found = target instanceof Element ? target.closest(TERM) : null;
  return found instanceof HTMLAnchorElement ? found : null;
};

class Explanation {
  constructor() {
    this.box = document.createElement("div");
    this.box.id = "term-about";
    this.box.className = "term-box";
    this.box.popover = "manual";
    this.box.setAttribute("role", "tooltip");
    /** @type {HTMLAnchorElement | null} */
    this.shown = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.due = undefined;
    document.addEventListener("pointerover", ({ target, pointerType }) => {
      if (pointerType === "touch") return;
      const term = termAt(target);
      if (term) this.#soon(() => this.show(term));
      else if (this.#holds(target)) clearTimeout(this.due); // the meaning itself may be pointed at
      else if (this.shown && this.shown !== document.activeElement) this.#soon(() => this.hide());
      else clearTimeout(this.due);
    });
    document.addEventListener("focusin", ({ target }) => {
      const term = termAt(target);
      if (term) this.show(term);
      else this.hide();
    });
    document.addEventListener("click", (event) => this.#tap(event), { capture: true });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.shown) return;
      event.stopPropagation();
      this.hide();
    }, { capture: true });
    addEventListener("scroll", () => this.#scrolled(), { capture: true, passive: true });
  }

  #isOpen() { return this.box.isConnected && this.box.matches(":popover-open"); }

  /** @param {() => void} act */
  #soon(act) {
    clearTimeout(this.due);
    this.due = setTimeout(act, WAITS);
  }

  /** What has the focus may have been scrolled into view just now: its meaning stays beside it. */
  #scrolled() {
    if (!this.shown || !this.#isOpen()) return;
    if (this.shown === document.activeElement) this.#place(this.shown);
    else this.hide();
  }

  /** @param {EventTarget | null} target */
  #holds(target) { return target instanceof Node && this.box.contains(target); }

  /** A first tap explains, a second one follows the link. @param {MouseEvent} event */
  #tap(event) {
    const term = termAt(event.target);
    const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
    if (term && isTouch && !(this.shown === term && this.#isOpen())) {
      event.preventDefault();
      this.show(term);
    } else if (!term && !this.#holds(event.target)) {
      this.hide();
    }
  }

  /** @param {HTMLAnchorElement} term */
  async show(term) {
    clearTimeout(this.due);
    if (this.shown === term) return;
    this.hide();
    this.shown = term;
    const { hash, pathname } = new URL(term.href);
    const page = await glossary(pathname).catch(() => null); // the link still leads there
    const entry = page && maybe(page, hash, HTMLElement);
    if (!entry || this.shown !== term) return;
    const head = document.createElement("b");
    const said = document.createElement("span");
    head.textContent = entry.querySelector("dt")?.textContent ?? "";
    said.textContent = entry.querySelector("dd")?.textContent ?? "";
    this.box.replaceChildren(head, said);
    term.closest("dialog, body")?.append(this.box);
    this.box.showPopover();
    term.setAttribute("aria-describedby", this.box.id);
    this.#place(term);
  }

  /** Under the word, or over it where there is no room; within the window. @param {HTMLElement} term */
  #place(term) {
    const word = term.getBoundingClientRect();
    const { width, height } = this.box.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const left = Math.max(8, Math.min(word.left, clientWidth - width - 8));
    const under = word.bottom + GAP;
    const top = under + height <= clientHeight ? under : Math.max(8, word.top - GAP - height);
    this.box.style.left = `${left}px`;
    this.box.style.top = `${top}px`;
  }

  hide() {
    clearTimeout(this.due);
    this.shown?.removeAttribute("aria-describedby");
    this.shown = null;
    if (this.#isOpen()) this.box.hidePopover();
  }
}

new Explanation();
