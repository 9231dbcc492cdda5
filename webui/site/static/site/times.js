// Times that the server wrote in UTC, in the visitor's own zone. For who is signed in the zone is kept for the server,
// which writes the next page in it.

import { all } from "./dom.js";

const root = document.documentElement;
const locale = root.lang === "en" ? "en-GB" : root.lang; // the server writes days first
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const FORMS = {
  full: { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" },
  date: { day: "numeric", month: "short", year: "numeric" },
};

/**
 * Turn the times of a part of the page.
 * @param {ParentNode} scope
 */
export function turnTimes(scope) {
  for (const time of all(scope, "time[data-utc]", HTMLTimeElement)) {
    const when = new Date(time.dateTime);
    if (Number.isNaN(when.valueOf())) continue;
    const kind = time.dataset.utc ?? "";
    const said = (/** @type {string} */ form) => new Intl.DateTimeFormat(locale, FORMS[form]).format(when);
    time.title = said("full");
    if (kind !== "ago") time.textContent = said(kind);
    delete time.dataset.utc;
  }
}

if (zone && root.dataset.zone !== undefined && root.dataset.zone !== zone) {
  document.cookie = `zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;
}
