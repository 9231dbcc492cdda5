// Pages are whole without this: it adds the theme switch, copying, and the arrow keys on the board.

import { all, maybe, one } from "./dom.js";
import { turnTimes } from "./times.js";

/** @typedef {HTMLButtonElement | HTMLAnchorElement} Copier */

const root = document.documentElement;

// ---- light and dark
for (const button of all(document, "[data-theme-toggle]", HTMLElement)) {
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
/**
 * Copy a text, or one that is to come, and say so on the button.
 * @param {string | Promise<string>} text
 * @param {Copier} button
 * @param {HTMLElement | null} [source] where the text stands on the page
 */
export async function copyText(text, button, source = null) {
  try {
    await navigator.clipboard.writeText(await text);
  } catch {
    // No clipboard on plain http, or it was refused: select the text, so that the visitor's own keys can.
    if (!source) return;
    if (source instanceof HTMLInputElement) source.select();
    else getSelection()?.selectAllChildren(source);
    if (!document.execCommand("copy")) return;
  }
  const label = one(button, "[data-copy-label]", HTMLElement);
  label.dataset.was ??= label.textContent ?? "";
  label.textContent = "✓";
  setTimeout(() => { label.textContent = label.dataset.was ?? ""; }, 1600);
}

/**
 * What the page can do with scripts, for a part of it that is new.
 * @param {ParentNode} scope
 */
export function enliven(scope) {
  for (const button of all(scope, "[data-copy]", HTMLButtonElement)) {
    const source = document.getElementById(button.dataset.copy ?? "");
    if (!source) continue;
    button.hidden = false;
    const text = () => (source instanceof HTMLInputElement ? source.value : source.textContent ?? "");
    button.addEventListener("click", () => copyText(text(), button, source));
  }
  for (const button of all(scope, "[data-copy-link]", HTMLButtonElement)) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", () => copyText(location.href, button));
  }
  for (const board of all(scope, "svg.board[role=group]", SVGElement)) roam(board);
  showCurrent(scope);
  turnTimes(scope);
}

// ---- the board is one tab stop; the arrow keys move between its tiles
/** @type {Record<string, [dx: number, dy: number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {SVGElement} board */
function roam(board) {
  const tiles = new Map(all(board, ".layer-pieces .tile", SVGElement).map((tile) => [tile.dataset.tile, tile]));
  board.addEventListener("keydown", (event) => {
    const step = ARROWS[event.key];
    const here = event.target instanceof Element ? event.target.closest(".tile") : null;
    const name = here instanceof SVGElement ? here.dataset.tile : undefined;
    if (!step || !here || !name || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.stopPropagation();
    event.preventDefault();
    const next = tiles.get(String.fromCharCode(name.charCodeAt(0) + step[0]) + (Number(name.slice(1)) + step[1]));
    if (!next) return;
    here.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

/** @param {ParentNode} scope */
function showCurrent(scope) {
  const list = maybe(scope, ".move-list", HTMLElement);
  const now = list && maybe(list, ".is-now", HTMLElement);
  // Within the list alone: the page itself must not jump.
  if (now) list.scrollTop = now.offsetTop - list.clientHeight / 2 + now.clientHeight / 2;
}

enliven(document);
