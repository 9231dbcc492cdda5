// The table on the page: parts are set to texts that the server drew.

const SVG = "http://www.w3.org/2000/svg";
const KEPT = new Set(["tabindex"]); // where the keyboard stands belongs to the visitor

function parse(text, isDrawing) {
  const holder = document.createElement("template");
  holder.innerHTML = isDrawing ? `<svg xmlns="${SVG}">${text}</svg>` : text;
  return isDrawing ? holder.content.firstElementChild.firstElementChild : holder.content.firstElementChild;
}

export class Table {
  constructor(root) {
    this.root = root;
    this.shown = new Map();
    this.elements = new Map([...root.querySelectorAll("[data-part]")].map((element) => [element.dataset.part, element]));
  }

  element(name) { return this.elements.get(name) ?? null; }

  /** Show all of these parts; returns the names of those that changed. */
  show(parts) {
    const fresh = [];
    for (const [name, text] of parts) {
      if (this.shown.get(name) === text) continue;
      if (this.shown.has(name)) fresh.push(name);
      this.shown.set(name, text);
      this.#set(name, text);
    }
    return fresh;
  }

  #set(name, text) {
    const old = this.element(name);
    if (!old) return;
    const next = parse(text, old.namespaceURI === SVG && old.parentNode.namespaceURI === SVG);
    if (old.tagName !== next.tagName) {
      old.replaceWith(next);
      this.elements.set(name, next);
      return;
    }
    // The element itself stays, and with it the focus.
    for (const { name: key } of [...old.attributes]) if (!next.hasAttribute(key) && !KEPT.has(key)) old.removeAttribute(key);
    for (const { name: key, value } of next.attributes) if (!KEPT.has(key) && old.getAttribute(key) !== value) old.setAttribute(key, value);
    old.replaceChildren(...next.childNodes);
  }
}
