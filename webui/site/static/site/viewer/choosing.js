// A decision is made on the table: what can be chosen is lit, and buttons stand for the rest.
//
// The page has a table (its parts have `data-part`, as in the viewer) and the templates board/choosing.html and
// board/choosing_all.html. `mount` fills them, and calls `onActions` with the texts of the chosen actions. It sends
// nothing itself, and it shows no result: the caller does both, and then calls `show` with what is legal now, or null.
//
// A sowing is tried out on the table until its last drop. For each drop before, `onTry` is called with all that is
// tried. The caller shows the table after it, stores nothing, and answers with what is legal then. So the server stays
// the judge of every drop, and the visitor can take all of them back.

import { all, drawn, maybe, one } from "../dom.js";
import { decided, following, given, isOfSet, kindOf, remaining, setOf } from "./paths-of-choice.js";

/**
 * @import { LegalAction, LegalChoices } from "../../../types/choices.d.ts"
 * @typedef {{
 *   legal: LegalChoices | null,
 *   onActions: (texts: string[]) => void,
 *   onTry: (texts: string[]) => Promise<LegalChoices | null>,
 * }} Options
 * @typedef {{ show: (legal: LegalChoices | null) => void, close: () => void }} Mounted
 */

const LIT = "is-lit", CHOSEN = "is-chosen";

/**
 * Let a visitor choose an action on a table.
 * @param {HTMLElement} root contains the table and both templates
 * @param {Options} options
 * @returns {Mounted} `show` after each change of the table; `close` when the table goes away
 */
export function mount(root, options) {
  const choosing = new Choosing(root, options);
  choosing.show(options.legal);
  return choosing;
}

class Choosing {
  /** @type {LegalChoices | null} */
  #legal = null;
  /** @type {string[]} */
  #chosen = [];
  /** The steps that are the only ones, so that nobody has to choose them. @type {string[]} */
  #given = [];
  /** Gives the focus back to the control when something can be chosen again. @type {(() => void) | null} */
  #refocus = null;
  /** The lit elements and their steps. @type {Map<Element, string>} */
  #lit = new Map();
  /** The actions of a sowing that are tried out. @type {string[]} */
  #tried = [];
  /** Counts what was shown or tried: an older answer is not shown. */
  #run = 0;

