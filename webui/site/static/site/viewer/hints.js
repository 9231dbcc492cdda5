// Hints at a person's table: the server's best choices, shown on the table, and played as a whole if the visitor wants so.

import { maybe, one } from "../dom.js";
import { placeOf } from "./choosing.js";

/**
 * @typedef {{ route: string, words: string, points: string, actions: string[], path: string[] }} Hint
 */

const HINTED = "is-hinted";

const MOST_WAIT_MS = 20_000;

export class Hints {
  /** The choice that is shown first; null if none is. @type {Hint | null} */
  best = null;
  /** Counts what was asked for: an older answer is not shown. */
  #run = 0;

  /** @param {HTMLElement} root @param {number} seat @param {(actions: string[]) => void} onActions */
  constructor(root, seat, onActions) {
    this.root = root;
    this.seat = seat;
    this.onActions = onActions;
    this.button = one(root, "[data-hints-ask]", HTMLButtonElement);
    this.panel = one(root, "[data-hints]", HTMLElement);
    this.note = one(this.panel, "[data-hint-note]", HTMLElement);
    this.list = one(this.panel, "[data-hint-list]", HTMLElement);
    this.row = one(this.panel, "[data-hint-row]", HTMLTemplateElement);
    this.button.addEventListener("click", () => this.ask());
  }

  /** Show no hints: another decision is due, or none. */
  clear() {
    this.#run += 1;
    this.best = null;
    this.#mark([]);
    if (this.panel.contains(document.activeElement)) this.button.focus(); // from there the control takes the focus on
    this.panel.hidden = true;
    this.list.replaceChildren();
    this.note.textContent = "";
    this.button.removeAttribute("aria-busy");
  }

  /** Ask for the best choices, and show them. */
  async ask() {
    if (this.button.getAttribute("aria-busy")) return;
    this.clear();
    const run = this.#run;
    this.button.setAttribute("aria-busy", "true");
    this.#say("thinking");
    const told = { cache: /** @type {RequestCache} */ ("no-store"), signal: AbortSignal.timeout(MOST_WAIT_MS) };
    const answer = await fetch(this.root.dataset.hintsAddress ?? "", told).catch(() => null);
    /** @type {{ hints: Hint[] }} */
    const { hints } = answer?.ok ? await answer.json() : { hints: [] };
    if (run !== this.#run) return;
    this.button.removeAttribute("aria-busy");
    if (!answer?.ok) {
      this.#say(answer?.status === 429 ? "often" : "busy");
      return;
    }
    this.best = hints[0] ?? null;
    this.#say(hints.length ? "found" : "none");
    this.list.replaceChildren(...hints.map((hint) => this.#item(hint)));
  }

  /** @param {"thinking" | "found" | "none" | "busy" | "often"} what */
  #say(what) {
    this.note.textContent = this.note.dataset[what] ?? "";
    this.panel.hidden = false;
  }

  /** @param {Hint} hint */
  #item({ route, words, points, actions, path }) {
    const item = /** @type {HTMLElement} */ (this.row.content.firstElementChild?.cloneNode(true));
    const show = one(item, "[data-hint-show]", HTMLButtonElement);
    const play = one(item, "[data-hint-play]", HTMLButtonElement);
    one(item, "[data-hint-route]", HTMLElement).textContent = route;
    one(item, "[data-hint-words]", HTMLElement).textContent = words;
    one(item, "[data-hint-points]", HTMLElement).textContent = points;
    play.setAttribute("aria-label", `${play.textContent}: ${route} ${words}`);
    const pressed = () => maybe(this.list, "[aria-pressed=true]", HTMLElement);
    for (const begin of ["pointerenter", "focusin"]) item.addEventListener(begin, () => { if (!pressed()) this.#mark(path); });
    for (const end of ["pointerleave", "focusout"]) item.addEventListener(end, () => { if (!pressed()) this.#mark([]); });
    show.addEventListener("click", () => {
      const isShown = show === pressed();
      pressed()?.setAttribute("aria-pressed", "false");
      show.setAttribute("aria-pressed", String(!isShown));
      this.#mark(isShown ? [] : path);
    });
    play.addEventListener("click", () => this.onActions(actions));
    return item;
  }

  /** Show where the steps are on the table. @param {string[]} path */
  #mark(path) {
    for (const element of this.root.querySelectorAll(`.${HINTED}`)) element.classList.remove(HINTED);
    for (const step of path) placeOf(this.root, step, this.seat)?.classList.add(HINTED);
  }
}
