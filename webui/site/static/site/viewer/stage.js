// The table on the page with the frames that it shows, one ply after the other: what the player of a match and TV share.

import { all, one, rendered } from "../dom.js";
import { Animations } from "./animations.js";
import { Frames } from "./frames.js";
import { Loop } from "./loop.js";
import { Table } from "./table.js";
import { Thinking } from "./thinking.js";
import { Transitions } from "./transitions.js";

/** @import { FramesDocument } from "../../../types/frames.d.ts" */

const JUMPS_FROM = 4; // at this speed pieces jump

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export class Stage {
  /** @param {HTMLElement} root @param {FramesDocument} document_ */
  constructor(root, document_) {
    this.root = root;
    this.frames = new Frames(document_);
    this.ply = this.frames.last;
    this.isLive = "live" in root.dataset;
    this.isPlaying = false;
    this.run = 0; // counts what was begun: an older run that wakes up stops
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.caption = one(root, "[data-caption]", HTMLElement);
    this.table = new Table(root);
    this.loop = new Loop();
    this.transitions = new Transitions(this.table, this.loop);
    this.animations = new Animations(this.table, this.loop, this.transitions);
    this.thinking = new Thinking(root);
  }

  /** Other frames of the same match, at the same place. @param {FramesDocument} document_ */
  replace(document_) {
    const name = this.frames.nameOf(this.ply);
    this.frames = new Frames(document_);
    this.ply = this.frames.plyOf(name);
  }

  /** It plays from now on; the number of what was begun, which is another one when something else is. */
  begin() {
    this.isPlaying = true;
    return ++this.run;
  }

  /** Nothing plays and nothing moves any more. */
  halt() {
    this.isPlaying = false;
    this.run++;
    this.animations.clear();
  }

  /** What is said of a ply. @param {number} ply */
  sentence(ply) {
    const { frames } = this;
    const words = rendered(frames.text("caption", ply)).querySelector(".decision > span:last-child")?.textContent?.trim() ?? "";
    /** @type {Record<string, string>} */
    const told = { index: frames.nameOf(ply), last: frames.nameOf(frames.last), round: String(frames.at(ply).round), words };
    return (this.root.dataset.said ?? "").replace(/%\((\w+)\)s/g, (_, name) => told[name] ?? "");
  }

  /** Show the ply as it is. */
  draw() {
    const { root, frames, ply } = this;
    const { act } = frames.at(ply);
    for (const tile of root.querySelectorAll(".has-changed")) tile.classList.remove("has-changed");
    const fresh = this.table.show(frames.table(ply));
    if (this.still.matches) {
      for (const part of fresh.filter((each) => each.startsWith("tile-"))) this.table.element(part)?.classList.add("has-changed");
    }
    for (const seat of all(root, "[data-seat]", HTMLElement)) seat.classList.toggle("is-acting", Number(seat.dataset.seat) === act);
    this.showThinking();
  }

  /**
   * Show a ply: one decision forward moves, all else is shown at once.
   * @param {number} ply
   * @param {number} run the one that goes there; a later one has begun where it differs
   * @param {number} speed
   */
  async to(ply, run, speed) {
    const { motions = [] } = this.frames.at(ply);
    const leaving = motions.filter(([kind]) => kind === "leave");
    const isMoving = ply === this.ply + 1 && !this.still.matches && speed < JUMPS_FROM;
    this.animations.clear();
    if (isMoving) await this.animations.play(motions.filter((motion) => !leaving.includes(motion)), speed);
    if (run !== this.run) return;
    if (isMoving) this.transitions.remember();
    this.ply = ply;
    this.draw();
    this.arrived();
    if (!isMoving) return;
    await Promise.all([this.transitions.run(motions, speed), this.animations.play(leaving, speed)]);
    if (run === this.run && !this.isPlaying) this.animations.clear();
  }

  /** Another ply is shown. */
  arrived() { /* who needs it does something */ }

  showThinking() {
    const isAtEnd = this.isLive && this.ply === this.frames.last;
    this.thinking.show(isAtEnd ? this.frames.at(this.ply).act : 0);
  }
}