  /** @param {HTMLElement} root @param {Options} options */
  constructor(root, { onActions, onTry }) {
    this.root = root;
    this.onActions = onActions;
    this.onTry = onTry;
    this.bar = one(root, "[data-choosing]", HTMLElement);
    this.question = one(this.bar, "[data-question]", HTMLElement);
    this.held = one(this.bar, "[data-choosing-held]", HTMLElement);
    this.buttons = one(this.bar, "[data-choosing-steps]", HTMLElement);
    this.undo = one(this.bar, "[data-choosing-undo]", HTMLButtonElement);
    this.gain = one(this.bar, "[data-choosing-gain]", HTMLElement);
    this.brings = one(this.bar, "[data-choosing-brings]", HTMLTemplateElement).content.textContent ?? "";
    this.more = one(this.bar, "[data-choosing-more]", HTMLTemplateElement).content.textContent ?? "";
    this.whole = one(root, "[data-choosing-all]", HTMLDetailsElement);
    this.count = one(this.whole, "[data-choosing-count]", HTMLElement);
    this.list = one(this.whole, "[data-choosing-list]", HTMLElement);
    this.listening = new AbortController();
    const { signal } = this.listening;
    this.undo.addEventListener("click", () => this.#takeBack(), { signal });
    this.whole.addEventListener("toggle", () => this.#showList(), { signal });
    // Before anything else on the page: what is lit is chosen, all else explains itself.
    root.addEventListener("click", (event) => this.#click(event), { signal, capture: true });
    document.addEventListener("keydown", (event) => this.#press(event), { signal, capture: true });
    for (const kind of ["pointerover", "focusin"]) root.addEventListener(kind, (event) => this.#showGain(event.target), { signal });
  }

  /** Show what is legal now; null: nothing can be chosen. @param {LegalChoices | null} legal */
  show(legal) {
    this.#run += 1;
    this.#tried = [];
    this.#offer(legal);
  }

  /** @param {LegalChoices | null} legal */
  #offer(legal) {
    this.bar.removeAttribute("aria-busy");
    this.#refocus ??= this.#focused();
    this.#legal = legal;
    this.#given = given(legal?.actions ?? []);
    this.#chosen = [...this.#given];
    this.bar.hidden = this.whole.hidden = !legal;
    this.held.replaceChildren(...this.#heldPictures());
    this.count.textContent = legal ? String(legal.actions.length) : "";
    this.#render();
    this.#showList();
    if (!legal) return;
    if (document.activeElement === document.body) this.#refocus?.(); // else the visitor has gone elsewhere
    this.#refocus = null;
  }

  /** Nothing is lit any more. */
  close() {
    this.show(null);
    this.listening.abort();
  }

  /** What gives the focus back to the part of the control that has it. @returns {(() => void) | null} */
  #focused() {
    const here = document.activeElement;
    if (here === this.undo) {
      return () => {
        if (this.undo.hidden) this.#focusFirst();
        else this.undo.focus();
      };
    }
    if (this.list.contains(here)) return () => { (this.list.querySelector("button") ?? this.whole.querySelector("summary"))?.focus(); };
    return this.bar.contains(here) ? () => this.#focusFirst() : null;
  }

  #focusFirst() {
    const first = this.buttons.querySelector("button") ?? [...this.#lit.keys()].find((element) => element instanceof SVGElement);
    if (first instanceof HTMLElement || first instanceof SVGElement) first.focus();
  }

  /** The meeples in hand, which screen readers are told in words. */
  #heldPictures() {
    const { label, drawings } = this.#legal?.held ?? { label: "", drawings: [] };
    const words = document.createElement("span");
    words.className = "visually-hidden";
    words.textContent = label;
    return label ? [...drawings.map(picture), words] : [];
  }

  /** Take back the last step, or the last drop that is tried out; whether there was one. */
  #takeBack() {
    if (this.#chosen.length > this.#given.length) {
      const refocus = this.#focused();
      this.#chosen.pop();
      this.#render();
      refocus?.();
    } else if (this.#tried.length) this.#try(this.#tried.slice(0, -1));
    else return false;
    return true;
  }

  /** Play an action, or try it out if a sowing goes on after it. @param {LegalAction} action */
  #play({ text, goes_on: goesOn }) {
    if (goesOn) this.#try([...this.#tried, text]);
    else this.onActions([...this.#tried, text]);
  }

  /** Show the table after these actions, and what is legal then. @param {string[]} texts */
  async #try(texts) {
    const run = ++this.#run;
    this.#refocus ??= this.#focused();
    this.#unlight();
    this.buttons.replaceChildren();
    this.bar.setAttribute("aria-busy", "true");
    const legal = await this.onTry(texts);
    if (run !== this.#run || !legal) return; // if there is none, the caller has shown something else
    this.#tried = texts;
    this.#offer(legal);
  }

  /** @param {string} step */
  #choose(step) {
    const chosen = this.#chosenWith(step);
    const action = decided(this.#legal?.actions ?? [], chosen);
    if (action) {
      this.#play(action);
      return;
    }
    this.#chosen = chosen;
    const hadFocus = this.bar.contains(document.activeElement);
    this.#render();
    if (hadFocus) (this.#buttonOf(step) ?? this.buttons.querySelector("button") ?? this.undo).focus();
  }

  /** What is chosen after a step. @param {string} step */
  #chosenWith(step) {
    const before = this.#chosen;
    if (isOfSet(step) && before.includes(step)) return before.filter((other) => other !== step);
    const goesOn = following(this.#legal?.actions ?? [], before).includes(step);
    // What is chosen from the start again takes the place of what was chosen.
    return goesOn ? [...before, step] : [...this.#given, step];
  }

  /** Show what a click there would bring at once. @param {EventTarget | null} target */
  #showGain(target) {
    const button = target instanceof Element ? target.closest("[data-step-name]") : null;
    const step = button instanceof HTMLElement ? button.dataset.stepName ?? null : this.#stepAt(target);
    const action = step === null ? null : decided(this.#legal?.actions ?? [], this.#chosenWith(step));
    this.gain.textContent = action ? gainWords(action, this.brings) : "";
  }

  /** @param {string} step @returns {HTMLElement | null} */
  #buttonOf(step) { return this.buttons.querySelector(`[data-step-name="${CSS.escape(step)}"]`); }

  #render() {
    const legal = this.#legal, chosen = this.#chosen;
    this.#unlight();
    this.gain.textContent = "";
    const actions = legal?.actions ?? [];
    const steps = following(actions, chosen);
    if (legal) for (const step of this.#places(steps)) this.#light(step, legal.seat);
    const names = chosen.slice(this.#given.length).map((step) => legal?.steps[step]?.label ?? "");
    this.question.textContent = names.length ? `${names.join(" · ")}: ${this.more}` : legal?.question ?? "";
    this.undo.hidden = !names.length && !this.#tried.length;
    const buttons = inOrder(steps).map((step) => this.#button(step));
    const set = this.#set();
    if (set) buttons.unshift(actionButton(set, "button compact primary", this.brings, () => this.#play(set)));
    this.buttons.replaceChildren(...buttons);
  }

  /**
   * The steps to light: those that follow and, while none of them is a tile, those from which one can begin again.
   * @param {string[]} steps
   */
  #places(steps) {
    if (steps.some((step) => kindOf(step) === "tile")) return steps;
    return new Set([...steps, ...following(this.#legal?.actions ?? [], this.#given)]);
  }

  /** The sale that is chosen, or the largest while none is. */
  #set() {
    const actions = this.#legal?.actions ?? [];
    if (this.#chosen.length > this.#given.length) return setOf(actions, this.#chosen);
    const sales = actions.filter(({ text }) => text.startsWith("sell "));
    return sales.sort((a, b) => b.path.length - a.path.length)[0] ?? null;
  }

  /** @param {string} step */
  #button(step) {
    const { label, short, drawings } = this.#legal?.steps[step] ?? { label: step, drawings: [] };
    const button = document.createElement("button");
    button.type = "button";
    button.className = `button compact choosing-step is-${kindOf(step)}`;
    button.dataset.stepName = step;
    button.setAttribute("aria-label", label);
    if (isOfSet(step)) button.setAttribute("aria-pressed", String(this.#chosen.includes(step)));
    const words = document.createElement("span");
    words.textContent = short ?? label;
    button.append(...drawings.map(picture), words);
    const [action, other] = remaining(this.#legal?.actions ?? [], [...this.#chosen, step]);
    if (action && !other) button.title = action.words;
    button.addEventListener("click", () => this.#choose(step));
    return button;
  }

  /** @param {string} step @param {number} seat */
  #light(step, seat) {
    const element = placeOf(this.root, step, seat);
    if (!element) return;
    this.#lit.set(element, step);
    element.classList.add(LIT);
    element.classList.toggle(CHOSEN, this.#chosen.includes(step));
    if (element instanceof SVGElement) element.setAttribute("role", "button");
  }

  #unlight() {
    for (const element of this.#lit.keys()) {
      element.classList.remove(LIT, CHOSEN);
      if (element instanceof SVGElement) element.setAttribute("role", "img");
    }
    this.#lit.clear();
  }

  /** The step of the lit element in which something is. @param {EventTarget | null} target */
  #stepAt(target) {
    const element = target instanceof Element ? target.closest(`.${LIT}`) : null;
    return element ? this.#lit.get(element) ?? null : null;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const step = this.#stepAt(event.target);
    // The second half of a double click would answer the next question, which nobody has read.
    const isSecond = event.detail > 1 && event.target instanceof Element && event.target.closest("[data-choosing], [data-choosing-list]");
    // A click while the server judges a drop is one on a tile that will be lit in a moment: it explains nothing.
    const isEarly = this.bar.hasAttribute("aria-busy") && event.target instanceof Element && event.target.closest(".layer-pieces");
    if (step === null && !isSecond && !isEarly) return;
    event.stopPropagation();
    event.preventDefault();
    if (step !== null && event.detail <= 1) this.#choose(step);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isFree = event.target instanceof Element && !event.target.closest("dialog, input, textarea, select");
    if (event.key === "Backspace" && isFree && this.#takeBack()) event.preventDefault();
    const step = event.key === "Enter" || event.key === " " ? this.#stepAt(event.target) : null;
    if (step === null || !(event.target instanceof SVGElement)) return;
    event.stopPropagation();
    event.preventDefault();
    this.#choose(step);
  }

  /** The list is made when somebody opens it: it may have some hundred actions. */
  #showList() {
    const actions = this.whole.open ? this.#legal?.actions ?? [] : [];
    const titles = [...new Set(actions.map(({ group }) => group))];
    this.list.replaceChildren(...titles.flatMap((title) => {
      const heading = document.createElement("h3");
      const list = document.createElement("ul");
      heading.textContent = title;
      list.append(...actions.filter(({ group }) => group === title).map((action) => {
        const item = document.createElement("li");
        item.append(actionButton(action, "choosing-action", this.brings, () => this.#play(action)));
        return item;
      }));
      return [heading, list];
    }));
  }
}

/** The steps that have buttons: first what ends a decision, so that it is always in sight. @param {string[]} steps */
function inOrder(steps) {
  /** @param {string} step */
  const rank = (step) => (kindOf(step) === "do" ? -1 : kindOf(step) === "spot" ? Number(step.slice("spot-".length)) : 0);
  return steps.filter((step) => kindOf(step) !== "tile").sort((a, b) => rank(a) - rank(b));
}

/**
 * A button that plays an action at once.
 * @param {LegalAction} action
 * @param {string} className
 * @param {string} brings
 * @param {() => void} onClick
 */
function actionButton(action, className, brings, onClick) {
  const { text, words } = action, gain = gainWords(action, brings);
  const button = document.createElement("button");
  button.type = "button";
  button.className = className;
  button.textContent = gain ? `${words} · ${gain}` : words;
  button.title = text;
  button.addEventListener("click", onClick);
  return button;
}

/**
 * The points that an action brings at once, in words; empty if it brings none.
 * @param {LegalAction} action
 * @param {string} brings words with `{gain}` in the place of the number
 */
function gainWords({ gain }, brings) {
  return gain ? brings.replace("{gain}", gain > 0 ? `+${gain}` : `\u2212${-gain}`) : "";
}

/** @param {string} name */
function picture(name) {
  const kind = name.slice(0, 2);
  const look = kind === "i-" ? "resource-icon" : kind === "d-" ? "djinn-icon" : kind === "x-" ? "item-icon" : name === "coin" ? "coin" : "glyph";
  return drawn("svg", { class: look, "aria-hidden": "true" }, drawn("use", { href: `#${name}` }));
}

/**
 * The place of a step on the table; null if it has none.
 * @param {HTMLElement} root
 * @param {string} step
 * @param {number} seat the seat that decides
 * @returns {Element | null}
 */
export function placeOf(root, step, seat) {
  const name = step.slice(kindOf(step).length + 1);
  /** @param {string} part @param {string} thing @param {string} drawing */
  const withDrawing = (part, thing, drawing) => maybe(root, `[data-part="${part}"] ${thing}:has(use[href="#${drawing}-${name}"])`, Element);
  switch (kindOf(step)) {
    case "tile": return maybe(root, `.layer-pieces [data-tile="${name}"]`, Element);
    case "spot": return all(root, "[data-part=turn-track] .spot", Element)[Number(name) - 1] ?? null;
    case "card": return all(root, "[data-part=market] .card", Element)[Number(name) - 1] ?? null;
    case "djinn": return withDrawing("djinns", ".djinn-card", "d");
    case "own": return withDrawing(`seat-${seat}-djinns`, ".djinn", "d");
    case "item": return withDrawing(`seat-${seat}-items`, ".item", "x");
    case "good": return withDrawing(`seat-${seat}-hand`, ".hand-card", "i");
    case "seat": return maybe(root, `.seat[data-seat="${name}"]`, Element);
    default: return null;
  }
}
