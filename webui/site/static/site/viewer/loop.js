// The one loop of everything that moves.

export class Loop {
  constructor() {
    this.moves = [];
    this.frame = null;
  }

  /** Show a move at the share of its time that has passed, 0 to 1; resolves when it is over. */
  run(ms, show, delay = 0) {
    return new Promise((land) => {
      this.moves.push({ ms, show, delay, land, since: null });
      show(0);
      this.frame ??= requestAnimationFrame(this.#tick);
    });
  }

  #tick = (now) => {
    this.frame = null;
    for (const move of [...this.moves]) {
      move.since ??= now + move.delay;
      const share = Math.min(1, Math.max(0, (now - move.since) / move.ms));
      move.show(share);
      if (share === 1) {
        this.moves.splice(this.moves.indexOf(move), 1);
        move.land();
      }
    }
    if (this.moves.length) this.frame = requestAnimationFrame(this.#tick);
  };

  /** Stop at once: everything is where it was going. */
  stop() {
    for (const move of this.moves.splice(0)) {
      move.show(1);
      move.land();
    }
  }
}

/** Fast at first, soft at the end. */
export const ease = (t) => 1 - (1 - t) ** 3;

/** A little too far, and back: how a piece comes down. */
export const easeDrop = (t) => 1 + 2.2 * (t - 1) ** 3 + 1.2 * (t - 1) ** 2;
