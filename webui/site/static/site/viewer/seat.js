// A person at the table: the viewer of a running match, in which the visitor makes the decisions of one seat.

import { one } from "../dom.js";
import { fetchPatiently } from "../source.js";
import { mount } from "./choosing.js";
import { loadDrawings } from "./drawings.js";
import { Hints } from "./hints.js";
import { feed } from "./live.js";
import { loadFrames } from "./load.js";
import { Player } from "./player.js";

/**
 * @import { LegalChoices } from "../../../types/choices.d.ts"
 * @typedef {{ index: number | null, choices: LegalChoices | null }} Asked
 */

const HEARD_EVERY_MS = 60_000;

class SeatPlayer extends Player {
  /** @type {Seat | null} */
  seat = null;

  /** @override */
  draw() {
    super.draw();
    this.seat?.shown();
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
    /** The ply for which the choices were asked for. */
    this.asked = -1;
    /** @type {number | null} */
    this.index = null;
    /** @param {string} action */
    const onAction = (action) => { this.#send(action).catch(report); };
    this.choosing = mount(this.root, { legal: null, onAction });
    this.hints = new Hints(this.root, this.number, onAction);
  }

  /** The table is shown at some ply: at the last one, and on the own turn, the visitor may choose. */
  shown() {
    const { frames, ply } = this.player;
    const isOwn = ply === frames.last && frames.at(ply).act === this.number;
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
    const { index, choices } = await answer.json();
    // Another tab may have decided meanwhile: the choices are then those of a position whose frames are on their way.
    if (this.asked !== ply || index !== Number(this.player.frames.nameOf(ply))) return;
    this.index = index;
    const planned = this.hints.next(choices?.actions.map(({ text }) => text) ?? []);
    this.#offer(planned === null ? choices : null);
    if (planned !== null) await this.#send(planned);
  }

  /** @param {LegalChoices | null} choices */
  #offer(choices) {
    this.hints.clear();
    this.choosing.show(choices);
  }

  /** @param {string} action */
  async #send(action) {
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
      body: JSON.stringify({ index, action }),
      lost: (isLost) => { one(this.root, "[data-lost]", HTMLElement).hidden = !isLost; },
    });
    if (told.ok) return;
    this.hints.forget();
    if (told.status !== 409) { // somebody has signed in or out meanwhile, so that this page cannot decide any more
      location.reload();
      return;
    }
    this.#say((await told.json()).why);
    this.asked = -1;
    this.shown();
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
