// The viewer: steps through the frames of a match, plays them, follows a match that runs.
// The page is whole without it; boards and rules are the server's.

import { enliven, copyText } from "../site.js";
import { asked, keep, keepView, query } from "./address.js";
import { Animations } from "./animations.js";
import { showCharts } from "./charts.js";
import { loadDrawings } from "./drawings.js";
import { Frames } from "./frames.js";
import { awaitFirst, follow } from "./live.js";
import { Loop } from "./loop.js";
import { Moves } from "./moves.js";
import { Table } from "./table.js";
import { Thinking } from "./thinking.js";
import { Timeline } from "./timeline.js";
import { Transitions } from "./transitions.js";

const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const JUMPS_FROM = 4; // at this speed pieces jump
const MOST_BEHIND = 8; // decisions; a live match further ahead is jumped to
const DWELL = { take: 420, drop: 90, end: 260, other: 640 };

class Player {
  constructor(root, document_) {
    this.root = root;
    this.reel = new Frames(document_);
    this.isLive = "live" in root.dataset;
    this.table = new Table(root);
    this.loop = new Loop();
    this.transitions = new Transitions(this.table, this.loop);
    this.animations = new Animations(this.table, this.loop, this.transitions);
    this.moves = new Moves(root);
    this.thinking = new Thinking(root);
    this.timeline = new Timeline(root.querySelector("[data-scrub]"), (place) => this.go(place), (place) => this.words(place));
    this.place = this.reel.placeOf(asked());
    this.isFollowing = this.isLive && this.place === this.reel.last; // the head sticks to the end
    this.isPlaying = false;
    this.run = 0; // counts what was begun: an older run that wakes up stops
    this.timeline.mark(this.reel);
    this.charts = showCharts(root, this.reel, (place) => this.go(place));
    this.#listen();
    this.draw();
  }

  get last() { return this.reel.last; }
  get speed() { return Number(this.root.querySelector("[data-speed]").value); }

  /** The sentence of a place. */
  words(place) {
    const holder = document.createElement("template");
    holder.innerHTML = this.reel.text("caption", place);
    const words = holder.content.querySelector(".dec > span:last-child").textContent.trim();
    const told = { index: this.reel.nameOf(place), last: this.reel.nameOf(this.last), round: this.reel.frames[place].round, words };
    return this.root.dataset.said.replace(/%\((\w+)\)s/g, (_, name) => told[name]);
  }

  /** Show the place as it is. */
  draw() {
    const { root, reel, place } = this;
    const frame = reel.frames[place];
    for (const tile of root.querySelectorAll(".chg")) tile.classList.remove("chg");
    const fresh = this.table.show(reel.table(place));
    if (STILL.matches) {
      for (const name of fresh.filter((each) => each.startsWith("tile-"))) this.table.element(name).classList.add("chg");
    }
    for (const seat of root.querySelectorAll("[data-seat]")) seat.classList.toggle("is-act", Number(seat.dataset.seat) === frame.act);
    this.timeline.show(place);
    this.charts?.show(place);
    this.#think();
    this.#controls();
    this.moves.show(reel.nameOf(place)); // at the end: it has to know how high the lines are
  }

