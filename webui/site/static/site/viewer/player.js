// The player: steps through the frames of a match, plays them, and sticks to the end of one that runs.

import { one } from "../dom.js";
import { About } from "./about.js";
import { Alternatives } from "./alternatives.js";
import { decisionIn, keepDecision, keepView } from "./address.js";
import { showCharts } from "./charts.js";
import { Clip } from "./clip.js";
import { Controls } from "./controls.js";
import { press } from "./keyboard.js";
import { loadFrames } from "./load.js";
import { dwell } from "./motions.js";
import { Moves } from "./moves.js";
import { Again } from "./again.js";
import { Notes } from "./notes.js";
import { pause, Stage } from "./stage.js";
import { Timeline } from "./timeline.js";

/** @import { FramesDocument, LiveFrame, Motion, ThinkTime } from "../../../types/frames.d.ts" */

const MOST_BEHIND = 8; // decisions; a live match further ahead is jumped to

export class Player extends Stage {
  /** @param {HTMLElement} root @param {FramesDocument} document_ */
  constructor(root, document_) {
    super(root, document_);
    this.ply = this.#asked();
    this.isFollowing = this.isLive && this.ply === this.frames.last; // the head sticks to the end
    this.turns = one(root, "[data-turns]", HTMLElement);
    this.moves = new Moves(root);
    this.notes = new Notes(root);
    this.again = new Again(root);
    this.about = new About(root);
    this.alternatives = new Alternatives(root, this.about);
    this.clip = new Clip(this);
    /** @param {number} ply */
    const seek = (ply) => { this.go(ply); };
    this.timeline = new Timeline(one(root, "[data-scrub]", HTMLElement), seek, (ply) => this.sentence(ply));
    this.timeline.mark(this.frames);
    this.charts = showCharts(root, this.frames, seek);
    /** @type {(() => void) | null} */
    this.rested = null;
    this.listening = new AbortController();
    const { signal } = this.listening;
    this.controls = new Controls(this, signal);
    document.addEventListener("keydown", (event) => press(this, event), { signal });
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

  /** Show the ply as it is. @override */
  draw() {
    super.draw();
    const { frames, ply } = this;
    this.timeline.show(ply);
    this.charts?.show(ply);
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
    await this.to(ply, ++this.run, this.controls.speed);
  }

  /** The address says which ply is shown. @override */
  arrived() { keepDecision(this.isFollowing ? null : this.frames.nameOf(this.ply)); }

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
    const run = this.begin();
    const { frames } = this;
    // Turns are announced while it plays; each drop would be noise.
    this.caption.setAttribute("aria-live", "off");
    if (this.ply === frames.last && !this.isLive) {
      this.ply = 0;
      this.draw();
    }
    this.controls.show();
    while (run === this.run && this.ply < frames.last) {
      const isTooFar = this.isFollowing && !this.isBuffered && frames.last - this.ply > MOST_BEHIND;
      const next = isTooFar ? frames.last : this.ply + 1;
      await this.to(next, run, this.controls.speed);
      if (run !== this.run) return;
      const { turn, motions = [] } = frames.at(next);
      if (turn) this.turns.textContent = this.sentence(next);
      await pause(this.dwell(motions) / this.controls.speed);
    }
    if (run !== this.run) return;
    this.isFollowing = this.isLive; // who has come to the head goes on with it
    this.pause();
  }

  /** How long a decision is looked at, milliseconds at speed 1. @param {Motion[]} motions */
  dwell(motions) { return dwell(motions); }

  /** Whether a running match is shown at a pace to follow, however far behind that falls. */
  get isBuffered() { return this.isLive && this.controls.isBuffered; }

  /** Resolves when what is buffered has been shown, or the visitor has stopped that. @returns {Promise<void>} */
  settled() {
    if (!this.isBuffered || !this.isPlaying) return Promise.resolve();
    return new Promise((resolve) => { this.rested = resolve; });
  }

  pause() {
    this.halt();
    this.rested?.();
    this.caption.setAttribute("aria-live", "polite");
    this.controls.show();
  }

  /** One more frame of a running match. @param {LiveFrame} frame */
  add(frame) {
    this.frames.add(frame);
    this.moves.add(frame);
    this.thinking.end();
    this.timeline.mark(this.frames);
    this.charts?.grow();
    if (!this.isFollowing) this.draw();
    else if (!this.isPlaying) this.play();
  }

  /** How long the seat to act has thought. @param {ThinkTime} told */
  think(told) {
    this.thinking.begin(told);
    this.showThinking();
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
    this.pause();
    const document_ = await loadFrames(this.root);
    if (this.controls.view !== seat) return; // others were chosen meanwhile
    this.pause();
    this.replace(document_);
    this.draw();
  }
}
