// The front page's channel: what plays it is loaded when the page is there and its board in sight.

import { maybe } from "./dom.js";

const holder = maybe(document, "[data-tv]", HTMLElement);

function begin() {
  if (!holder) return;
  new IntersectionObserver((seen, watcher) => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    watcher.disconnect();
    import(holder.dataset.player ?? "./viewer/tv.js").catch(console.warn); // the board stays as it is
  }).observe(holder);
}

if (document.readyState === "complete") begin();
else addEventListener("load", begin, { once: true });
