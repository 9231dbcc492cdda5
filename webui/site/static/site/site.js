// Pages are whole without this: it adds the theme switch, copying, and the arrow keys on the board.

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

/** Copy a text, or one that is to come, and say so on the button. */
export async function copyText(text, button) {
  return copy(await text, button);
}

export function enliven(scope) {
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

function showCurrent(scope) {
  const list = scope.querySelector(".mvl");
  const now = list?.querySelector(".is-now");
  // Within the list alone: the page itself must not jump.
  if (now) list.scrollTop = now.offsetTop - list.clientHeight / 2 + now.clientHeight / 2;
}

enliven(document);
