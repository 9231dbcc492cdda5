// A running match: its frames as they happen.

import { maybe, one } from "../dom.js";
import { follow } from "../source.js";
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
export function feed(player, address, ended) {
  const { root, moves } = player;
  const known = () => player.frames.at(player.frames.last).d ?? -1;
  // The page may be older than the frames: its list lacks what was decided in between.
  const after = Math.min(known(), moves.last);
  const close = follow(`${address}${after < 0 ? "" : `?after=${after}`}`, {
    events: {
      /** @param {LiveFrame} frame */
      frame(frame) {
        if (frame.v !== VERSION) { // the site is newer than this page
          close();
          if (mayReload()) location.reload();
          else showOutdated(root);
          return;
        }
        // After a lost connection, too, the server begins before what is known: it is not added twice.
        if (frame.d !== undefined && frame.d > known()) player.add(frame);
        else if (moves.add(frame)) player.draw();
      },
      thinking: (times) => player.think(times),
      watching(words) {
        const watching = maybe(document, "[data-watching]", HTMLElement);
        if (watching) watching.textContent = words;
      },
      end() {
        player.settled().then(() => {
          player.pause();
          ended();
        });
      },
    },
    lost: (isLost) => showLost(root, isLost),
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
  const first = () => {
    close();
    begun();
  };
  const close = follow(address, { events: { frame: first, end: first } });
}
