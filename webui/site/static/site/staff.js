// Pages of staff that show what is so now: renewed in place every few seconds, while somebody looks.

import { allRendered, maybe } from "./dom.js";
import { morph } from "./morph.js";

const PART = "#renewed";

/** Ask for the page again, and put what is new in its place. */
async function renew() {
  const part = maybe(document, PART, HTMLElement);
  if (part && !document.hidden) {
    try {
      const answer = await fetch(location.href, { cache: "no-store", redirect: "error" });
      const fresh = answer.ok ? freshPart(await answer.text()) : null;
      if (fresh) morph(part, fresh);
    } catch (error) {
      console.info(error); // the next time
    }
  }
  wait();
}

/** @param {string} page */
function freshPart(page) {
  return allRendered(page).map((element) => element.querySelector(PART)).find((found) => found !== null) ?? null;
}

/** The part says for how long, or nothing when it changes no more. */
function wait() {
  const seconds = Number(maybe(document, PART, HTMLElement)?.dataset.reload);
  if (seconds) setTimeout(renew, 1000 * seconds);
}

wait();
