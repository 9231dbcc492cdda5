// One tree of elements made like another: what is equal stays, with its focus, its scrolling and what was typed into it.

/**
 * Make `old` like `fresh`, an element of the same name, whose nodes are used up.
 * @param {Element} old
 * @param {Element} fresh
 */
export function morph(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isTheVisitors(old, name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !isTheVisitors(old, name)) old.setAttribute(name, value);
  }
  const left = new Set(old.childNodes);
  /** @type {ChildNode | null} */
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const twin = twinOf(child, left, at);
    if (!twin) {
      old.insertBefore(child, at);
      continue;
    }
    left.delete(twin);
    if (twin === at) at = at.nextSibling;
    else old.insertBefore(twin, at);
    if (twin instanceof Element && child instanceof Element) morph(twin, child);
    else if (twin.nodeValue !== child.nodeValue) twin.nodeValue = child.nodeValue;
  }
  for (const node of left) node.remove();
}

/** Whether it is for the visitor to say: which details are open. @param {Element} element @param {string} name */
const isTheVisitors = (element, name) => element instanceof HTMLDetailsElement && name === "open";

/** What names an element among its siblings. @param {Node} node */
const keyOf = (node) => (node instanceof Element ? node.id || node.getAttribute("data-key") : null);

/**
 * The node that a new one takes the place of: of the same key, otherwise the first one left of its kind without a key.
 * @param {ChildNode} child
 * @param {Set<ChildNode>} left
 * @param {ChildNode | null} at
 */
function twinOf(child, left, at) {
  const key = keyOf(child);
  if (!key && at && left.has(at) && !keyOf(at) && at.nodeName === child.nodeName) return at;
  for (const node of left) {
    if (node.nodeName === child.nodeName && keyOf(node) === key) return node;
  }
  return null;
}
