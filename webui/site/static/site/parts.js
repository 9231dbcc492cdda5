// An event or a build that goes on: its page shows its new parts without being loaded again.

import { all, allRendered, maybe, one } from "./dom.js";
import { morph } from "./morph.js";
import { fetchPatiently, follow, lostNote } from "./source.js";

const MOST_WAIT_MS = 800;
/** All readers are told at once: they ask one after the other. */

const live = maybe(document, "[data-live]", HTMLElement);
if (live) keepCurrent(live);

/** @param {HTMLElement} status where news are said to who listens to the page */
function keepCurrent(status) {
  const { live: address = "", parts = "" } = status.dataset;
  const lost = one(document, "[data-lost]", HTMLElement);
  let isAsking = false, isStale = false, tag = "";
  const lostFor = lostNote((isLost) => { lost.hidden = !isLost; });

  async function renew() {
    isStale = true;
    if (isAsking) return;
    isAsking = true;
    try {
      while (isStale) {
        await pause(Math.random() * MOST_WAIT_MS);
        isStale = false;
        /** @type {Record<string, string>} */
        const headers = tag ? { "If-None-Match": tag } : {};
        const answer = await fetchPatiently(parts + location.search, { headers, cache: "no-store", lost: lostFor("parts") });
        if (answer.status === 304) continue;
        if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
        tag = answer.headers.get("ETag") ?? "";
        show(await answer.text(), status);
      }
    } catch (error) {
      console.info(error);
    } finally {
      isAsking = false;
    }
  }

  follow(address, { events: { changed: () => { renew(); } }, lost: lostFor("feed") });
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/**
 * Put the parts in their places.
 * @param {string} text
 * @param {HTMLElement} status
 */
function show(text, status) {
  const stands = anchor(), focused = document.activeElement;
  const before = newest();
  /** @type {HTMLElement | null} */
  let last = null;
  for (const fresh of allRendered(text)) {
    const name = fresh.getAttribute("data-part");
    const old = name && maybe(document, `[data-part="${name}"]`, HTMLElement);
    if (old && !isBusy(old)) morph(old, fresh);
    else if (fresh.matches(".sprite")) addDrawings(fresh);
    // The order of the parts follows the event's state.
    if (old && old.matches(".event-part")) {
      if (last && last.compareDocumentPosition(old) & Node.DOCUMENT_POSITION_PRECEDING) last.after(old);
      last = old;
    }
  }
  // What has moved has lost it.
  if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
  if (stands) scrollBy({ top: stands.element.getBoundingClientRect().top - stands.top, behavior: "instant" });
  const said = newest();
  if (said !== before) status.textContent = said;
}

/** The newest line of the log. */
const newest = () => maybe(document, "[data-part=log] li p", HTMLElement)?.textContent?.trim() ?? "";

/** Whether somebody fills in a form there. @param {HTMLElement} part */
const isBusy = (part) => part.querySelector("details[open] form, form :focus") !== null;

/** What is at the top of the window, so that it stays there. */
function anchor() {
  if (scrollY < 80) return null;
  const element = all(document, "#main [id], #main [data-key]", Element).find((one_) => one_.getBoundingClientRect().top >= 0);
  return element ? { element, top: element.getBoundingClientRect().top } : null;
}

/** What the page shows for the first time. @param {Element} sprite */
function addDrawings(sprite) {
  const here = one(document, "svg.sprite", SVGElement);
  for (const symbol of all(sprite, "symbol", SVGElement)) {
    if (!document.getElementById(symbol.id)) here.append(symbol);
  }
}
