// The board of a line: an action that is chosen on the table is played by the server, which answers with the next table.

import { all, maybe, one } from "../dom.js";
import { fetchPatiently } from "../source.js";
import { About } from "./about.js";
import { Animations } from "./animations.js";
import { mount } from "./choosing.js";
import { loadDrawings } from "./drawings.js";
import { Loop } from "./loop.js";
import { Table } from "./table.js";
import { Transitions } from "./transitions.js";

/**
 * @import { LegalChoices } from "../../../types/choices.d.ts"
 * @import { Motion } from "../../../types/frames.d.ts"
 * @typedef {{ query: string, seat: number, parts: Record<string, string>, motions: Motion[], legal: LegalChoices | null, next?: string, play_on?: string, between?: Between[] }} Told
 * @typedef {{ parts: Record<string, string>, motions: Motion[] }} Between one of several decisions, when others answered
 */

/** @type {Record<string, string>} */
const KEYS = { ArrowLeft: "step-back", ArrowRight: "step-forward" };

const FAST = 2; // times the usual speed, for the decisions of others

export class Line {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.run = 0; // counts what was asked for: an older answer is not shown
    this.tried = 0; // how many decisions of a sowing are tried out
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.table = new Table(root);
    this.loop = new Loop();
    this.transitions = new Transitions(this.table, this.loop);
    this.animations = new Animations(this.table, this.loop, this.transitions);
    this.about = new About(root);
    this.trouble = one(root, "[data-trouble]", HTMLElement);
    /** @type {LegalChoices | null} */
    this.legal = JSON.parse(one(root, "#legal", HTMLScriptElement).textContent ?? "null");
    this.choosing = mount(root, {
      legal: this.legal,
      onActions: (actions) => { this.play(actions); },
      onTry: (actions) => this.#try(actions),
    });
    document.addEventListener("click", (event) => this.#follow(event));
    document.addEventListener("keydown", (event) => this.#press(event));
    addEventListener("popstate", () => { this.load(location.search.slice(1), false); });
    this.#scroll();
  }

  /** @param {string[]} actions one, or all of a sowing */
  async play(actions) {
    await this.load(after(actions), true, this.tried);
  }

  /** Another table is asked for. */
  changing() { /* who needs it does something */ }

  /** A table is shown to its end: `next` is the query of the following one. @param {string} [next] @param {boolean} [isStep] */
  arrived(next, isStep) { void [next, isStep]; /* who needs it does something */ }

  /**
   * Show the table after the start of a sowing; resolves with what is legal then. The line and its address stay.
   * @param {string[]} actions
   */
  async #try(actions) {
    const run = ++this.run;
    this.changing();
    const told = await this.#ask(after(actions), run);
    if (!told) {
      const { textContent } = this.trouble;
      if (run === this.run) await this.load(location.search.slice(1), false);
      this.#say(textContent ?? "");
      return null;
    }
    const isFurther = actions.length > this.tried;
    this.tried = actions.length;
    const ofTheTable = Object.entries(told.parts).filter(([name]) => !name.startsWith("line-"));
    this.animations.clear();
    if (isFurther && !this.still.matches) await this.animations.play(told.motions, 1);
    if (run !== this.run) return null;
    this.table.show(new Map(ofTheTable));
    this.animations.clear();
    return told.legal;
  }

