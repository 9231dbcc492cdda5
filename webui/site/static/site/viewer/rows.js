// Market and Djinns at a step forward: what stays slides to its new place, what is new fades in, one after another.

import { ease } from "./loop.js";

const CARDS = { market: ".card:not(.gone)", djinns: ".djc:not(.gone)" };
const MS = 200;
const APART = 60;

export class Rows {
  constructor(table, loop) {
    this.table = table;
    this.loop = loop;
    this.before = {};
    this.taken = {};
  }

  #cards(name) {
    return [...(this.table.element(name)?.querySelectorAll(CARDS[name]) ?? [])].map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return { element, use: element.querySelector("use").getAttribute("href").slice(1), left, top, centre: [left + width / 2, top + height / 2] };
    });
  }

  /** Remember where all lie. */
  look() {
    for (const name of Object.keys(CARDS)) this.before[name] = this.#cards(name);
  }

  /** Where a card lay that has been taken since the look; each is told once. */
  takenFrom(name, use) {
    const at = this.taken[name]?.findIndex((card) => card.use === use) ?? -1;
    return at < 0 ? null : this.taken[name].splice(at, 1)[0].centre;
  }

  /** The table is shown anew: from where all lay to where it lies now. Resolves when all is still. */
  settle(speed) {
    return Promise.all(Object.keys(CARDS).flatMap((name) => this.#settle(name, speed)));
  }

  #settle(name, speed) {
    const left = [...this.before[name]];
    this.taken[name] = [];
    const moving = [];
    for (const card of this.#cards(name)) {
      // A row keeps its order: what is passed over has been taken.
      const at = left.findIndex(({ use }) => use === card.use);
      if (at < 0) moving.push((share) => { card.element.style.opacity = share < 1 ? String(share) : ""; });
      else {
        this.taken[name].push(...left.splice(0, at));
        const [was] = left.splice(0, 1);
        const [x, y] = [was.left - card.left, was.top - card.top];
        if (x || y) {
          moving.push((share) => {
            const rest = 1 - ease(share);
            card.element.style.transform = share < 1 ? `translate(${x * rest}px, ${y * rest}px)` : "";
          });
        }
      }
    }
    this.taken[name].push(...left);
    return moving.map((show, index) => this.loop.run(MS / speed, show, (index * APART) / speed));
  }
}
