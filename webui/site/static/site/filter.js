// A list is filtered while one types: what the form would show takes the place of what is there. Without this script
// the form does it.

import { all, allRendered, maybe } from "./dom.js";
import { enliven } from "./site.js";

const WAIT_MS = 250;

for (const form of all(document, "form[data-filter]", HTMLFormElement)) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {AbortController | undefined} */
  let asking;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      asking?.abort();
      asking = new AbortController();
      const address = addressOf(form);
      try {
        const answer = await fetch(address, { signal: asking.signal });
        if (answer.ok) show(form.dataset.filter ?? "", await answer.text());
        history.replaceState(null, "", address);
      } catch { /* another letter came, or the way to the site is lost: the form still works */ }
    }, WAIT_MS);
  });
}

/**
 * The address that the form would lead to, without what is empty.
 * @param {HTMLFormElement} form
 */
function addressOf(form) {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string" && value) asked.set(name, value);
  return `${location.pathname}?${asked}`;
}

/**
 * Put the list of another page into this one.
 * @param {string} id
 * @param {string} text
 */
function show(id, text) {
  const list = document.getElementById(id);
  const holder = document.createElement("div");
  holder.append(...allRendered(text));
  const other = maybe(holder, `#${id}`, HTMLElement);
  if (!list || !other) return;
  list.replaceChildren(...other.childNodes);
  enliven(list);
}
