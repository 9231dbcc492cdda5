// Where chance comes from: a stream of 32-bit words made from a seed. Block i is SHA-256(seed ‖ i as 8 bytes).

import { joined, sha256 } from "./sha256.js";

const WORDS = 2 ** 32;

export class Stream {
  /** @param {Uint8Array} seed */
  constructor(seed) {
    this.seed = seed;
    this.at = 0; // words read so far
    this.block = new DataView(new ArrayBuffer(32));
  }

  word() {
    if (this.at % 8 === 0) {
      const number = new Uint8Array(8);
      new DataView(number.buffer).setBigUint64(0, BigInt(this.at / 8));
      this.block = new DataView(sha256(joined(this.seed, number)).buffer);
    }
    return this.block.getUint32(4 * (this.at++ % 8));
  }

  /** A number from 0 to n - 1, each as likely as any other. @param {number} n */
  below(n) {
    const limit = Math.floor(WORDS / n) * n;
    for (;;) {
      const word = this.word();
      if (word < limit) return word % n;
    }
  }

  /**
   * A new array in the shuffled order; item 0 is the top.
   * @template Item
   * @param {Item[]} list
   */
  shuffle(list) {
    const shuffled = [...list];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [shuffled[i], shuffled[j]] = /** @type {[Item, Item]} */ ([shuffled[j], shuffled[i]]);
    }
    return shuffled;
  }

  /**
   * `count` meeples from a bag written in the order ywgbrp, one by one.
   * @param {string} bag
   * @param {number} count
   */
  draw(bag, count) {
    const left = [...bag];
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0]).join("");
  }
}

/**
 * The seed of a match: SHA-256(server seed ‖ length and bytes of each seat's nonce).
 * @param {Uint8Array} serverSeed
 * @param {Uint8Array[]} nonces
 */
export const matchSeed = (serverSeed, nonces) =>
  sha256(joined(serverSeed, ...nonces.flatMap((nonce) => [Uint8Array.of(nonce.length), nonce])));

/**
 * What is published before the game: SHA-256(server seed, or the seed where there is none ‖ deal).
 * @param {Uint8Array} secret
 * @param {Uint8Array | null} deal
 */
export const commitmentOf = (secret, deal) => sha256(joined(secret, deal ?? new Uint8Array()));
