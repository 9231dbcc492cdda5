// TV: the show of the match that is on, then that of the next one, in the same page.

import { all, allRendered, maybe, one } from "../dom.js";
import { enliven } from "../site.js";
import { fetchPatiently, follow, lostNote } from "../source.js";
import { loadDrawings } from "./drawings.js";
import { VERSION } from "./frames.js";
import { mayReload } from "./live.js";
import { loadFrames } from "./load.js";
import { Show } from "./show.js";
import { pause } from "./stage.js";

/** @import { LiveFrame } from "../../../types/frames.d.ts" */

const AGAIN = 2000; // ms; what is on is asked for again
const AFTER_ERROR = 5000; // ms
const SETTLES = 5000; // ms; when a match is over it takes so long until its show knows when to end
const NO_FEED = 30_000; // ms; until a page without a live feed looks again

class Channel {
  /** @param {HTMLElement} holder what shows the match that is on */
  constructor(holder) {
    this.holder = holder;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.isPaused = isStill && "waits" in holder.dataset; // on a page of other things
    /** @type {Show | null} */
    this.show = null;
    /** @type {(() => void) | null} */
    this.resumed = null;
    this.hasDrawings = false;
    this.lostFor = lostNote((isLost) => this.#showLost(isLost));
    holder.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("[data-pause]")) this.toggle();
    });
    if (maybe(document, "main.tv", HTMLElement)) {
      document.addEventListener("keydown", (event) => {
        const isOn = event.target instanceof Element && event.target.closest("button, a, summary, input, select");
        if (event.key !== " " || isOn || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        this.toggle();
      });
    }
  }

  get root() { return maybe(this.holder, ".tv-root", HTMLElement); }

  /** Play, or stop here. */
  toggle() {
    this.isPaused = !this.isPaused;
    if (this.isPaused) this.show?.stop();
    else this.resumed?.();
  }

  /** For as long as the page is there. */
  async run() {
    let base = 0; // the page was asked for then
    let isSeen = false;
    for (;;) {
      try {
        if (this.root && !isSeen) await this.#watch(this.root, base);
        isSeen = true;
        base = await this.#next();
        isSeen = false;
      } catch (error) { // what is shown stays
        console.warn(error);
        if (error instanceof RangeError && mayReload()) location.reload(); // or it is newer than this page
        await pause(AFTER_ERROR);
      }
    }
  }

  /** @param {boolean} isLost */
  #showLost(isLost) {
    const lost = maybe(document, "[data-lost]", HTMLElement);
    if (lost) lost.hidden = !isLost;
  }

  /** Fetch, and say for how long the server does not answer. @param {string} [address] */
  async #ask(address = "") {
    const answer = await fetchPatiently(address, { lost: this.lostFor("page") });
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return answer;
  }

  /** The show of a match to its end. @param {HTMLElement} root @param {number} base */
  async #watch(root, base) {
    let show = await this.#open(root, base);
    const { number } = show;
    while (show.isLive) {
      await this.#play(show, this.#follow(show));
      // The match is over: its frames are all there now, and the show goes on where it is.
      const at = show.frames.nameOf(show.ply);
      const now = await this.#fetch();
      const fresh = this.root;
      if (!fresh || fresh.dataset.programme !== number) return;
      if (fresh.dataset.live) await pause(NO_FEED); // this server has no live feed, or is newer than this page
      show = await this.#open(fresh, now, at);
    }
    await this.#play(show, null);
  }

  /** @param {HTMLElement} root @param {number} base @param {string} [at] */
  async #open(root, base, at) {
    const drawings = this.hasDrawings ? null : loadDrawings(root.dataset.drawings ?? "");
    const [frames] = await Promise.all([loadFrames(root), drawings]);
    this.hasDrawings = true;
    this.show?.stop();
    this.show = new Show(root, frames, base, at);
    this.show.atEnd = () => { this.#tellNext().catch(console.warn); };
    root.dataset.ready = "";
    return this.show;
  }

  /**
   * Play until the show is over, or what is followed is; a visitor may stop it for as long as they like.
   * @param {Show} show
   * @param {Promise<void> | null} ended
   */
  async #play(show, ended) {
    let isOver = false;
    ended?.then(() => { isOver = true; this.resumed?.(); show.stop(); });
    while (!isOver) {
      if (this.isPaused) await new Promise((resolve) => { this.resumed = () => resolve(null); });
      else if (await show.play()) return;
    }
  }

  /** Feed a show with the frames of its match; resolves when that is over. @param {Show} show @returns {Promise<void>} */
  #follow(show) {
    const { frames, root } = show;
    return new Promise((resolve) => {
      const end = () => {
        close();
        setTimeout(resolve, SETTLES);
      };
      const close = follow(`${root.dataset.live}?after=${frames.at(frames.last).d ?? -1}`, {
        events: {
          /** @param {LiveFrame} frame */
          frame(frame) {
            if (frame.v !== VERSION) end();
            else if (frame.d !== undefined && frame.d > (frames.at(frames.last).d ?? -1)) show.add(frame);
          },
          thinking: (times) => show.think(times),
          end,
        },
        lost: this.lostFor("feed"),
        none: end,
      });
    });
  }

  /** Show what is on once that is another match; when that was asked for. */
  async #next() {
    const number = this.root?.dataset.programme;
    for (;;) {
      const { now } = await (await this.#ask(this.holder.dataset.channel)).json();
      if (now && String(now.number) !== number) {
        const base = await this.#fetch();
        if (this.root && this.root.dataset.programme !== number) return base;
      }
      await pause(AGAIN);
    }
  }

  /** What comes next has been chosen meanwhile. */
  async #tellNext() {
    const made = allRendered(await (await this.#ask(this.holder.dataset.tv)).text())[0];
    if (made?.getAttribute("data-programme") !== this.root?.dataset.programme) return;
    for (const place of all(this.holder, "[data-schedule], [data-next]", HTMLElement)) {
      const fresh = made?.querySelector("next" in place.dataset ? "[data-next]" : "[data-schedule]");
      if (fresh) place.replaceChildren(...fresh.childNodes);
    }
  }

  /** Put the table of the match that is on in place of what is shown; when it was asked for. */
  async #fetch() {
    const { holder } = this;
    const base = performance.now();
    const answer = await this.#ask(holder.dataset.tv);
    const made = allRendered(await answer.text());
    if (made.length) {
      const hadFocus = holder.contains(document.activeElement);
      this.show?.stop();
      this.show = null;
      holder.replaceChildren(...made);
      enliven(holder);
      if (hadFocus) {
        const button = one(holder, "[data-pause]", HTMLButtonElement);
        button.hidden = false;
        button.focus();
      }
    }
    return base;
  }
}

for (const holder of all(document, "[data-tv]", HTMLElement)) new Channel(holder).run();
