// The buttons and choices of the player.

import { all, maybe, one } from "../dom.js";
import { copyText } from "../site.js";
import { query } from "./address.js";
import { byUnit, parseStep, target } from "./steps.js";

/** @import { Player } from "./player.js" */

export class Controls {
  /**
   * @param {Player} player
   * @param {AbortSignal} signal ends the listeners outside the viewer
   */
  constructor(player, signal) {
    this.player = player;
    const { root } = player;
    this.root = root;
    this.steps = all(root, ".transport [data-step]", HTMLAnchorElement);
    this.playButton = one(root, "[data-play]", HTMLButtonElement);
    this.unit = one(root, "[data-unit]", HTMLSelectElement);
    this.speedChoice = one(root, "[data-speed]", HTMLSelectElement);
    this.viewChoice = maybe(root, "[data-view]", HTMLSelectElement);
    this.pace = maybe(root, "[data-pace]", HTMLSelectElement); // of a running match
    this.backToLive = one(root, "[data-back-live]", HTMLElement);
    this.last = one(root, "[data-last]", HTMLElement);
    this.analyses = all(document, "[data-analysis-link]", HTMLAnchorElement);
    this.position = maybe(document, "[data-position-link]", HTMLAnchorElement); // in the head of the page
    for (const part of all(root, "[data-needs-script], [data-play]", HTMLElement)) part.hidden = false;
    root.classList.add("has-script");
    this.#listen(signal);
  }

  get speed() { return Number(this.speedChoice.value); }

  get isBuffered() { return Boolean(this.pace?.value); }

  /** @param {AbortSignal} signal */
  #listen(signal) {
    const { root, player } = this;
    root.addEventListener("click", (event) => this.#follow(event));
    this.playButton.addEventListener("click", () => player.toggle());
    this.unit.addEventListener("change", () => this.show());
    this.pace?.addEventListener("change", () => {
      if (!this.isBuffered) player.go(player.frames.last);
    });
    this.viewChoice?.addEventListener("change", ({ currentTarget }) => {
      if (currentTarget instanceof HTMLSelectElement) player.see(currentTarget.value);
    });
    one(root, "[data-help]", HTMLElement).addEventListener("click", () => this.openKeys());
    one(this.backToLive, "button", HTMLElement).addEventListener("click", () => player.go(player.frames.last));
    this.position?.addEventListener("click", (event) => this.#copyPosition(event), { signal });
  }

  /** A link that steps does so here, unless it is opened elsewhere. @param {MouseEvent} event */
  #follow(event) {
    const { player } = this;
    const link = event.target instanceof Element ? event.target.closest("a[data-step]") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (link instanceof HTMLAnchorElement && this.steps.includes(link)) player.go(this.#target(link));
    else player.go(player.frames.plyOf(/d=(\w+)/.exec(link.getAttribute("href") ?? "")?.[1]));
  }

  /** @param {HTMLAnchorElement} link */
  #target(link) {
    return target(this.player.frames, this.player.ply, byUnit(parseStep(link.dataset.step), this.unit.value));
  }

  /** @param {MouseEvent} event */
  #copyPosition(event) {
    if (!navigator.clipboard || !this.position) return; // on plain http it is a file
    event.preventDefault();
    copyText(load(this.position.href), this.position);
  }

  /** Show what the buttons lead to now. */
  show() {
    const { player } = this;
    const titles = this.unit.selectedOptions[0]?.dataset ?? {};
    for (const link of this.steps) {
      const title = titles[link.dataset.step ?? ""];
      if (title) link.title = title;
      this.#aim(link, this.#target(link));
    }
    this.last.textContent = player.frames.nameOf(player.frames.last);
    this.playButton.setAttribute("aria-pressed", String(player.isPlaying));
    if (this.position) {
      this.position.href = `${this.root.dataset.position}?${query(location.search, { d: player.frames.nameOf(player.ply) })}`;
    }
    for (const link of this.analyses) link.href = link.href.replace(/\d+$/, player.frames.nameOf(player.ply));
    this.backToLive.hidden = !player.isLive || player.isFollowing;
  }

  /** A link to where one is leads nowhere, but keeps the focus. @param {HTMLAnchorElement} link @param {number} ply */
  #aim(link, ply) {
    if (ply !== this.player.ply) {
      link.setAttribute("href", `?${query(location.search, { d: this.player.frames.nameOf(ply) })}`);
      for (const name of ["aria-disabled", "role", "tabindex"]) link.removeAttribute(name);
      return;
    }
    if (link === document.activeElement) link.tabIndex = 0;
    link.removeAttribute("href");
    link.setAttribute("role", "link");
    link.setAttribute("aria-disabled", "true");
  }

  /** The seat whose eyes are chosen, as text; empty: everything. */
  get view() { return this.viewChoice?.value ?? ""; }

  /** Choose the eyes of a seat; whether they can be chosen. @param {string} seat */
  choose(seat) {
    if (!this.viewChoice || (seat && !this.viewChoice.querySelector(`option[value="${seat}"]`))) return false;
    this.viewChoice.value = seat;
    return true;
  }

  openKeys() { one(this.root, "[data-sheet=keys]", HTMLDialogElement).showModal(); }
}

/** @param {string} address */
async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer.text();
}
