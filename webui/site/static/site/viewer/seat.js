// A person at the table: the viewer of a running match, in which the visitor makes the decisions of one seat.

import { one } from "../dom.js";
import { fetchPatiently } from "../source.js";
import { mount } from "./choosing.js";
import { loadDrawings } from "./drawings.js";
import { Hints } from "./hints.js";
import { feed } from "./live.js";
import { loadFrames } from "./load.js";
import { dwellSeated } from "./motions.js";
import { Player } from "./player.js";
import { clock, untilNextSecond } from "./thinking.js";

/**
 * @import { LegalChoices } from "../../../types/choices.d.ts"
 * @import { Motion } from "../../../types/frames.d.ts"
 * @typedef {{ index: number | null, choices: LegalChoices | null, left_ms?: number | null }} Asked
 * @typedef {Asked & { parts: Record<string, string>, motions: Motion[] }} Tried
 */

const HEARD_EVERY_MS = 60_000;
const LOW_MS = 60_000;

/** The time left on the visitor's clock, while the visitor decides. */
class OwnClock {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.element = one(root, "[data-own-clock]", HTMLElement);
    this.left = one(this.element, "[data-clock-left]", HTMLElement);
  }

  /** Count down from here; null: it stands still, or there is none. @param {number | null} ms */
  show(ms) {
    clearTimeout(this.#timer);
    this.element.hidden = ms === null;
    if (ms !== null) this.#tick(performance.now() + ms);
  }

  /** @param {number} until */
  #tick(until) {
    const left = Math.max(0, until - performance.now());
    this.left.textContent = clock(left);
    this.element.classList.toggle("is-low", left < LOW_MS);
    if (left) this.#timer = setTimeout(() => this.#tick(until), 1001 - untilNextSecond(left));
  }
}

class SeatPlayer extends Player {
  /** @type {Seat | null} */
  seat = null;

  /** @override */
  draw() {
    super.draw();
    this.seat?.shown();
  }

  /** A pace at which one can follow and is not kept waiting. @override @param {Motion[]} motions */
  dwell(motions) { return this.seat?.hasTried(this.ply) ? 0 : dwellSeated(motions); }

  /** What the visitor has tried out is on the table already. @override @param {number} ply @param {number} run @param {number} speed */
  async to(ply, run, speed) {
    if (this.seat?.hasTried(ply)) this.ply = ply;
    else await super.to(ply, run, speed);
  }

  /** Show a drop that is tried out. Steps to another decision end that. @param {Tried} tried */
  async showTried({ parts, motions }) {
    this.pause();
    const { run } = this;
    if (!this.still.matches) await this.animations.play(motions, this.controls.speed);
    if (run !== this.run) return;
    this.table.show(new Map(Object.entries(parts)));
    this.animations.clear();
  }
}

/** What the visitor's seat is asked for, and what it answers. */
class Seat {
  /** @param {SeatPlayer} player */
  constructor(player) {
    this.player = player;
    this.root = player.root;
    this.number = Number(this.root.dataset.seatPlayed);
    one(this.root, `.seat[data-seat="${this.number}"]`, HTMLElement).classList.add("is-own");
    this.note = one(this.root, "[data-seat-note]", HTMLElement);
    this.clock = new OwnClock(this.root);
    this.others = one(this.root, "[data-others]", HTMLElement);
    this.othersName = one(this.others, "[data-others-name]", HTMLElement);
    this.skip = one(this.others, "[data-skip]", HTMLButtonElement);
    this.skip.addEventListener("click", () => { player.go(player.frames.last); });
    /** The ply for which the choices were asked for. */
    this.asked = -1;
    /** @type {number | null} */
    this.index = null;
    /** What is legal for the decision that is asked for. @type {LegalChoices | null} */
    this.legal = null;
    /** The plies after which the table is shown already: those of a sowing before its last drop. */
    this.tried = { after: 0, until: 0 };
    this.choosing = mount(this.root, {
      legal: null,
      onActions: (actions) => {
        this.tried = { after: this.asked, until: this.asked + actions.length };
        this.#send(actions).catch(report);
      },
      onTry: (actions) => this.#try(actions),
    });
    this.hints = new Hints(this.root, this.number, (actions) => { this.#send(actions).catch(report); });
  }

  /** Whether the table after a ply is shown already. @param {number} ply */
  hasTried(ply) { return this.tried.after < ply && ply < this.tried.until; }

  /** The table is shown at some ply: at the last one, and on the own turn, the visitor may choose. */
  shown() {
    const { frames, ply } = this.player;
    this.#showOthers();
    const isOwn = ply === frames.last && frames.at(ply).act === this.number && !this.hasTried(ply);
    if (!isOwn) {
      if (this.asked !== -1) this.#offer(null);
      this.asked = -1;
    } else if (this.asked !== ply) {
      this.asked = ply;
      this.#ask(ply).catch(report);
    }
  }

  /** @param {number} ply */
  async #ask(ply) {
    const answer = await fetchPatiently(this.root.dataset.choices ?? "", { cache: "no-store" });
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    /** @type {Asked} */
    const { index, choices, left_ms: left } = await answer.json();
    // Another tab may have decided meanwhile: the choices are then those of a position whose frames are on their way.
    if (this.asked !== ply || index !== Number(this.player.frames.nameOf(ply))) return;
    this.index = index;
    this.legal = choices;
    this.#offer(choices);
    this.clock.show(left ?? null);
  }

  /** While others decide, the place of the control says who, and lets the visitor skip what is shown. */
  #showOthers() {
    const { frames, ply } = this.player;
    const { act } = frames.at(ply);
    const name = this.root.querySelector(`.strip-seat[data-seat="${act}"] .strip-name`)?.textContent ?? "";
    const hadFocus = document.activeElement === this.skip;
    this.others.hidden = !act || act === this.number;
    this.othersName.textContent = (this.othersName.dataset.plays ?? "").replace("{bot}", name);
    this.skip.hidden = ply === frames.last;
    if (hadFocus && this.skip.checkVisibility?.() === false) one(this.root, ".play", HTMLElement).focus();
  }

