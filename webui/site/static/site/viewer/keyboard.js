// The keys of the player: a key does what it says unless the element that has the focus needs it itself.

import { maybe } from "../dom.js";
import { stepOfKey, target } from "./steps.js";

/** @import { Player } from "./player.js" */

/**
 * Do what a pressed key stands for.
 * @param {Player} player
 * @param {KeyboardEvent} event
 */
export function press(player, event) {
  if (!isFree(event) || !act(player, event)) return;
  event.preventDefault();
}

/** Whether neither the browser nor the focused element needs the key. @param {KeyboardEvent} event */
function isFree({ key, target: on, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return false;
  if (!(on instanceof Element)) return true;
  if (on.closest("dialog")) return false;
  if (on.closest("input, textarea, select") && !on.matches("[data-slide]")) return false;
  return !(on.closest(".move-list") && /^(Arrow|Page|Home|End)/.test(key)); // the move list scrolls
}

/** Whether the key stands for something. @param {Player} player @param {KeyboardEvent} event */
function act(player, event) {
  const { key, code } = event;
  const on = event.target instanceof Element ? event.target : document.body;
  const { controls } = player;
  const step = stepOfKey(event);
  if (step) player.go(target(player.frames, player.ply, step));
  else if (key === " " && !on.closest("button, summary, a")) player.toggle();
  else if (key === "Enter" && on instanceof SVGElement && on.matches(".layer-pieces .tile")) player.about.open(on);
  else if (code === "KeyM") maybe(player.root, ".move-list", HTMLElement)?.focus();
  else if (key === "?") controls.openKeys();
  else if (/^[1-5]$/.test(key)) return player.see(controls.view === key ? "" : key);
  else return false;
  return true;
}