  /** @param {MouseEvent} event */
  #follow(event) {
    if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = event.target.closest("a[data-line], a[data-judge]");
    if (!(link instanceof HTMLAnchorElement) || !link.href) return;
    event.preventDefault();
    if ("judge" in link.dataset) {
      this.#judge(link).catch(() => { location.href = link.href; });
      return;
    }
    link.closest("dialog")?.close();
    this.load(new URL(link.href).search.slice(1), link.id === "step-forward");
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (ctrlKey || metaKey || altKey || shiftKey || !(target instanceof Element)) return;
    if (key === "Enter" && target instanceof SVGElement && target.matches(".layer-pieces .tile")) this.about.open(target);
    const link = KEYS[key] ? document.getElementById(KEYS[key]) : null;
    if (!(link instanceof HTMLAnchorElement) || !link.href || target.closest("dialog, input, textarea, select")) return;
    event.preventDefault();
    link.click();
  }

  /** @param {HTMLAnchorElement} link */
  async #judge(link) {
    if (link.getAttribute("aria-busy")) return;
    link.setAttribute("aria-busy", "true");
    try {
      const answer = await fetchPatiently(link.href);
      if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      this.about.tell(one(page, "[data-judgement]", HTMLElement));
    } finally {
      link.removeAttribute("aria-busy");
    }
  }

  /**
   * Show the table of a line.
   * @param {string} query
   * @param {boolean} isStep whether it is one decision further: pieces move
   * @param {number} [shown] how many decisions are shown already, because they were tried out
   */
  async load(query, isStep, shown = 0) {
    const run = ++this.run;
    this.tried = 0;
    this.changing();
    this.choosing.show(null);
    this.animations.clear();
    const told = await this.#ask(query, run);
    if (told) await this.#show(told, run, isStep && !this.still.matches, shown);
    if (run !== this.run) return;
    this.choosing.show(this.legal);
    if (told) this.arrived(told.next, isStep);
  }

  /**
   * What the server tells of a line; null if it refuses it, or something else was asked for meanwhile.
   * @param {string} query
   * @param {number} run
   * @returns {Promise<Told | null>}
   */
  async #ask(query, run) {
    const answer = await fetchPatiently(`${this.root.dataset.analysis}?${query}`);
    const isTold = answer.headers.get("Content-Type")?.startsWith("application/json");
    if (!isTold) { // the match is not public any more: its page says so
      location.search = query;
      return null;
    }
    const told = await answer.json();
    if (run !== this.run) return null;
    this.#say(answer.ok ? "" : told.error);
    return answer.ok ? told : null;
  }

  /** @param {string} words */
  #say(words) {
    this.trouble.hidden = !words;
    this.trouble.textContent = words;
  }

  /** @param {Told} told @param {number} run @param {boolean} isStep @param {number} shown */
  async #show({ query, seat, parts, motions, legal, play_on: playOn, between = [] }, run, isStep, shown) {
    if (`?${query}` !== location.search) history.pushState(null, "", `?${query}`);
    for (const decision of isStep ? between.slice(shown) : []) {
      await this.#move(decision, run);
      if (run !== this.run) return;
    }
    const isMoving = isStep && !between.length;
    const leaving = motions.filter(([kind]) => kind === "leave");
    if (isMoving) {
      await this.animations.play(motions.filter((motion) => !leaving.includes(motion)), 1);
      if (run !== this.run) return;
      this.transitions.remember();
    }
    const focused = document.activeElement?.id;
    this.table.show(new Map(Object.entries(parts)));
    this.legal = legal;
    if (focused) document.getElementById(focused)?.focus();
    for (const each of all(this.root, "[data-seat]", HTMLElement)) each.classList.toggle("is-acting", Number(each.dataset.seat) === seat);
    for (const link of all(document, "a[data-file]", HTMLAnchorElement)) link.href = `${link.dataset.file}?${query}`;
    const on = maybe(document, "[data-play-on]", HTMLAnchorElement);
    if (on) {
      on.hidden = !playOn;
      on.search = playOn ?? "";
    }
    const next = maybe(document, "input[name=next]", HTMLInputElement); // where the choice of a language leads back to
    if (next) next.value = location.pathname + location.search;
    this.#scroll();
    if (!isMoving) return;
    this.choosing.show(legal); // the next decision need not wait for what flies off the board
    await Promise.all([this.transitions.run(motions, 1), this.animations.play(leaving, 1)]);
    if (run === this.run) this.animations.clear();
  }

  /** Show one of several decisions, faster than one alone. @param {Between} decision @param {number} run */
  async #move({ parts, motions }, run) {
    const leaving = motions.filter(([kind]) => kind === "leave");
    await this.animations.play(motions.filter((motion) => !leaving.includes(motion)), FAST);
    if (run !== this.run) return;
    this.transitions.remember();
    this.table.show(new Map(Object.entries(parts)));
    await Promise.all([this.transitions.run(motions, FAST), this.animations.play(leaving, FAST)]);
    if (run === this.run) this.animations.clear();
  }

  /** The decision that was played last is in sight in its list. */
  #scroll() {
    const list = maybe(this.root, ".move-list", HTMLElement);
    const now = list && maybe(list, ".is-now", HTMLElement);
    if (list && now) list.scrollTop = now.offsetTop - list.clientHeight / 2 + now.clientHeight / 2;
  }
}

/** The query of the line that is shown, longer by these decisions. @param {string[]} actions */
function after(actions) {
  const asked = new URLSearchParams(location.search);
  for (const action of actions) asked.append("play", action);
  return asked.toString();
}

/**
 * Begin the board of this element.
 * @template {Line} T
 * @param {new (root: HTMLElement) => T} kind
 */
export async function beginLine(kind) {
  const root = one(document, "[data-analysis]", HTMLElement);
  await loadDrawings(root.dataset.drawings ?? "");
  const line = new kind(root);
  root.dataset.ready = "";
  return line;
}
