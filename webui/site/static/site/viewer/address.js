// The address of the page says what is shown: `#d=137` the decision, `?view=2` whose eyes.

const APART = 400; // ms; browsers refuse to change an address too often

let due = 0;
let last = 0;

/** The place that the address asks for. */
export function asked() {
  return /^#d=(\w+)$/.exec(location.hash)?.[1] ?? new URLSearchParams(location.search).get("d");
}

/** Let the address say a place, or none; soon, if it was changed just now. */
export function keep(name) {
  clearTimeout(due);
  due = setTimeout(() => {
    last = performance.now();
    const address = new URL(location.href);
    address.searchParams.delete("d");
    address.hash = name === null ? "" : `d=${name}`;
    history.replaceState(null, "", address);
  }, Math.max(0, last + APART - performance.now()));
}

/** Let the address say whose eyes; none for everything. */
export function keepView(seat) {
  const address = new URL(location.href);
  if (seat) address.searchParams.set("view", seat);
  else address.searchParams.delete("view");
  history.replaceState(null, "", address);
}

/** These values and the view, for other addresses of the match. */
export function query(values) {
  const view = new URLSearchParams(location.search).get("view");
  return new URLSearchParams(view ? { ...values, view } : values);
}
