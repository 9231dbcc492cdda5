// What moves on the table itself when it is shown anew after a step forward: rows slide, numbers count, borders draw.

import { ease } from "./loop.js";

const CARDS = { market: ".card:not(.gone)", djinns: ".djc:not(.gone)" };
const NUMBERS = "[data-part$=-stock], [data-part$=-total]";
const SLIDE = 200; // ms
const APART = 60; // ms between two cards
const COUNT = 320; // ms
const BORDER = 240; // ms

export class Transitions {
  constructor(table, loop) {
    this.table = table;
    this.loop = loop;
    this.rows = new Rows(table, loop);
    this.counts = new Counts(table, loop);
  }

  /** Remember how all is, before the table is shown anew. */
  look() {
    this.rows.look();
    this.counts.look();
  }

  /** From how all was to how it is; `motions` say which tiles were taken. Resolves when all is still. */
  settle(motions, speed) {
    return Promise.all([this.rows.settle(speed), this.counts.settle(speed), drawBorders(this.table, this.loop, motions, speed)]);
  }

  /** Where a card lay that has been taken since the look; each is told once. */
  takenFrom(name, use) { return this.rows.takenFrom(name, use); }
}

/** Market and Djinns: what stays slides to its new place, what is new fades in, one after another. */
class Rows {
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
    return moving.map((show, index) => this.loop.run(SLIDE / speed, show, (index * APART) / speed));
  }
}

function numbers(part) {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT, (node) =>
    /^\d+$/.test(node.textContent) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

/** Numbers of a seat that count to what they are now. Readers are told the new number at once. */
class Counts {
  constructor(table, loop) {
    this.table = table;
    this.loop = loop;
  }

  /** Remember all numbers. */
  look() {
    this.before = new Map(this.#parts().map((part) => [part.dataset.part, numbers(part).map((node) => Number(node.textContent))]));
  }

  #parts() { return [...this.table.root.querySelectorAll(NUMBERS)]; }

  /** Count from what they were; resolves when all have. */
  settle(speed) {
    return Promise.all(this.#parts().flatMap((part) => {
      const was = this.before.get(part.dataset.part) ?? [];
      const now = numbers(part);
      if (was.length !== now.length) return [];
      return now.flatMap((node, at) => (Number(node.textContent) === was[at] ? [] : this.#count(node, was[at], COUNT / speed)));
    }));
  }

  #count(node, from, ms) {
    const to = Number(node.textContent);
    const said = document.createElement("span");
    const shown = document.createElement("span");
    said.className = "vh";
    shown.className = "counts";
    said.textContent = node.textContent;
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

/** Draw the borders of all tiles to which these motions brought a camel or a tent; resolves when all are whole. */
function drawBorders(table, loop, motions, speed) {
  return Promise.all(motions.filter(([, use]) => use === "camel" || use === "tent").map(([, , , to]) => {
    const border = table.element(to.replace("tile-", "ground-"))?.querySelector(".ow");
    if (!border) return null;
    border.setAttribute("pathLength", "1");
    return loop.run(BORDER / speed, (share) => {
      border.style.strokeDasharray = share < 1 ? `${share} 1` : "";
    });
  }));
}
