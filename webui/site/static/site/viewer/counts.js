// Numbers of a seat that count to what they are now. Readers are told the new number at once.

const PARTS = "[data-part$=-stock], [data-part$=-total]";
const MS = 320;

function numbers(part) {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT, (node) =>
    /^\d+$/.test(node.textContent) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

export class Counts {
  constructor(table, loop) {
    this.table = table;
    this.loop = loop;
  }

  /** Remember all numbers. */
  look() {
    this.before = new Map(this.#parts().map((part) => [part.dataset.part, numbers(part).map((node) => Number(node.textContent))]));
  }

  #parts() { return [...this.table.root.querySelectorAll(PARTS)]; }

  /** Count from what they were; resolves when all have. */
  settle(speed) {
    return Promise.all(this.#parts().flatMap((part) => {
      const was = this.before.get(part.dataset.part) ?? [];
      const now = numbers(part);
      if (was.length !== now.length) return [];
      return now.flatMap((node, at) => (Number(node.textContent) === was[at] ? [] : this.#count(node, was[at], MS / speed)));
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