  /** Show the table after the start of a sowing; resolves with what is legal then. @param {string[]} actions */
  async #try(actions) {
    const { asked, index, player } = this;
    this.hints.clear();
    this.#say("");
    if (!actions.length) {
      player.draw();
      return this.legal;
    }
    const query = new URLSearchParams(actions.map((action) => ["after", action]));
    const answer = await fetchPatiently(`${this.root.dataset.choices}?${query}`, { cache: "no-store" });
    if (this.asked !== asked) return null;
    /** @type {Tried & { why?: string }} */
    const tried = answer.ok ? await answer.json() : { index: null, why: answer.status === 409 ? (await answer.json()).why : "" };
    if (tried.index !== index || !tried.choices) { // another tab has decided, or the page is older than the rules
      this.#say(tried.why ?? "");
      this.asked = -1;
      player.draw();
      return null;
    }
    await player.showTried(tried);
    return this.asked === asked ? tried.choices : null;
  }

  /** @param {LegalChoices | null} choices */
  #offer(choices) {
    this.hints.clear();
    this.clock.show(null);
    this.choosing.show(choices);
  }

  /** @param {string[]} actions one, or all of a sowing */
  async #send(actions) {
    const index = this.index;
    if (index === null) return;
    this.index = null; // a second click sends nothing
    this.#offer(null);
    this.#say("");
    const { answer = "" } = this.root.dataset;
    const token = one(document, "input[name=csrfmiddlewaretoken]", HTMLInputElement).value;
    const told = await fetchPatiently(answer, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token },
      body: JSON.stringify({ index, actions }),
      lost: (isLost) => { one(this.root, "[data-lost]", HTMLElement).hidden = !isLost; },
    });
    if (told.ok) return;
    this.tried = { after: 0, until: 0 };
    if (told.status !== 409) { // somebody has signed in or out meanwhile, so that this page cannot decide any more
      location.reload();
      return;
    }
    this.#say((await told.json()).why);
    this.asked = -1;
    this.player.draw();
  }

  /** @param {string} words */
  #say(words) {
    this.note.textContent = words;
    this.note.hidden = !words;
  }
}

async function begin() {
  const root = one(document, "[data-seat-played]", HTMLElement);
  const { drawings = "", live = "", after = "" } = root.dataset;
  const [frames] = await Promise.all([loadFrames(root), loadDrawings(drawings)]);
  const player = new SeatPlayer(root, frames);
  if (player.controls.pace) player.controls.pace.value = "follow"; // the bots play faster than one can watch
  player.seat = new Seat(player);
  player.seat.shown();
  feed(player, live, () => { location.assign(after); });
  root.dataset.ready = "";
  setInterval(() => { // whoever is not heard of for some minutes gives up
    if (document.visibilityState === "visible") fetchPatiently(root.dataset.choices ?? "", { cache: "no-store" }).catch(report);
  }, HEARD_EVERY_MS);
}

/** @param {unknown} error */
function report(error) {
  console.error(error);
}

begin().catch(report);
