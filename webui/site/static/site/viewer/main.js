// The viewer of a match. The page is whole without it; boards and rules are the server's.

import { maybe, one } from "../dom.js";
import { enliven } from "../site.js";
import { fetchPatiently } from "../source.js";
import { loadDrawings } from "./drawings.js";
import { press } from "./keyboard.js";
import { awaitFirst, feed } from "./live.js";
import { loadFrames, loadMoves } from "./load.js";
import { Player } from "./player.js";

async function begin() {
  const root = maybe(document, "[data-viewer]", HTMLElement);
  if (root) await open(root);
  else {
    const address = maybe(document, "[data-waits]", HTMLElement)?.dataset.waits;
    if (address) awaitFirst(address, () => location.reload());
  }
}

/** @param {HTMLElement} root */
async function open(root) {
  const { drawings = "", live } = root.dataset;
  // Keys that come before the frames are not lost.
  /** @type {KeyboardEvent[]} */
  const early = [];
  /** @param {KeyboardEvent} event */
  const collect = (event) => { early.push(event); };
  document.addEventListener("keydown", collect);
  const hidden = "hidesResult" in root.dataset ? loadMoves(root) : null;
  const [frames] = await Promise.all([loadFrames(root), loadDrawings(drawings), hidden])
    .finally(() => document.removeEventListener("keydown", collect));
  const player = new Player(root, frames);
  for (const event of early) press(player, event);
  if (live) feed(player, live, () => { renew(player).catch(report); });
  root.dataset.ready = "";
}

/** The page as the server has it now, in place of what a player shows: a match that ran has become a replay. @param {Player} player */
async function renew(player) {
  const answer = await fetchPatiently(location.pathname + location.search);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  player.close();
  const main = one(document, "#main", HTMLElement);
  main.replaceChildren(...one(page, "#main", HTMLElement).childNodes);
  document.title = page.title;
  enliven(main);
  await begin();
}

/** The page as it came still works: its links step by loading. @param {unknown} error */
function report(error) {
  console.error(error);
}

begin().catch(report);
