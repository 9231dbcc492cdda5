// The page on which bots are written: the editor, and the trial beside it. Without it, the form works as any other.

import { allRendered, maybe, one } from "../dom.js";
import { morph } from "../morph.js";
import { fetchPatiently, follow, lostNote } from "../source.js";
import { walkThrough } from "./walk.js";

/** @import { Walk } from "./walk.js" */

const DRAFT = "naqala-draft"; // the name under which the browser keeps the program, unless the page names another one
const SAVE_AFTER_MS = 400;

/**
 * What the editor of `editor.js` can do. A plain text area does the same.
 * @typedef {object} Editor
 * @property {() => string} text
 * @property {(text: string) => void} set
 * @property {(lines: number[]) => void} mark
 * @property {() => void} focus
 */

class Writing {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.keep = form.dataset.keep ?? DRAFT;
    this.area = one(form, "textarea", HTMLTextAreaElement);
    this.example = one(form, "[data-example]", HTMLButtonElement);
    this.refused = one(form, "[data-refused]", HTMLElement);
    this.kept = one(form, "[data-kept]", HTMLElement);
    this.place = one(document, "[data-trial]", HTMLElement);
    this.said = one(document, "[data-said-of-trial]", HTMLElement);
    const lost = one(document, "[data-lost]", HTMLElement);
    this.lostFor = lostNote((isLost) => { lost.hidden = !isLost; });
    /** @type {Editor} */
    this.editor = plain(this.area, () => this.#changed());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.saving = undefined;
    /** @type {(() => void) | undefined} */
    this.close = undefined;
    /** @type {Walk | undefined} */
    this.walk = undefined;
    this.isRunning = false;
    this.#restore();
    this.example.hidden = false;
    this.example.addEventListener("click", () => this.#startOver());
    form.addEventListener("submit", (event) => this.#submit(event));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) {
        event.preventDefault();
        this.run();
      }
    });
    this.#begin();
    this.#improve();
  }

  /** A draft of an earlier visit, unless the page shows the program of a trial or one that was refused. */
  #restore() {
    if (this.form.hasAttribute("data-has-source") || !this.refused.hidden) return;
    const draft = stored(this.keep);
    if (draft) this.editor.set(draft);
  }

  #startOver() {
    this.editor.set(this.form.dataset.start ?? "");
    this.editor.mark([]);
    this.editor.focus();
  }

  #changed() {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.#save(), SAVE_AFTER_MS);
  }

  #save() {
    try {
      localStorage.setItem(this.keep, this.editor.text());
      this.kept.textContent = this.form.dataset.saved ?? "";
    } catch {
      this.kept.textContent = ""; // the browser keeps nothing
    }
  }

  /** Load the editor with colours, line numbers and indenting. */
  async #improve() {
    try {
      const { editor = "", words = "" } = this.form.dataset;
      const [{ openEditor }, answer] = await Promise.all([import(editor), fetchPatiently(words)]);
      this.editor = openEditor(this.area, {
        changed: () => this.#changed(), run: () => this.run(), label: this.form.dataset.label ?? "", words: answer.ok ? await answer.json() : {},
      });
      this.#markErrors();
    } catch (error) {
      console.info(error); // the text area stays
    }
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    this.area.value = this.editor.text();
    this.#save();
    const { submitter } = event;
    const act = submitter instanceof HTMLButtonElement ? submitter.value : "run";
    if (act !== "run" && act !== "examine") return;
    event.preventDefault();
    this.run(act);
  }

  /** Run or examine the program, and show the trial. */
  async run(act = "run") {
    const button = one(this.form, `button[value=${act}]`, HTMLButtonElement);
    if (this.isRunning || button.disabled) return;
    this.isRunning = true;
    button.setAttribute("aria-busy", "true");
    this.area.value = this.editor.text();
    this.#save();
    const body = new FormData(this.form);
    body.set("act", act);
    try {
      const answer = await fetch(this.form.action, { method: "POST", body });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const refusal = maybe(page, "[data-refused]:not([hidden])", HTMLElement);
      const fresh = maybe(page, "[data-trial]", HTMLElement);
      if (refusal || !answer.ok || !fresh) {
        this.#refuse(refusal?.textContent?.trim() || page.body.textContent?.trim().slice(0, 200) || String(answer.status));
        return;
      }
      this.refused.hidden = true;
      history.replaceState(null, "", answer.url);
      this.#show([...fresh.children]);
      if (this.place.getBoundingClientRect().top > innerHeight * 0.8) this.place.scrollIntoView({ block: "start" });
    } catch (error) {
      console.info(error);
      this.#refuse(this.form.dataset.lostLine ?? "");
    } finally {
      this.isRunning = false;
      button.removeAttribute("aria-busy");
    }
  }

  /** @param {string} why */
  #refuse(why) {
    this.refused.textContent = why;
    this.refused.hidden = false;
  }

  /** @param {Element[]} parts */
  #show(parts) {
    this.close?.();
    this.walk?.leave();
    this.close = this.walk = undefined;
    this.place.replaceChildren(...parts);
    this.#begin();
  }

  /** Follow the trial that is shown, or walk through its game. */
  #begin() {
    const head = maybe(this.place, "[data-key]", HTMLElement);
    if (!head) return;
    const { live = "", parts = "" } = head.dataset;
    this.said.textContent = maybe(head, "[data-news]", HTMLElement)?.textContent?.trim() ?? "";
    if (live) {
      this.close = follow(live, {
        events: { changed: () => { this.#renew(parts); } },
        lost: this.lostFor("feed"),
        none: () => { setTimeout(() => { this.#renew(parts); }, 1000); },
      });
      return;
    }
    this.#markErrors();
    const game = maybe(this.place, "[data-walk]", HTMLElement);
    if (game) walkThrough(game).then((walk) => { this.walk = walk; }).catch((error) => { console.error(error); });
  }

  /** @param {string} address */
  async #renew(address) {
    const answer = await fetchPatiently(address, { cache: "no-store", lost: this.lostFor("parts") });
    const head = maybe(this.place, "[data-key]", HTMLElement);
    if (!answer.ok || head?.dataset.parts !== address) return; // another trial is shown by now
    const fresh = allRendered(await answer.text());
    const parts = fresh.filter((part) => !part.matches(".sprite"));
    const next = parts.find((part) => part.matches("[data-key]"));
    if (next?.hasAttribute("data-live")) {
      morph(head, next);
      this.said.textContent = "";
    } else {
      for (const sprite of fresh.filter((part) => part.matches(".sprite"))) addDrawings(sprite);
      this.#show(parts);
    }
  }

  #markErrors() {
    const lines = [...this.place.querySelectorAll("[data-line]")].map((element) => Number(element.getAttribute("data-line")));
    this.editor.mark(lines.filter((line) => line > 0));
  }
}

/** The draft of an earlier visit, or an empty text. @param {string} name */
function stored(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return ""; // the browser keeps nothing
  }
}

/**
 * @param {HTMLTextAreaElement} area
 * @param {() => void} changed
 * @returns {Editor}
 */
function plain(area, changed) {
  area.addEventListener("input", changed);
  return {
    text: () => area.value,
    set: (text) => { area.value = text; changed(); },
    mark: () => { /* a text area marks nothing */ },
    focus: () => area.focus(),
  };
}

/** What the page shows for the first time. @param {Element} sprite */
function addDrawings(sprite) {
  const here = one(document, "svg.sprite", SVGElement);
  for (const symbol of sprite.querySelectorAll("symbol")) {
    if (!document.getElementById(symbol.id)) here.append(symbol);
  }
}

const form = maybe(document, "[data-write]", HTMLFormElement);
if (form) new Writing(form);
