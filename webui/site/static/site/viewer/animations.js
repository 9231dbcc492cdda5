// Symbols that move from part to part: transforms only, and in the page's own coordinates, so that it may be scrolled.

import { all, drawn, one } from "../dom.js";
import { pieces, STAGES } from "./motions.js";
import { ease, easeDrop, gathered, line, spread } from "./paths.js";

/**
 * @import { Motion, MotionKind } from "../../../types/frames.d.ts"
 * @import { Loop } from "./loop.js"
 * @import { Piece } from "./motions.js"
 * @import { Path, Point } from "./paths.js"
 * @import { Table } from "./table.js"
 * @import { Transitions } from "./transitions.js"
 */

/** @type {Record<MotionKind, number>} */
const MS = { pick: 160, carry: 180, drop: 180, lift: 260, arrive: 320, leave: 320 };
/** @type {Record<Exclude<MotionKind, "leave">, number>} */
const UNITS = { pick: 33, carry: 33, drop: 33, lift: 30, arrive: 38 }; // size on the board
const LEAVES = 28; // size in pixels of what goes to a panel
const RISE = 6; // units over the tile
const APART = 40; // ms between two of many that leave
/** @type {Record<string, string>} */
const CARDS = { "i-": " fly-card", "x-": " fly-card", "d-": " fly-djinn" }; // what is drawn in lines: goods and items on a card, Djinns

export class Animations {
  /**
   * @param {Table} table
   * @param {Loop} loop
   * @param {Transitions} transitions knows where a card of the market or a Djinn was
   */
  constructor(table, loop, transitions) {
    this.table = table;
    this.loop = loop;
    this.transitions = transitions;
    this.run = 0; // counts the stops: what was under way does not go on
    /** @type {SVGElement[]} */
    this.hidden = []; // not seen on their tile while they are in the air
    /** @type {Point[]} */
    this.stood = [];
    this.origin = new DOMRect();
    this.unit = 1;
    this.sky = document.createElement("div");
    this.sky.className = "sky";
    this.sky.setAttribute("aria-hidden", "true");
    table.root.append(this.sky);
  }

  /**
   * Play these motions, stage after stage; resolves when all have ended. What is in hand stays in the air.
   * @param {Motion[]} motions
   * @param {number} speed
   */
  async play(motions, speed) {
    const { run } = this;
    for (const kinds of STAGES) {
      if (run !== this.run) return;
      const same = pieces(motions.filter(([kind]) => kinds.includes(kind)));
      if (!same.length) continue;
      this.#measure();
      const begun = same.map((piece, index) => this.#begin(piece, index, same.length, speed)).filter((each) => each !== null);
      await Promise.all(begun.map(({ ended }) => ended));
      for (const { element, isHeld } of begun) if (!isHeld) element.remove();
    }
  }

  /** Nothing is in the air any more. */
  clear() {
    this.run++;
    this.loop.stop();
    this.sky.replaceChildren();
    for (const element of this.hidden.splice(0)) element.style.visibility = "";
  }

  #measure() {
    const board = one(this.table.root, ".board", SVGSVGElement);
    this.origin = this.sky.getBoundingClientRect();
    this.unit = board.getBoundingClientRect().width / board.viewBox.baseVal.width;
  }

  /** @param {Element | null | undefined} element @returns {Point | null} */
  #middle(element) {
    const box = element?.getBoundingClientRect();
    return box?.width ? [box.left + box.width / 2 - this.origin.left, box.top + box.height / 2 - this.origin.top] : null;
  }

  /** @param {string} name @param {string} symbol @returns {Point | null} */
  #taken(name, symbol) {
    const at = this.transitions.takenFrom(name, symbol);
    return at && [at[0] - this.origin.left, at[1] - this.origin.top];
  }

  /** @param {string} name */
  #centre(name) {
    const part = this.table.element(name);
    return this.#middle(part?.querySelector(":scope > .hit") ?? part);
  }

  /**
   * The meeples of a tribe as they stand on a tile, each or all in one; they are not seen there from now on.
   * @param {string} name
   * @param {string} symbol
   */
  #standing(name, symbol) {
    const tribe = symbol.at(-1);
    const tile = this.table.element(name);
    const standing = tile ? all(tile, `.meeple[href$="-${tribe}"], .meeple-number.on-meeple-${tribe}`, SVGElement) : [];
    for (const element of standing) element.style.visibility = "hidden";
    this.hidden.push(...standing);
    return standing.filter((element) => element.matches(".meeple")).map((element) => this.#middle(element)).filter((at) => at !== null);
  }

  /** @param {Piece} piece @param {number} index @param {number} count @param {number} speed */
  #begin(piece, index, count, speed) {
    const { kind, symbol, from, to, seat } = piece;
    const start = this.#taken(from, symbol) ?? this.#centre(from);
    const end = this.#centre(to);
    if (!start || !end) return null;
    const size = kind === "leave" ? LEAVES : UNITS[kind] * this.unit;
    const path = this.#path(piece, start, end, spread(index, count) * this.unit);
    const element = this.#draw(symbol, seat, size);
    /** @param {number} share */
    const show = (share) => {
      const [x, y] = path(share);
      element.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px)`;
    };
    const delay = kind === "leave" ? (index * APART) / speed : 0;
    return { element, isHeld: kind === "pick" || kind === "carry", ended: this.loop.run(MS[kind] / speed, show, delay) };
  }

  /** @param {Piece} piece @param {Point} start @param {Point} end @param {number} aside @returns {Path} */
  #path({ kind, symbol, from, nth }, start, end, aside) {
    /** @param {Point} point @returns {Point} */
    const over = ([x, y]) => [x + aside, y - RISE * this.unit];
    if (!nth && (kind === "pick" || kind === "lift")) this.stood = this.#standing(from, symbol);
    switch (kind) {
      case "pick": return line(this.stood[nth] ?? this.stood[0] ?? over(end), over(end), ease);
      case "carry": return line(over(start), over(end), ease);
      case "drop": return line(over(start), end, easeDrop, 4);
      case "lift": return gathered(this.stood[nth] ?? start, start, end);
      default: return line(start, end, ease, 40);
    }
  }

  /** @param {string} symbol @param {number} seat @param {number} size */
  #draw(symbol, seat, size) {
    const look = `fly${seat ? ` seat-${seat}` : ""}${CARDS[symbol.slice(0, 2)] ?? ""}`;
    const piece = drawn("svg", { class: look, width: String(size), height: String(size) }, drawn("use", { href: `#${symbol}` }));
    this.sky.append(piece);
    return piece;
  }
}
