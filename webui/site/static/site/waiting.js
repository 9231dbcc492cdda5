// A table that waits for its bots: the page is loaded again when something has changed, and keeps the focus until then.

import { one } from "./dom.js";
import { fetchPatiently } from "./source.js";

const EVERY_MS = 1000;

/** Ask for the page again and again, until it shows another state. */
async function wait() {
  const { waits } = one(document, "[data-waits]", HTMLElement).dataset;
  let now = waits;
  while (now === waits) {
    await new Promise((resolve) => { setTimeout(resolve, EVERY_MS); });
    const answer = await fetchPatiently(location.href, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    now = page.querySelector("[data-waits]")?.getAttribute("data-waits") ?? "";
  }
  location.reload();
}

wait().catch((error) => { console.error(error); });
