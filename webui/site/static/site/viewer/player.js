// The player: steps through the frames of a match, plays them, and sticks to the end of one that runs.

import { all, one, rendered } from "../dom.js";
import { About } from "./about.js";
import { Alternatives } from "./alternatives.js";
import { decisionIn, keepDecision, keepView } from "./address.js";
import { Animations } from "./animations.js";
import { showCharts } from "./charts.js";
import { Controls } from "./controls.js";
import { Frames } from "./frames.js";
import { press } from "./keyboard.js";
import { loadFrames } from "./load.js";
import { Loop } from "./loop.js";
import { dwell } from "./motions.js";
import { Moves } from "./moves.js";
import { Again } from "./again.js";
import { Notes } from "./notes.js";
import { Table } from "./table.js";
import { Thinking } from "./thinking.js";
import { Timeline } from "./timeline.js";
import { Transitions } from "./transitions.js";

/** @import { FramesDocument, LiveFrame, ThinkTime } from "../../../types/frames.d.ts" */

const JUMPS_FROM = 4; // at this speed pieces jump
const MOST_BEHIND = 8; // decisions; a live match further ahead is jumped to

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export class Player {
  /** @param {HTMLElement} root @param {FramesDocument} document_ */
  constructor(root, document_) {
    this.root = root;
    this.frames = new Frames(document_);
    this.isLive = "live" in root.dataset;
    this.ply = this.#asked();
    this.isFollowing = this.isLive && this.ply === this.frames.last; // the head sticks to the end
    this.isPlaying = false;
    this.run = 0; // counts what was begun: an older run that wakes up stops
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.caption = one(root, "[data-caption]", HTMLElement);
    this.turns = one(root, "[data-turns]", HTMLElement);
    this.table = new Table(root);
    this.loop = new Loop();
    this.transitions = new Transitions(this.table, this.loop);
    this.animations = new Animations(this.table, this.loop, this.transitions);
    this.moves = new Moves(root);
    this.notes = new Notes(root);
    this.again = new Again(root);
    this.thinking = new Thinking(root);
    this.about = new About(root);
    this.alternatives = new Alternatives(root, this.about);
    /** @param {number} ply */
    const seek = (ply) => { this.go(ply); };
    this.timeline = new Timeline(one(root, "[data-scrub]", HTMLElement), seek, (ply) => this.sentence(ply));
    this.timeline.mark(this.frames);
    this.charts = showCharts(root, this.frames, seek);
    this.listening = new AbortController();
    const { signal } = this.listening;
    this.controls = new Controls(this, signal);
    document.addEventListener("keydown", (event) => press(this, event), { signal });
    addEventListener("hashchange", () => { this.go(this.#asked()); }, { signal });
    this.draw();
  }

  /** The ply that the address asks for; without one the last, or for who does not want to know the result the first. */
  #asked() {
    const decision = decisionIn(location);
    return decision === null && "hidesResult" in this.root.dataset ? 0 : this.frames.plyOf(decision);
  }

  /** The page shows something else from now on. */
  close() {
    this.pause();
    this.listening.abort();
  }

  /** What is said of a ply. @param {number} ply */
  sentence(ply) {
    const { frames } = this;
    const words = rendered(frames.text("caption", ply)).querySelector(".dec > span:last-child")?.textContent?.trim() ?? "";
    /** @type {Record<string, string>} */
    const told = { index: frames.nameOf(ply), last: frames.nameOf(frames.last), round: String(frames.at(ply).round), words };
    return (this.root.dataset.said ?? "").replace(/%\((\w+)\)s/g, (_, name) => told[name] ?? "");
  }

  /** Show the ply as it is. */
  draw() {
    const { root, frames, ply } = this;
    const { act } = frames.at(ply);
    for (const tile of root.querySelectorAll(".chg")) tile.classList.remove("chg");
    const fresh = this.table.show(frames.table(ply));
    if (this.still.matches) {
      for (const part of fresh.filter((each) => each.startsWith("tile-"))) this.table.element(part)?.classList.add("chg");
    }
    for (const seat of all(root, "[data-seat]", HTMLElement)) seat.classList.toggle("is-act", Number(seat.dataset.seat) === act);
    this.timeline.show(ply);
    this.charts?.show(ply);
    this.#showThinking();
    this.controls.show();
    this.moves.show(frames.nameOf(ply)); // at the end: it has to know how high the lines are
    this.notes.show(frames.nameOf(ply));
    this.again.show(frames.nameOf(ply));
    this.alternatives.show(ply ? frames.nameOf(ply - 1) : null);
  }

  /** Go to a ply: one decision forward moves, all else is shown at once. @param {number} ply */
  async go(ply) {
    this.pause();
    this.isFollowing = this.isLive && ply === this.frames.last;
    await this.#to(ply, ++this.run);
  }

  /** @param {number} ply @param {number} run */
  async #to(ply, run) {
    const { speed } = this.controls;
    const { motions = [] } = this.frames.at(ply);
    const leaving = motions.filter(([kind]) => kind === "leave");
    const isMoving = ply === this.ply + 1 && !this.still.matches && speed < JUMPS_FROM;
    this.animations.clear();
    if (isMoving) await this.animations.play(motions.filter((motion) => !leaving.includes(motion)), speed);
    if (run !== this.run) return;
    if (isMoving) this.transitions.remember();
    this.ply = ply;
    this.draw();
    keepDecision(this.isFollowing ? null : this.frames.nameOf(ply));
    if (!isMoving) return;
    await Promise.all([this.transitions.run(motions, speed), this.animations.play(leaving, speed)]);
    if (run === this.run && !this.isPlaying) this.animations.clear();
  }

  /** Play, or stop here. */
  toggle() {
    if (!this.isPlaying) {
      if (this.isLive && this.ply === this.frames.last) this.isFollowing = true;
      this.play();
      return;
    }
    this.isFollowing = false;
    this.pause();
  }

  async play() {
    if (this.isPlaying) return;
    this.isPlaying = true;
    const run = ++this.run;
    const { frames } = this;
    // Turns are announced while it plays; each drop would be noise.
    this.caption.setAttribute("aria-live", "off");
    if (this.ply === frames.last && !this.isLive) {
      this.ply = 0;
      this.draw();
    }
    this.controls.show();
    while (run === this.run && this.ply < frames.last) {
      const next = this.isFollowing && frames.last - this.ply > MOST_BEHIND ? frames.last : this.ply + 1;
      await this.#to(next, run);
      if (run !== this.run) return;
      const { turn, motions = [] } = frames.at(next);
      if (turn) this.turns.textContent = this.sentence(next);
      await pause(dwell(motions) / this.controls.speed);
    }
    if (run === this.run) this.pause();
  }

  pause() {
    this.isPlaying = false;
    this.run++;
    this.animations.clear();
    this.caption.setAttribute("aria-live", "polite");
    this.controls.show();
  }

  /** One more frame of a running match. @param {LiveFrame} frame */
  add(frame) {
    this.frames.add(frame);
    this.moves.add(frame);
    this.thinking.end();
    this.timeline.mark(this.frames);
    if (!this.isFollowing) this.draw();
    else if (!this.isPlaying) this.play();
  }

  /** How long the seat to act has thought. @param {ThinkTime} told */
  think(told) {
    this.thinking.begin(told);
    this.#showThinking();
  }

  #showThinking() {
    const isAtEnd = this.isLive && this.ply === this.frames.last;
    this.thinking.show(isAtEnd ? this.frames.at(this.ply).act : 0);
  }

  /** See the match through the eyes of a seat, or everything with an empty one; whether that can be chosen. @param {string} seat */
  see(seat) {
    if (!this.controls.choose(seat)) return false;
    keepView(seat);
    this.#reload(seat);
    return true;
  }

  /** @param {string} seat */
  async #reload(seat) {
    const name = this.frames.nameOf(this.ply);
    this.pause();
    const document_ = await loadFrames(this.root);
    if (this.controls.view !== seat) return; // others were chosen meanwhile
    this.pause();
    this.frames = new Frames(document_);
    this.ply = this.frames.plyOf(name);
    this.draw();
  }
}
