// A walk through one game, from step to step of a list. The page is whole without it: its links load each step.

import { all, maybe, one } from "../dom.js";
import { About } from "./about.js";
import { Animations } from "./animations.js";
import { loadDrawings } from "./drawings.js";
import { Frames } from "./frames.js";
import { loadFrames } from "./load.js";
import { Loop } from "./loop.js";
import { dwell } from "./motions.js";
import { Table } from "./table.js";
import { Transitions } from "./transitions.js";

/** @import { FramesDocument } from "../../../types/frames.d.ts" */

const MOST_PLAYED = 12; // decisions; a step that is further ahead is shown at once
const SHARE = 0.6; // of the time that a decision is looked at in a match
/** @type {Record<string, 1 | -1>} */
const KEYS = { ArrowLeft: -1, ArrowRight: 1 };

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export class Walk {
  /** @param {HTMLElement} root @param {FramesDocument} document_ */
  constructor(root, document_) {
    this.root = root;
    this.frames = new Frames(document_);
    this.steps = all(root, "[data-at]", HTMLLIElement);
    this.number = Number(one(root, ".is-now", HTMLLIElement).dataset.at);
    this.ply = this.#plyOf(this.number);
    this.run = 0; // counts what was begun: an older run that wakes up stops
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.table = new Table(root);
    this.loop = new Loop();
    this.transitions = new Transitions(this.table, this.loop);
    this.animations = new Animations(this.table, this.loop, this.transitions);
    this.about = new About(root);
    this.listening = new AbortController();
    const { signal } = this.listening;
    root.addEventListener("click", (event) => this.#follow(event), { signal });
    document.addEventListener("keydown", (event) => this.#press(event), { signal });
    addEventListener("popstate", () => location.reload(), { signal });
    this.#showInList(this.#step(this.number));
    this.#draw();
  }

  /** @param {number} number */
  #step(number) {
    const step = this.steps[number - 1];
    if (!step) throw new RangeError(`no step ${number}`);
    return step;
  }

  /** @param {number} number */
  #plyOf(number) { return Number(this.#step(number).dataset.ply); }

  /** @param {MouseEvent} event */
  #follow(event) {
    const link = event.target instanceof Element ? event.target.closest("a[data-go]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const { go = "" } = link.dataset;
    if (go === "previous") this.go(this.number - 1);
    else if (go === "next") this.go(this.number + 1);
    else this.go(Number(go));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
    const way = KEYS[key];
    if (target instanceof SVGElement && target.matches(".layer-pieces .tile")) {
      if (key === "Enter") this.about.open(target);
      return; // the arrow keys move between tiles there
    }
    if (!way || ctrlKey || metaKey || altKey || shiftKey) return;
    if (target instanceof Element && target.closest("dialog, input, textarea, select, [data-keys]")) return;
    event.preventDefault();
    this.go(this.number + way);
  }

  /** Listen to nothing any more: another game takes the place of this one. */
  leave() {
    this.run++;
    this.listening.abort();
  }

  /** Go to a step: the next one is played, any other is shown at once. @param {number} number */
  async go(number) {
    if (number < 1 || number > this.steps.length) return;
    const run = ++this.run;
    const ahead = this.#plyOf(number) - this.ply;
    this.animations.clear();
    this.number = number;
    this.#tell();
    const isPlayed = ahead > 0 && ahead <= MOST_PLAYED && !this.still.matches;
    while (isPlayed && this.ply < this.#plyOf(number)) {
      await this.#play(run);
      if (run !== this.run) return;
    }
    this.ply = this.#plyOf(number);
    this.#draw();
  }

  /** The next decision. @param {number} run */
  async #play(run) {
    const { motions = [] } = this.frames.at(this.ply + 1);
    const leaving = motions.filter(([kind]) => kind === "leave");
    await this.animations.play(motions.filter((motion) => !leaving.includes(motion)), 1);
    if (run !== this.run) return;
    this.transitions.remember();
    this.ply++;
    this.#draw();
    await Promise.all([this.transitions.run(motions, 1), this.animations.play(leaving, 1)]);
    if (run !== this.run) return;
    await pause(dwell(motions) * SHARE);
    if (run === this.run) this.animations.clear();
  }

  #draw() {
    const { act } = this.frames.at(this.ply);
    this.table.show(this.frames.table(this.ply));
    for (const seat of all(this.root, "[data-seat]", HTMLElement)) seat.classList.toggle("is-acting", Number(seat.dataset.seat) === act);
  }

  /** What the step says, and where the links lead. */
  #tell() {
    const { number, root, steps } = this;
    for (const step of steps) {
      const isNow = Number(step.dataset.at) === number;
      step.classList.toggle("is-now", isNow);
      if (isNow) one(step, "a", HTMLElement).setAttribute("aria-current", "step");
      else one(step, "a", HTMLElement).removeAttribute("aria-current");
    }
    const now = this.#step(number);
    this.#showInList(now);
    for (const beside of all(root, "[data-beside]", HTMLElement)) beside.hidden = beside.dataset.beside !== now.dataset.shows;
    one(root, "[data-number]", HTMLElement).textContent = String(number);
    one(root, "[data-said]", HTMLElement).textContent = now.textContent;
    this.#aim("previous", number - 1);
    this.#aim("next", number + 1);
    const isEnd = number === steps.length;
    const next = one(root, "[data-go=next]", HTMLElement);
    const end = maybe(root, "[data-end]", HTMLElement);
    if (end) {
      const hadFocus = document.activeElement === next || document.activeElement === end;
      next.hidden = isEnd;
      end.hidden = !isEnd;
      if (hadFocus) (isEnd ? end : next).focus();
    }
    history.replaceState(null, "", number === 1 && end ? location.pathname : `?step=${number}`);
  }

  /** Scroll a long list, and not the page, to a step. @param {HTMLElement} step */
  #showInList(step) {
    const list = step.parentElement;
    if (!list || list.scrollHeight <= list.clientHeight) return;
    const top = step.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (top < 0 || top + step.offsetHeight > list.clientHeight) list.scrollTop += top - list.clientHeight / 4;
  }

  /** @param {"previous" | "next"} name @param {number} number */
  #aim(name, number) {
    const link = maybe(this.root, `[data-go=${name}]`, HTMLAnchorElement);
    if (!link) return;
    if (number >= 1 && number <= this.steps.length) {
      link.href = `?step=${number}`;
      for (const attribute of ["role", "aria-disabled", "tabindex"]) link.removeAttribute(attribute);
    } else {
      if (link === document.activeElement) link.tabIndex = 0;
      link.removeAttribute("href");
      link.setAttribute("role", "link");
      link.setAttribute("aria-disabled", "true");
    }
  }
}

/**
 * Begin the walk of this element.
 * @param {HTMLElement} root
 */
export async function walkThrough(root) {
  const [frames] = await Promise.all([loadFrames(root), loadDrawings(root.dataset.drawings ?? "")]);
  const walk = new Walk(root, frames);
  root.dataset.ready = "";
  return walk;
}