  #controls() {
    const unit = this.root.querySelector("[data-unit]").selectedOptions[0].dataset;
    for (const link of this.root.querySelectorAll(".trans [data-step]")) {
      const to = this.#target(this.#stepOf(link));
      if (unit[link.dataset.step]) link.title = unit[link.dataset.step];
      if (to === this.place) {
        link.removeAttribute("href");
        link.setAttribute("aria-disabled", "true");
      } else {
        link.setAttribute("href", `#d=${this.reel.nameOf(to)}`);
        link.removeAttribute("aria-disabled");
      }
    }
    const play = this.root.querySelector("[data-play]");
    play.setAttribute("aria-pressed", String(this.isPlaying));
    const position = document.querySelector("[data-position-link]");
    if (position) position.href = `${this.root.dataset.position}?${query({ d: this.reel.nameOf(this.place) })}`;
    this.root.querySelector("[data-back-live]").hidden = !this.isLive || this.isFollowing;
  }

  /** What a button does: the two in the middle go by the chosen unit. */
  #stepOf({ dataset: { step } }) {
    const unit = this.root.querySelector("[data-unit]").value;
    return unit && (step === "previous" || step === "next") ? `${step}_${unit}` : step;
  }

  #target(step) {
    const [way, unit] = { first: [0], last: [1], previous: [-1, "decision"], next: [1, "decision"], previous_turn: [-1, "turn"],
      next_turn: [1, "turn"], previous_round: [-1, "round"], next_round: [1, "round"] }[step];
    return unit ? this.reel.next(this.place, unit, way) : way * this.last;
  }

  /** Go to a place: one decision forward moves, all else is shown at once. */
  async go(place) {
    this.pause();
    this.isFollowing = this.isLive && place === this.last;
    await this.#to(place, ++this.run);
  }

  async #to(place, run) {
    const { speed } = this;
    const motions = this.reel.frames[place].motions ?? [];
    const moves = place === this.place + 1 && !STILL.matches && speed < JUMPS_FROM;
    const leaves = ([kind]) => kind === "leave";
    this.animations.clear();
    if (moves) await this.animations.fly(motions.filter((motion) => !leaves(motion)), speed);
    if (run !== this.run) return;
    if (moves) this.transitions.look();
    this.place = place;
    this.draw();
    keep(this.isFollowing ? null : this.reel.nameOf(place));
    if (!moves) return;
    await Promise.all([this.transitions.settle(motions, speed), this.animations.fly(motions.filter(leaves), speed)]);
    if (run === this.run && !this.isPlaying) this.animations.clear();
  }

  /** Play, or stop here. */
  toggle() {
    if (!this.isPlaying) {
      if (this.isLive && this.place === this.last) this.isFollowing = true;
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
    // Turns are announced while it plays; each drop would be noise.
    this.root.querySelector("[data-caption]").setAttribute("aria-live", "off");
    if (this.place === this.last && !this.isLive) {
      this.place = 0;
      this.draw();
    }
    this.#controls();
    while (run === this.run && this.place < this.last) {
      const next = this.isFollowing && this.last - this.place > MOST_BEHIND ? this.last : this.place + 1;
      await this.#to(next, run);
      if (run !== this.run) return;
      if (this.reel.frames[next].turn) this.root.querySelector("[data-turns]").textContent = this.words(next);
      await pause((DWELL[this.#verb(next)] ?? DWELL.other) / this.speed);
    }
    if (run === this.run) this.pause();
  }

  #verb(place) {
    const kinds = new Set((this.reel.frames[place].motions ?? []).map(([kind]) => kind));
    return kinds.has("pick") ? "take" : kinds.has("drop") ? "drop" : "other";
  }

  pause() {
    this.isPlaying = false;
    this.run++;
    this.animations.clear();
    this.root.querySelector("[data-caption]").setAttribute("aria-live", "polite");
    this.#controls();
  }

  /** One more frame of a match that runs. */
  add(frame) {
    this.reel.add(frame);
    this.moves.add(frame);
    this.thinking.end();
    this.timeline.mark(this.reel);
    if (!this.isFollowing) {
      this.draw();
      return;
    }
    if (!this.isPlaying) this.play();
  }

  /** How long the seat to act has thought. */
  think(told) {
    this.thinking.begin(told);
    this.#think();
  }

  #think() { this.thinking.show(this.isLive && this.place === this.last ? this.reel.frames[this.place].act : 0); }

  /** See the match as a seat could, or everything. */
  async see(seat) {
    const select = this.root.querySelector("[data-view]");
    if (!select) return;
    select.value = seat;
    const name = this.reel.nameOf(this.place);
    this.pause();
    keepView(seat);
    this.reel = new Frames(await load(this.root));
    this.place = this.reel.placeOf(name);
    this.draw();
  }

  #listen() {
    const { root } = this;
    for (const part of root.querySelectorAll("[data-needs-script], [data-play]")) part.hidden = false;
    root.classList.add("has-script");
    root.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[data-step]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      if (link.closest(".trans")) this.go(this.#target(this.#stepOf(link)));
      else this.go(this.reel.placeOf(/d=(\w+)/.exec(link.getAttribute("href"))?.[1]));
    });
    root.querySelector("[data-play]").addEventListener("click", () => this.toggle());
    root.querySelector("[data-view]")?.addEventListener("change", (event) => this.see(event.target.value));
    root.querySelector("[data-help]").addEventListener("click", () => root.querySelector("[data-sheet=keys]").showModal());
    root.querySelector("[data-back-live] button").addEventListener("click", () => this.go(this.last));
    document.querySelector("[data-position-link]")?.addEventListener("click", (event) => {
      if (!navigator.clipboard) return; // on plain http it is a file
      event.preventDefault();
      copyText(fetch(event.currentTarget.href).then((answer) => answer.text()), event.currentTarget);
    });
    document.addEventListener("keydown", this.press);
    root.querySelector("[data-unit]").addEventListener("change", () => this.#controls());
    addEventListener("hashchange", () => { if (root.isConnected) this.go(this.reel.placeOf(asked())); });
  }

  /** A key that was pressed. */
  press = (event) => {
    if (!this.root.isConnected) {
      document.removeEventListener("keydown", this.press);
      return;
    }
    const { key } = event;
    const on = event.target;
    const slides = on.matches?.("[data-slide]");
    if (event.ctrlKey || event.metaKey || event.altKey || on.closest?.("dialog") || (!slides && on.closest?.("input, textarea, select"))) return;
    if (on.closest?.(".mvl") && /^(Arrow|Page|Home|End)/.test(key)) return; // it scrolls
    const step = { ArrowLeft: event.shiftKey ? "previous_turn" : "previous", ArrowRight: event.shiftKey ? "next_turn" : "next",
      Home: "first", End: "last" }[key] ?? (event.code === "KeyR" ? (event.shiftKey ? "previous_round" : "next_round") : null);
    if (step) this.go(this.#target(step));
    else if (key === " " && !on.closest?.("button, summary, a")) this.toggle();
    else if (key === "Enter" && on.matches?.(".l-pieces .tile")) this.#card(on);
    else if (event.code === "KeyM") this.root.querySelector(".mvl")?.focus();
    else if (key === "?") this.root.querySelector("[data-sheet=keys]").showModal();
    else if (/^[1-5]$/.test(key) && this.root.querySelector(`[data-view] option[value="${key}"]`)) {
      this.see(this.root.querySelector("[data-view]").value === key ? "" : key);
    } else return;
    event.preventDefault();
  };

  /** What a tile is. */
  #card(tile) {
    const sheet = this.root.querySelector("[data-sheet=tile]");
    const card = this.root.querySelector(`template[data-card="${tile.dataset.kind}"]`);
    sheet.querySelector("[data-tile-card]").replaceChildren(card ? card.content.cloneNode(true) : "");
    sheet.querySelector(".tc-p")?.classList.add([...tile.classList].find((name) => name.startsWith("t-")));
    sheet.querySelector("[data-tile-label]").textContent = tile.getAttribute("aria-label");
    sheet.showModal();
  }
}

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

async function load(root) {
  const answer = await fetch(`${root.dataset.frames}?${query({})}`);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer.json();
}

/** The page as the server has it now, in place of what is shown: a match that ran has become a replay. */
async function renew() {
  const answer = await fetch(location.pathname + location.search);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.getElementById("main").replaceChildren(...page.getElementById("main").childNodes);
  document.title = page.title;
  enliven(document.getElementById("main"));
  await begin();
}

async function begin() {
  const root = document.querySelector("[data-viewer]");
  if (!root) {
    const waits = document.querySelector("[data-waits]");
    if (waits) awaitFirst(waits.dataset.waits, () => location.reload());
    return;
  }
  // Keys that come before the frames are not lost.
  const early = [];
  const collect = (event) => { early.push(event); };
  document.addEventListener("keydown", collect);
  const [reel] = await Promise.all([load(root), loadDrawings(root.dataset.drawings)])
    .finally(() => document.removeEventListener("keydown", collect));
  const player = new Player(root, reel);
  for (const event of early) player.press(event);
  if (player.isLive) follow(player, renew);
  root.dataset.ready = "";
}

begin().catch((error) => {
  // The page as it came still works: its links step by loading.
  console.error(error);
});
