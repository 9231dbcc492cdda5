// The first game: the board of a line at which the visitor decides for one seat, and is told what is good.

import { maybe, one } from "../dom.js";
import { Hints } from "./hints.js";
import { beginLine, Line } from "./line.js";

const OWN = 1;
const LOOK_MS = 900; // at each decision of the other seat

class FirstGame extends Line {
  /** @param {HTMLElement} root */
  constructor(root) {
    super(root);
    this.hintsAddress = root.dataset.hintsAddress ?? "";
    this.hints = new Hints(root, OWN, (actions) => { this.play(actions); });
    this.#advise();
  }

  /** What follows a choice is shown, decision by decision, until the visitor has the next one. @override @param {string} [next] @param {boolean} [isStep] */
  arrived(next, isStep) {
    const { run } = this;
    if (next && isStep) setTimeout(() => { if (run === this.run) this.load(next, true); }, this.still.matches ? 0 : LOOK_MS);
    else this.#advise();
  }

  /** @override */
  changing() { this.hints.clear(); }

  /** Show the best choices at once: here, nobody has to ask for them. */
  async #advise() {
    this.hints.clear();
    this.root.dataset.hintsAddress = this.hintsAddress + location.search;
    one(this.root, ".lesson-now", HTMLElement).scrollIntoView({ block: "nearest" });
    if (!this.legal) return;
    await this.hints.ask();
    const advice = maybe(this.root, "[data-advice]", HTMLElement), { best } = this.hints;
    if (!advice || !best) return;
    advice.textContent = (advice.dataset.advice ?? "").replace("{choice}", `${best.route} ${best.words}`.trim());
    advice.hidden = false;
  }
}

beginLine(FirstGame).catch((error) => { console.error(error); }); // the page has a form with all legal actions
