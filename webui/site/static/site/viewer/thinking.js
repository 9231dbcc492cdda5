// How long the acting seat of a live match has thought: a bar that fills up to the most that a decision may take.

const FROM = 1000; // ms; most decisions take less, and a bar that flickers tells nothing
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

const clock = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

export class Thinking {
  constructor(root) {
    this.root = root;
    this.since = null;
    this.shown = null;
  }

  /** The seat to act has been asked so many ms ago, and may take so many. */
  begin({ ms, most }) {
    this.since = performance.now() - ms;
    this.most = most;
  }

  /** What was known is over. */
  end() {
    this.since = null;
    this.show(0);
  }

  /** Show it at a seat; 0: nowhere. */
  show(seat) {
    clearTimeout(this.timer);
    const place = seat && this.since !== null ? this.root.querySelector(`[data-seat="${seat}"] [data-thinking]`) : null;
    if (this.shown && this.shown !== place) this.shown.hidden = true;
    this.shown = place;
    if (place) this.#tick();
  }

  #tick() {
    const passed = Math.min(this.most, performance.now() - this.since);
    if (passed >= FROM) {
      const first = this.shown.hidden;
      this.shown.hidden = false;
      this.shown.title = this.shown.dataset.thinking.replace("%(time)s", clock(this.most));
      this.shown.querySelector("[data-passed]").textContent = clock(passed);
      if (first || STILL.matches) this.#fill(passed / this.most);
    }
    if (passed < this.most) this.timer = setTimeout(() => this.#tick(), 1000 - (passed % 1000));
  }

  /** From here on the bar fills by itself; with reduced motion it is set anew each second. */
  #fill(share) {
    const bar = this.shown.querySelector("i");
    bar.style.transition = "none";
    bar.style.transform = `scaleX(${share})`;
    if (STILL.matches || share === 1) return;
    bar.getBoundingClientRect(); // begins here
    bar.style.transition = `transform ${this.most * (1 - share)}ms linear`;
    bar.style.transform = "scaleX(1)";
  }
}
