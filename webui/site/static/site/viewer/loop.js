// The one loop of everything that moves.

/**
 * @typedef {(share: number) => void} Show shows a move at the share of its time that has passed, 0 to 1
 * @typedef {{ ms: number, show: Show, delay: number, resolve: () => void, since: number | null }} Move
 */

export class Loop {
  constructor() {
    /** @type {Move[]} */
    this.moves = [];
    /** @type {number | null} */
    this.request = null;
  }

  /**
   * Show a move from its beginning to its end; resolves when it is over.
   * @param {number} ms
   * @param {Show} show
   * @param {number} [delay] milliseconds
   * @returns {Promise<void>}
   */
  run(ms, show, delay = 0) {
    return new Promise((resolve) => {
      this.moves.push({ ms, show, delay, resolve, since: null });
      show(0);
      this.request ??= requestAnimationFrame(this.#tick);
    });
  }

  /** @param {number} now */
  #tick = (now) => {
    this.request = null;
    for (const move of [...this.moves]) {
      move.since ??= now + move.delay;
      const share = Math.min(1, Math.max(0, (now - move.since) / move.ms));
      move.show(share);
      if (share === 1) {
        this.moves.splice(this.moves.indexOf(move), 1);
        move.resolve();
      }
    }
    if (this.moves.length) this.request = requestAnimationFrame(this.#tick);
  };

  /** Stop at once: everything is where it was going. */
  stop() {
    for (const move of this.moves.splice(0)) {
      move.show(1);
      move.resolve();
    }
  }
}
