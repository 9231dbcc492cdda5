// Loads the frames of a match. The server makes them one at a time, and says when to ask again while it makes others.

import { all, maybe, one } from "../dom.js";
import { fetchPatiently } from "../source.js";
import { query } from "./address.js";

/** @import { FramesDocument } from "../../../types/frames.d.ts" */

/**
 * The frames of a match, for the eyes that the address asks for.
 * @param {{ dataset: DOMStringMap }} root
 * @returns {Promise<FramesDocument>}
 */
export async function loadFrames({ dataset: { frames, edition = "" } }) {
  const answer = await patiently(`${frames}?${query(location.search, { e: edition })}`);
  return answer.json();
}

/**
 * The answer of an address, asked for again while the server computes something else.
 * @param {string} address
 */
export async function patiently(address) {
  const answer = await fetchPatiently(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
}

/**
 * All moves in the list of a page whose address asks for none that are to come; until they are played they are hidden.
 * @param {HTMLElement} root
 */
export async function loadMoves(root) {
  const list = maybe(root, ".move-list", HTMLElement);
  if (!list) return; // in a frame
  const asked = query(location.search, {});
  asked.delete("spoilers");
  const answer = await patiently(`${location.pathname}?${asked}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const whole = one(page, ".move-list", HTMLElement);
  for (const line of all(whole, ".is-now, .has-now", HTMLElement)) line.classList.remove("is-now", "has-now");
  for (const link of all(whole, "a[data-step]", HTMLAnchorElement)) {
    link.removeAttribute("aria-current");
    link.setAttribute("href", `?${query(location.search, { d: /d=(\d+)/.exec(link.getAttribute("href") ?? "")?.[1] ?? "0" })}`);
  }
  for (const fold of all(whole, "details", HTMLDetailsElement)) fold.open = false;
  list.replaceChildren(...whole.childNodes);
}
