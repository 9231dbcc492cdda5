// The address of the page says what is shown: `?d=137` the position before the event at that index of the replay,
// `?view=2` whose eyes. The server draws the page as its address says, so that a link shows its target at once.

const APART = 400; // ms; browsers refuse to change an address too often

/**
 * The index that an address asks for; null without one.
 * @param {URL | Location} address
 */
export function decisionIn({ search }) {
  return new URLSearchParams(search).get("d");
}

/**
 * An address that asks for an index, or for none.
 * @param {string} href
 * @param {string | null} name
 */
export function withDecision(href, name) {
  const address = new URL(href);
  if (name === null) address.searchParams.delete("d");
  else address.searchParams.set("d", name);
  return address;
}

/**
 * An address that asks for the eyes of a seat; an empty seat sees everything.
 * @param {string} href
 * @param {string} seat
 */
export function withView(href, seat) {
  const address = new URL(href);
  if (seat) address.searchParams.set("view", seat);
  else address.searchParams.delete("view");
  return address;
}

/**
 * These values as the query of another address of the match, with whose eyes this one asks for, and whether without the result.
 * @param {string} search
 * @param {Record<string, string>} values
 */
export function query(search, values) {
  const asked = new URLSearchParams(search);
  const found = new URLSearchParams(values);
  for (const name of ["view", "spoilers"]) {
    const value = asked.get(name);
    if (value) found.set(name, value);
  }
  return found;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let due;
let last = 0;

/**
 * Let the address ask for an index, or for none; soon, if it was changed just now.
 * @param {string | null} name
 */
export function keepDecision(name) {
  clearTimeout(due);
  due = setTimeout(() => {
    last = performance.now();
    history.replaceState(null, "", withDecision(location.href, name));
  }, Math.max(0, last + APART - performance.now()));
}

/** @param {string} seat */
export function keepView(seat) {
  history.replaceState(null, "", withView(location.href, seat));
}
