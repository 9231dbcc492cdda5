// Elements by selector with their types, and the only place where text becomes markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * The element that a selector finds; a TypeError that names the selector where there is none of this kind.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
export function one(root, selector, kind) {
  const found = root.querySelector(selector);
  if (!(found instanceof kind)) throw new TypeError(`${kind.name} ${selector}`);
  return found;
}

/**
 * The element that a selector finds, or null.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T | null}
 */
export function maybe(root, selector, kind) {
  const found = root.querySelector(selector);
  return found instanceof kind ? found : null;
}

/**
 * The elements that a selector finds.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T[]}
 */
export function all(root, selector, kind) {
  return [...root.querySelectorAll(selector)].flatMap((found) => (found instanceof kind ? [found] : []));
}

/**
 * The elements of a text that the server rendered, which has escaped what bots and people wrote. Scripts in it do not run.
 * @param {string} text
 */
export function allRendered(text) {
  const holder = document.createElement("template");
  holder.innerHTML = text;
  return [...holder.content.children];
}

/**
 * The one element of such a text.
 * @param {string} text
 * @param {boolean} [isDrawing] as part of an SVG drawing
 */
export function rendered(text, isDrawing = false) {
  const [first] = allRendered(isDrawing ? `<svg xmlns="${SVG}">${text}</svg>` : text);
  const element = isDrawing ? first?.firstElementChild : first;
  if (!element) throw new TypeError("rendered text without an element");
  return element;
}

/**
 * A new element of a drawing.
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function drawn(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** @param {Element | null} element */
export const isDrawn = (element) => element?.namespaceURI === SVG;
