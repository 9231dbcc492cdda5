// The drawings that later decisions show. The page carries those of its own ply.

import { one } from "../dom.js";
import { fetchPatiently } from "../source.js";

/**
 * Put those that are missing beside those that are there.
 * @param {string} address
 */
export async function loadDrawings(address) {
  const answer = await fetchPatiently(address);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  const file = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
  const sprite = one(document, ".sprite", SVGElement);
  for (const symbol of file.querySelectorAll("symbol")) {
    if (!document.getElementById(symbol.id)) sprite.append(document.importNode(symbol, true));
  }
}
