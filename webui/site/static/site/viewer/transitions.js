// What moves on the table itself when it is shown anew after a step forward: rows slide, numbers count, borders draw.

import { all, one } from "../dom.js";
import { ease } from "./paths.js";

/**
 * @import { Motion } from "../../../types/frames.d.ts"
 * @import { Loop, Show } from "./loop.js"
 * @import { Point } from "./paths.js"
 * @import { Table } from "./table.js"
 * @typedef {"market" | "djinns"} RowName
 * @typedef {{ symbol: string, left: number, top: number, centre: Point }} Card
 * @typedef {Card & { element: HTMLElement }} CardOnPage
 */

/** @type {Record<RowName, string>} */
const CARDS = { market: ".card:not(.gone)", djinns: ".djinn-card:not(.gone)" };
/** @type {RowName[]} */
const ROWS = ["market", "djinns"];
const NUMBERS = "[data-part$=-stock], [data-part$=-total]";
const SLIDE = 200; // ms
const APART = 60; // ms between two cards
const COUNT = 320; // ms
const BORDER = 240; // ms

export class Transitions {
  /** @param {Table} table @param {Loop} loop */
  constructor(table, loop) {
    this.table = table;
    this.loop = loop;
    this.rows = new Rows(table, loop);
    this.counts = new Counts(table, loop);
  }

  /** Remember how everything is, before the table is shown anew. */
  remember() {
    this.rows.remember();
    this.counts.remember();
  }

  /**
   * Move from how everything was to how it is; resolves when nothing moves any more.
   * @param {Motion[]} motions say which tiles were taken
   * @param {number} speed
   */
  async run(motions, speed) {
    await Promise.all([...this.rows.run(speed), ...this.counts.run(speed), ...drawBorders(this.table, this.loop, motions, speed)]);
  }

  /**
   * The centre of a card before it was taken; each is given once.
   * @param {string} row
   * @param {string} symbol
   */
  takenFrom(row, symbol) { return this.rows.takenFrom(row, symbol); }
}

/**
 * What has become of the cards of a row, which keeps its order: what is passed over was taken.
 * @template {Card} Now
 * @param {Card[]} before
 * @param {Now[]} now
 * @returns {{ taken: Card[], moves: { card: Now, from: Card | null }[] }} `from` is null for a new card
 */
export function matchCards(before, now) {
  const left = [...before];
  /** @type {Card[]} */
  const taken = [];
  const moves = now.map((card) => {
    const at = left.findIndex(({ symbol }) => symbol === card.symbol);
    if (at < 0) return { card, from: null };
    const passed = left.splice(0, at + 1);
    const from = passed.pop() ?? null;
    taken.push(...passed);
    return { card, from };
  });
  return { taken: [...taken, ...left], moves };
}

/** Market and Djinns: what stays slides to its new place, what is new fades in, one after another. */
class Rows {
  /** @param {Table} table @param {Loop} loop */
  constructor(table, loop) {
    this.table = table;
    this.loop = loop;
    /** @type {Record<RowName, Card[]>} */
    this.before = { market: [], djinns: [] };
    /** @type {Record<string, Card[]>} */
    this.taken = {};
  }

  /** @param {RowName} name @returns {CardOnPage[]} */
  #cards(name) {
    const row = this.table.element(name);
    return (row ? all(row, CARDS[name], HTMLElement) : []).map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const symbol = one(element, "use", SVGUseElement).href.baseVal.slice(1);
      return { element, symbol, left, top, centre: [left + width / 2, top + height / 2] };
    });
  }

  remember() {
    for (const name of ROWS) this.before[name] = this.#cards(name);
  }

  /** @param {string} row @param {string} symbol */
  takenFrom(row, symbol) {
    const cards = this.taken[row] ?? [];
    const at = cards.findIndex((card) => card.symbol === symbol);
    return cards.splice(at, at < 0 ? 0 : 1)[0]?.centre ?? null;
  }

  /** @param {number} speed */
  run(speed) { return ROWS.flatMap((name) => this.#run(name, speed)); }

  /** @param {RowName} name @param {number} speed */
  #run(name, speed) {
    const { taken, moves } = matchCards(this.before[name], this.#cards(name));
    this.taken[name] = taken;
    const shows = moves.map(({ card, from }) => (from ? slide(card, from) : fadeIn(card))).filter((show) => show !== null);
    return shows.map((show, index) => this.loop.run(SLIDE / speed, show, (index * APART) / speed));
  }
}

/** @param {CardOnPage} card @returns {Show} */
function fadeIn({ element }) {
  return (share) => { element.style.opacity = share < 1 ? String(share) : ""; };
}

/** @param {CardOnPage} card @param {Card} from @returns {Show | null} */
function slide({ element, left, top }, from) {
  const [x, y] = [from.left - left, from.top - top];
  if (!x && !y) return null;
  return (share) => {
    const rest = 1 - ease(share);
    element.style.transform = share < 1 ? `translate(${x * rest}px, ${y * rest}px)` : "";
  };
}

/** The texts of a part that are numbers. @param {Element} part */
function numbers(part) {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Text && /^\d+$/.test(node.data)) found.push(node);
  }
  return found;
}

/** Numbers of a seat that count to what they are now. Screen readers are told the new number at once. */
class Counts {
  /** @param {Table} table @param {Loop} loop */
  constructor(table, loop) {
    this.table = table;
    this.loop = loop;
    /** @type {Map<string | undefined, number[]>} */
    this.before = new Map();
  }

  remember() {
    this.before = new Map(this.#parts().map((part) => [part.dataset.part, numbers(part).map(({ data }) => Number(data))]));
  }

  #parts() { return all(this.table.root, NUMBERS, HTMLElement); }

  /** @param {number} speed */
  run(speed) {
    return this.#parts().flatMap((part) => {
      const was = this.before.get(part.dataset.part) ?? [];
      const now = numbers(part);
      if (was.length !== now.length) return []; // something is hidden, or was
      return now.flatMap((node, at) => (Number(node.data) === was[at] ? [] : this.#count(node, was[at] ?? 0, COUNT / speed)));
    });
  }

  /** @param {Text} node @param {number} from @param {number} ms */
  #count(node, from, ms) {
    const to = Number(node.data);
    const said = document.createElement("span");
    const shown = document.createElement("span");
    said.className = "visually-hidden";
    shown.className = "counts";
    said.textContent = node.data;
    shown.setAttribute("aria-hidden", "true");
    node.replaceWith(said, shown);
    return this.loop.run(ms, (share) => {
      shown.textContent = String(Math.round(from + (to - from) * share));
      if (share < 1) return;
      shown.remove();
      said.replaceWith(node);
    });
  }
}

/**
 * The borders of all tiles to which these motions brought a camel or a tent are drawn.
 * @param {Table} table
 * @param {Loop} loop
 * @param {Motion[]} motions
 * @param {number} speed
 */
function drawBorders(table, loop, motions, speed) {
  return motions.filter(([, symbol]) => symbol === "camel" || symbol === "tent").flatMap(([, , , to]) => {
    const border = table.element(to.replace("tile-", "ground-"))?.querySelector(".owner-border");
    if (!(border instanceof SVGElement)) return [];
    border.setAttribute("pathLength", "1");
    return loop.run(BORDER / speed, (share) => {
      border.style.strokeDasharray = share < 1 ? `${share} 1` : "";
    });
  });
}
