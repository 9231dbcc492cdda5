// A running match: its frames as they happen.

import { maybe, one } from "../dom.js";
import { openSource } from "../source.js";
import { VERSION } from "./frames.js";

/**
 * @import { LiveFrame } from "../../../types/frames.d.ts"
 * @import { Player } from "./player.js"
 */

/**
 * Feed a player with the frames of its match.
 * @param {Player} player
 * @param {string} address
 * @param {() => void} ended called when the match is over
 */
export function follow(player, address, ended) {
  const { root, moves } = player;
  const known = () => player.frames.at(player.frames.last).d ?? -1;
  // The page may be older than the frames: its list lacks what was decided in between.
  const after = Math.min(known(), moves.last);
  const source = openSource(`${address}${after < 0 ? "" : `?after=${after}`}`);
  source.addEventListener("frame", (event) => {
    /** @type {LiveFrame} */
    const frame = JSON.parse(event.data);
    if (frame.v !== VERSION) { // the site is newer than this page
      source.close();
      if (mayReload()) location.reload();
      else showOutdated(root);
      return;
    }
    // After a lost connection, too, the server begins before what is known: it is not added twice.
    if (frame.d !== undefined && frame.d > known()) player.add(frame);
    else if (moves.add(frame)) player.draw();
  });
  source.addEventListener("thinking", (event) => player.think(JSON.parse(event.data)));
  source.addEventListener("watching", (event) => {
    const watching = maybe(document, "[data-watching]", HTMLElement);
    if (watching) watching.textContent = JSON.parse(event.data);
  });
  source.addEventListener("open", () => showLost(root, false));
  source.addEventListener("error", () => showLost(root, source.readyState !== EventSource.CLOSED)); // closed: this server has no live feed
  source.addEventListener("end", () => {
    source.close();
    player.settled().then(() => {
      player.pause();
      ended();
    });
  });
}

/** Whether this page has not been loaded anew for another version yet: two versions of the site may run side by side. */
export function mayReload() {
  const key = `reloaded ${location.pathname}`;
  try {
    if (sessionStorage.getItem(key)) return false;
    sessionStorage.setItem(key, "1");
    return true;
  } catch {
    return false; // storage is refused
  }
}

/** @param {HTMLElement} root */
function showOutdated(root) {
  const lost = one(root, "[data-lost]", HTMLElement);
  lost.textContent = lost.dataset.outdated ?? "";
  showLost(root, true);
}

/** @param {HTMLElement} root @param {boolean} isLost */
function showLost(root, isLost) {
  one(root, "[data-lost]", HTMLElement).hidden = !isLost;
  one(root, "[data-caption]", HTMLElement).classList.toggle("is-lost", isLost);
}

/**
 * Call `begun` once the match has something to show, or has ended without.
 * @param {string} address
 * @param {() => void} begun
 */
export function awaitFirst(address, begun) {
  const source = openSource(address);
  for (const kind of ["frame", "end"]) {
    source.addEventListener(kind, () => {
      source.close();
      begun();
    }, { once: true });
  }
}
