// The frames of a match: for every ply what changed on the table, and the text of every part at any ply.
// Ply 0 is the set-up, ply n the position after n decisions.

/**
 * @import { Change, Frame, FramesDocument, LiveFrame } from "../../../types/frames.d.ts"
 * @typedef {"decision" | "turn" | "round"} Unit
 */

/** The version of the frames that is understood here. */
export const VERSION = 4;

const SURROGATES = /[\ud800-\udfff]/;

/**
 * The new text that a change makes of an old one. The server counts code points, of which some take two units of a string.
 * @param {string} text
 * @param {Change} change
 */
export function changed(text, change) {
  if (Array.isArray(change)) {
    const [first, last, middle] = change;
    if (!SURROGATES.test(text)) return text.slice(0, first) + middle + text.slice(text.length - last);
    const points = [...text];
    return [...points.slice(0, first), middle, ...points.slice(points.length - last)].join("");
  }
  const pieces = text.split("<");
  for (const [number, piece] of Object.entries(change)) pieces[Number(number)] = piece;
  return pieces.join("<");
}

/**
 * Frames told value by value as one object a ply.
 * @param {FramesDocument["frames"]} columns
 * @returns {Frame[]}
 */
function rows(columns) {
  let index = 0;
  const told = { ...columns, d: columns.d.map((more) => (more === null ? null : index += more)) };
  return told.round.map((_, ply) => {
    const values = Object.entries(told).map(([field, column]) => [field, column[ply]]);
    return Object.fromEntries(values.filter(([, value]) => value !== null));
  });
}

export class Frames {
  /**
   * An error for frames of another version, which mean something else.
   * @param {FramesDocument} document
   */
  constructor(document) {
    if (document.v !== VERSION) throw new RangeError(`frames of version ${document.v}`);
    this.sources = document.sources;
    this.seats = document.seats;
    /** @type {Frame[]} */
    this.all = rows(document.frames);
    /** @type {Map<string, [ply: number, text: string][]>} */
    this.texts = new Map();
    for (const [part, changes] of Object.entries(document.parts)) {
      let ply = 0;
      changes.forEach((each) => {
        if (typeof each === "number") ply += each;
        else this.#put(part, ply, each);
      });
    }
    /** @type {(Record<string, number[]> | null)[]} */
    this.scores = [];
    /** @type {(Record<string, [low: number, high: number]> | null)[]} */
    this.counted = [];
    this.#score();
  }

  get last() { return this.all.length - 1; }

  /**
   * The frame of a ply; a RangeError where there is none.
   * @param {number} ply
   */
  at(ply) {
    const frame = this.all[ply];
    if (!frame) throw new RangeError(`no frame at ply ${ply}`);
    return frame;
  }

  /**
   * One more frame, of a running match.
   * @param {LiveFrame} frame
   */
  add(frame) {
    this.all.push(frame);
    for (const [part, change] of Object.entries(frame.parts)) this.#put(part, this.last, change);
    this.#score();
  }

  /** @param {string} part @param {number} ply @param {Change} change */
  #put(part, ply, change) {
    const texts = this.texts.get(part) ?? [];
    texts.push([ply, changed(texts.at(-1)?.[1] ?? "", change)]);
    this.texts.set(part, texts);
  }

  /** The points of all seats by source, for the plies that have none yet; a frame names only the seats that changed. */
  #score() {
    for (let ply = this.scores.length; ply <= this.last; ply++) {
      const before = this.scores[ply - 1];
      const { scores } = this.at(ply);
      this.scores.push(before || scores ? { ...before, ...scores } : null);
      const counted = this.counted[ply - 1];
      const { bounds } = this.at(ply);
      this.counted.push(counted || bounds ? { ...counted, ...bounds } : null);
    }
  }

  /**
   * The text of a part at a ply; empty before its first.
   * @param {string} part
   * @param {number} ply
   */
  text(part, ply) {
    return this.texts.get(part)?.findLast(([since]) => since <= ply)?.[1] ?? "";
  }

  /**
   * The texts of all parts at a ply.
   * @param {number} ply
   * @returns {Map<string, string>}
   */
  table(ply) {
    return new Map([...this.texts.keys()].map((part) => [part, this.text(part, ply)]));
  }

  /**
   * The ply before the event at an index of the replay, else the last; chance has no ply of its own.
   * @param {string | null | undefined} name
   */
  plyOf(name) {
    if (!name || !/^\d{1,9}$/.test(name)) return this.last;
    return this.all.filter((_, ply) => ply && Number(this.nameOf(ply - 1)) < Number(name)).length;
  }

  /** The index of the event that follows a ply. @param {number} ply */
  nameOf(ply) { return String(this.at(ply).d ?? 0); }

  /**
   * Points of a seat by source; null while they are hidden.
   * @param {number} ply
   * @param {number} seat
   */
  points(ply, seat) { return this.scores[ply]?.[seat] ?? null; }

  /**
   * The least and the most that a score may be; null where it is known, or was not counted.
   * @param {number} ply
   * @param {number} seat
   */
  bounds(ply, seat) { return this.counted[ply]?.[seat] ?? null; }

  /** @param {number} ply @param {number} seat */
  total(ply, seat) { return this.points(ply, seat)?.reduce((sum, points) => sum + points, 0) ?? null; }

  /**
   * The next ply in a direction that begins a turn or a round, else the start or the end of the match.
   * @param {number} ply
   * @param {Unit} unit
   * @param {1 | -1} direction
   */
  next(ply, unit, direction) {
    if (unit === "decision") return Math.min(this.last, Math.max(0, ply + direction));
    for (let at = ply + direction; at > 0 && at <= this.last; at += direction) if (this.#begins(at, unit)) return at;
    return direction > 0 ? this.last : 0;
  }

  /** @param {number} ply @param {"turn" | "round"} unit */
  #begins(ply, unit) {
    return unit === "turn" ? Boolean(this.at(ply).turn) : this.at(ply).round !== this.at(ply - 1).round;
  }

  /** Each round with its first and last ply. */
  rounds() {
    /** @type {{ round: number, first: number, last: number }[]} */
    const found = [];
    this.all.forEach(({ round }, ply) => {
      const now = found.at(-1);
      if (now?.round === round) now.last = ply;
      else found.push({ round, first: ply, last: ply });
    });
    return found;
  }
}
