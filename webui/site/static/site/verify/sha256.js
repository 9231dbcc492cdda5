// SHA-256 (FIPS 180-4) of bytes. The browser's own is only there on https and localhost; this one is everywhere.

/** @type {number[]} */
const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);

/** The first 32 bits of the fractional part. @param {number} root */
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const START = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
const ROUND = primes.map((p) => fraction(Math.cbrt(p)));

/** @param {number} x @param {number} n */
const turn = (x, n) => (x >>> n) | (x << (32 - n));

/**
 * The message, a one, zeros, and the length in bits, in whole blocks of 64 bytes.
 * @param {Uint8Array} message
 */
function padded(message) {
  const bytes = new Uint8Array(((message.length + 8) >> 6 << 6) + 64);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const blocks = new DataView(bytes.buffer);
  blocks.setUint32(bytes.length - 8, Math.floor(message.length / 2 ** 29));
  blocks.setUint32(bytes.length - 4, message.length << 3);
  return blocks;
}

/**
 * The digest of a message, 32 bytes.
 * @param {Uint8Array} message
 */
export function sha256(message) {
  const blocks = padded(message);
  const state = new DataView(new ArrayBuffer(32));
  START.forEach((word, i) => state.setInt32(4 * i, word));
  const words = new DataView(new ArrayBuffer(256));
  /** @param {number} i */
  const w = (i) => words.getInt32(4 * i);
  for (let block = 0; block < blocks.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) words.setInt32(4 * i, blocks.getInt32(block + 4 * i));
    for (let i = 16; i < 64; i++) {
      const s0 = turn(w(i - 15), 7) ^ turn(w(i - 15), 18) ^ (w(i - 15) >>> 3);
      const s1 = turn(w(i - 2), 17) ^ turn(w(i - 2), 19) ^ (w(i - 2) >>> 10);
      words.setInt32(4 * i, w(i - 16) + s0 + w(i - 7) + s1);
    }
    let a = state.getInt32(0), b = state.getInt32(4), c = state.getInt32(8), d = state.getInt32(12);
    let e = state.getInt32(16), f = state.getInt32(20), g = state.getInt32(24), h = state.getInt32(28);
    ROUND.forEach((constant, i) => {
      const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constant + w(i)) | 0;
      const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    });
    [a, b, c, d, e, f, g, h].forEach((word, i) => state.setInt32(4 * i, state.getInt32(4 * i) + word));
  }
  return new Uint8Array(state.buffer);
}

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * The bytes of a string of hex digits; an error for anything else.
 * @param {unknown} text
 */
export function fromHex(text) {
  if (typeof text !== "string" || !/^([0-9a-f]{2})*$/i.test(text)) throw new Error(`not hex digits: ${text}`);
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Several arrays of bytes as one. @param {...Uint8Array} parts */
export const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
