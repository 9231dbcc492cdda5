// Symbols that fly from part to part: transforms only, and in the page's own coordinates, so that it may be scrolled.

import { ease, easeDrop } from "./loop.js";

const SVG = "http://www.w3.org/2000/svg";
const STAGES = [["pick"], ["carry", "drop"], ["lift"], ["arrive"], ["leave"]];
const MS = { pick: 160, carry: 180, drop: 180, lift: 260, arrive: 320, leave: 320 };
const UNITS = { pick: 33, carry: 33, drop: 33, lift: 30, arrive: 38 }; // size on the board
const LEAVES = 28; // size in pixels of what goes to a panel
const RISE = 6; // units over the tile
const GATHER = 0.4; // the share of a lift in which its meeples come together
const APART = 40; // ms between two of many that leave
const MOST = 6; // of one symbol
const CARDS = { "i-": " fly-c", "x-": " fly-c", "d-": " fly-d" }; // what is drawn in lines: goods and items on a card, Djinns

export class Animations {
  /** @param transitions knows where a card of the market or a Djinn lay */
  constructor(table, loop, transitions) {
    this.table = table;
    this.loop = loop;
    this.transitions = transitions;
    this.run = 0; // counts the stops: what was under way does not go on
    this.up = []; // what is not seen on its tile while it is in the air
    this.sky = document.createElement("div");
    this.sky.className = "sky";
    this.sky.setAttribute("aria-hidden", "true");
    table.root.append(this.sky);
  }

  /** Fly these motions, stage after stage; resolves when all have landed. What is in hand stays in the air. */
  async fly(motions, speed) {
    const { run } = this;
    for (const kinds of STAGES) {
      if (run !== this.run) return;
      const same = motions.filter(([kind]) => kinds.includes(kind));
      if (!same.length) continue;
      this.#look();
      const pieces = same.flatMap(([kind, use, from, to, number, seat]) =>
        Array.from({ length: Math.min(number, MOST) }, (_, nth) => ({ kind, use, from, to, seat, nth })));
      const flown = pieces.map((piece, index) => this.#begin(piece, index, pieces.length, speed)).filter(Boolean);
      await Promise.all(flown.map(({ landed }) => landed));
      for (const { element, isHeld } of flown) if (!isHeld) element.remove();
    }
  }

  /** Nothing is in the air any more. */
  clear() {
    this.run++;
    this.loop.stop();
    this.sky.replaceChildren();
    for (const element of this.up.splice(0)) element.style.visibility = "";
  }

  #look() {
    const board = this.table.root.querySelector(".board");
    this.origin = this.sky.getBoundingClientRect();
    this.unit = board.getBoundingClientRect().width / board.viewBox.baseVal.width;
  }

  #middle(element) {
    const box = element?.getBoundingClientRect();
    return box?.width ? [box.left + box.width / 2 - this.origin.left, box.top + box.height / 2 - this.origin.top] : null;
  }

  #taken(name, use) {
    const at = this.transitions.takenFrom(name, use);
    return at && [at[0] - this.origin.left, at[1] - this.origin.top];
  }

  #centre(name) {
    const part = this.table.element(name);
    return this.#middle(part?.querySelector(":scope > .hit") ?? part);
  }

  /** The meeples of a tribe as they stand on a tile, each or all in one; they are not seen there from now on. */
  #standing(name, use) {
    const tribe = use.at(-1);
    const standing = [...this.table.element(name).querySelectorAll(`.mp[href$="-${tribe}"], .mn.on-${tribe}`)];
    for (const element of standing) element.style.visibility = "hidden";
    this.up.push(...standing);
    return standing.filter((element) => element.matches(".mp")).map((element) => this.#middle(element));
  }

  #begin({ kind, use, from, to, seat, nth }, index, count, speed) {
    const start = this.#taken(from, use) ?? this.#centre(from);
    const end = this.#centre(to);
    if (!start || !end) return null;
    const size = kind === "leave" ? LEAVES : UNITS[kind] * this.unit;
    const fan = (index - (count - 1) / 2) * Math.min(20, 90 / count) * this.unit;
    const over = ([x, y]) => [x + fan, y - RISE * this.unit];
    const path = { pick: () => this.#rise(from, use, nth, over(end)), carry: () => line(over(start), over(end), ease),
      drop: () => line(over(start), end, easeDrop, 4), lift: () => this.#lift(from, use, nth, start, end),
      arrive: () => line(start, end, ease, 40), leave: () => line(start, end, ease, 40) }[kind]();
    const element = this.#piece(use, seat, size);
    const show = (t) => {
      const [x, y] = path(t);
      element.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px)`;
    };
    const delay = kind === "leave" ? (index * APART) / speed : 0;
    return { element, isHeld: kind === "pick" || kind === "carry", landed: this.loop.run(MS[kind] / speed, show, delay) };
  }

  /** From where it stands up over the tile. */
  #rise(name, use, nth, to) {
    if (!nth) this.stood = this.#standing(name, use);
    return line(this.stood[nth] ?? this.stood[0] ?? to, to, ease);
  }

  /** Together first, the one that was dropped last among them; then away. */
  #lift(name, use, nth, middle, to) {
    if (!nth) this.stood = this.#standing(name, use);
    const gather = line(this.stood[nth] ?? middle, middle, ease);
    const go = line(middle, to, ease, 30);
    return (t) => (t < GATHER ? gather(t / GATHER) : go((t - GATHER) / (1 - GATHER)));
  }

  #piece(use, seat, size) {
    const piece = document.createElementNS(SVG, "svg");
    piece.setAttribute("class", `fly${seat ? ` s${seat}` : ""}${CARDS[use.slice(0, 2)] ?? ""}`);
    piece.setAttribute("width", size);
    piece.setAttribute("height", size);
    const drawing = document.createElementNS(SVG, "use");
    drawing.setAttribute("href", `#${use}`);
    piece.append(drawing);
    this.sky.append(piece);
    return piece;
  }
}

/** A way from place to place, bowed upwards by so many pixels. */
function line(from, to, eased, bow = 0) {
  return (t) => {
    const share = eased(t);
    return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share - bow * 4 * t * (1 - t)];
  };
}
