// Pages are whole without this: it adds the theme switch, copying, the arrow keys, and stepping without a reload.

const root = document.documentElement;

// ---- light and dark
for (const button of document.querySelectorAll("[data-theme-toggle]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const chosen = root.classList.contains("theme-dark") || root.classList.contains("theme-light");
    const isDark = chosen ? root.classList.contains("theme-dark") : matchMedia("(prefers-color-scheme: dark)").matches;
    const next = isDark ? "light" : "dark";
    root.classList.remove("theme-light", "theme-dark");
    root.classList.add(`theme-${next}`);
    try { localStorage.setItem("theme", next); } catch { /* not kept */ }
  });
}

// ---- copying
async function copy(text, button) {
  const label = button.querySelector("[data-copy-label]");
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // No clipboard on plain http: select it, so that the visitor's own keys can.
    const field = document.getElementById(button.dataset.copy);
    if (field instanceof HTMLInputElement) field.select();
    else getSelection().selectAllChildren(field);
    if (!document.execCommand("copy")) return;
  }
  label.dataset.was ??= label.textContent;
  label.textContent = "✓";
  setTimeout(() => { label.textContent = label.dataset.was; }, 1600);
}

function enliven(scope) {
  for (const button of scope.querySelectorAll("[data-copy]")) {
    const source = document.getElementById(button.dataset.copy);
    button.hidden = false;
    button.addEventListener("click", () => copy(source.value ?? source.textContent, button));
  }
  for (const button of scope.querySelectorAll("[data-copy-link]")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", () => copy(location.href, button));
  }
  for (const board of scope.querySelectorAll("svg.board[role=group]")) roam(board);
  showCurrent(scope);
}

// ---- the board is one tab stop; the arrow keys move between its tiles
function roam(board) {
  const tiles = new Map([...board.querySelectorAll(".l-pieces .tile")].map((tile) => [tile.dataset.tile, tile]));
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  board.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    const here = event.target.closest?.(".tile")?.dataset.tile;
    if (!step || !here || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.stopPropagation();
    event.preventDefault();
    const name = String.fromCharCode(here.charCodeAt(0) + step[0]) + (Number(here.slice(1)) + step[1]);
    const next = tiles.get(name);
    if (!next) return;
    tiles.get(here).setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

// ---- stepping through a match
const KEYS = {
  ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last",
  "Shift+ArrowLeft": "previous_turn", "Shift+ArrowRight": "next_turn",
};

function showCurrent(scope) {
  const list = scope.querySelector(".mvl");
  const now = list?.querySelector(".is-now");
  // Within the list alone: the page itself must not jump.
  if (now) list.scrollTop = now.offsetTop - list.clientHeight / 2 + now.clientHeight / 2;
}

let going = null;

async function go(address, { push = true } = {}) {
  going?.abort();
  going = new AbortController();
  try {
    const answer = await fetch(address, { signal: going.signal, headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    const main = document.getElementById("main");
    if (!fresh || !main.querySelector("[data-viewer]")) throw new Error("not a match");
    const focused = document.activeElement?.id;
    const tile = document.activeElement?.dataset?.tile;
    // The words of the decision are a live region: it stays, and its contents change.
    const said = main.querySelector(".cap");
    const says = fresh.querySelector(".cap");
    main.replaceChildren(...fresh.childNodes);
    if (said && says) {
      const words = [...says.childNodes];
      says.replaceWith(said);
      said.replaceChildren(...words);
    }
    document.title = page.title;
    if (push) history.pushState(null, "", address);
    enliven(main);
    const back = tile ? main.querySelector(`.l-pieces [data-tile="${tile}"]`) : document.getElementById(focused || "main");
    if (focused || tile) back?.focus({ preventScroll: true });
  } catch (error) {
    if (error.name === "AbortError") return;
    console.warn(error);
    location.href = address;
  }
}

if (document.querySelector("[data-viewer]")) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const address = link.getAttribute("href");
    event.preventDefault();
    if (address) go(new URL(address, location.href).href);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, .mvl")) return;
    const name = KEYS[(event.shiftKey ? "Shift+" : "") + event.key];
    const link = name && document.querySelector(`a[data-step="${name}"]`);
    if (!link) return;
    event.preventDefault();
    if (link.hasAttribute("href")) go(link.href);
  });
  addEventListener("popstate", () => go(location.href, { push: false }));
}

enliven(document);
