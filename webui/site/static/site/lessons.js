// Which lessons a guest has passed is kept in the browser. Those of an account come with the page.

const KEPT = "naqala-lessons";

/** @returns {Set<string>} */
function passed() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return new Set(Array.isArray(kept) ? kept.map(String) : []);
  } catch {
    return new Set(); // the browser keeps nothing
  }
}

function show() {
  const numbers = passed();
  for (const element of document.querySelectorAll("[data-lessons] [data-lesson]")) {
    if (!numbers.has(element.getAttribute("data-lesson") ?? "")) continue;
    element.classList.add("is-passed");
    element.querySelector(".course-mark")?.removeAttribute("hidden");
  }
}

/** Keep the lesson that a check on this page has found passed. */
function keep() {
  const number = document.querySelector("[data-passed]")?.getAttribute("data-passed");
  const numbers = passed();
  if (!number || numbers.has(number)) return;
  try {
    localStorage.setItem(KEPT, JSON.stringify([...numbers, number].sort()));
  } catch {
    return; // the browser keeps nothing
  }
  show();
}

show();
keep();
const place = document.querySelector("[data-trial]");
if (place) new MutationObserver(keep).observe(place, { childList: true, subtree: true });
