// The sheet of the player that makes a clip: some seconds from the shown decision on, as a GIF to keep or to send.

import { all, maybe, one } from "../dom.js";
import { copyText } from "../site.js";
import { withDecision } from "./address.js";
import { plan } from "./clip-plan.js";

/** @import { Player } from "./player.js" */

/** @param {Blob} blob @returns {Promise<string>} */
const asAddress = (blob) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
});

export class Clip {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const { root } = player;
    this.sheet = one(root, "[data-sheet=clip]", HTMLDialogElement);
    this.status = one(this.sheet, "[data-clip-status]", HTMLElement);
    this.bar = one(this.sheet, "progress", HTMLProgressElement);
    this.preview = one(this.sheet, "img", HTMLImageElement);
    this.save = one(this.sheet, "[data-clip-save]", HTMLAnchorElement);
    this.make = one(this.sheet, "[data-clip-make]", HTMLButtonElement);
    this.copy = one(this.sheet, "[data-copy-label]", HTMLElement).closest("button");
    this.working = new AbortController();
    one(root, "[data-clip]", HTMLElement).addEventListener("click", () => this.open());
    this.make.addEventListener("click", () => this.#make());
    this.copy?.addEventListener("click", () => {
      if (this.copy) copyText(withDecision(location.href, this.#name()).href, this.copy, null);
    });
    for (const choice of all(this.sheet, "select", HTMLSelectElement)) choice.addEventListener("change", () => this.#clear());
    this.sheet.addEventListener("close", () => this.working.abort());
  }

  open() {
    this.player.pause();
    maybe(this.player.root, ".options:popover-open", HTMLElement)?.hidePopover();
    this.#clear();
    if (this.copy) this.copy.hidden = !navigator.clipboard;
    this.sheet.showModal();
  }

  /** The decision from which it begins. */
  #name() { return this.player.frames.nameOf(this.player.ply); }

  /** @param {string} name */
  #number(name) { return Number(one(this.sheet, `[data-clip-${name}]`, HTMLSelectElement).value); }

  #clear() {
    this.working.abort();
    URL.revokeObjectURL(this.save.href);
    this.save.hidden = true;
    this.preview.hidden = true;
    this.preview.removeAttribute("src");
    this.bar.hidden = true;
    this.make.disabled = false;
    this.status.textContent = "";
  }

  async #make() {
    this.#clear();
    const { frames, ply, root } = this.player;
    const { words = "", done = "", failed = "", source = "" } = this.sheet.dataset;
    const working = new AbortController();
    this.working = working;
    this.make.disabled = true;
    this.bar.hidden = false;
    this.bar.value = 0;
    this.status.textContent = words;
    try {
      const { makeClip } = await import("./clip-maker.js");
      const clip = await makeClip({
        frames,
        board: one(root, ".stage > svg.board", SVGSVGElement),
        shots: plan(frames, ply, 1000 * this.#number("length"), this.#number("speed")),
        source: `${source} · ${location.host}`,
        progress: (share) => { this.bar.value = share; },
        signal: working.signal,
      });
      const address = await asAddress(clip);
      if (working.signal.aborted) return;
      this.preview.src = address;
      this.preview.hidden = false;
      this.save.href = URL.createObjectURL(clip);
      this.save.download = `naqala-${root.dataset.viewer}-${this.#name()}.gif`;
      this.save.hidden = false;
      this.status.textContent = done.replace("%(size)s", String(Math.ceil(clip.size / 1000)));
    } catch (error) {
      if (working.signal.aborted) return;
      console.error(error);
      this.status.textContent = failed;
    }
    this.bar.hidden = true;
    this.make.disabled = false;
  }
}
