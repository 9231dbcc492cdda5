// The frames of a match: for every place what changed on the table, and the text of every part at any place.

/** The new text that a change makes of an old one: see `change` in reel.py. */
function changed(text, change) {
  if (Array.isArray(change)) return text.slice(0, change[0]) + change[2] + text.slice(text.length - change[1]);
  const pieces = text.split("<");
  for (const [number, piece] of Object.entries(change)) pieces[number] = piece;
  return pieces.join("<");
}

/** Frames told by value as one object a place. */
function rows(columns) {
  let index = 0;
  const told = { ...columns, d: columns.d.map((more) => (more === null ? null : index += more)) };
  const names = Object.keys(told);
  return told.d.map((_, place) =>
    Object.fromEntries(names.map((name) => [name, told[name][place]]).filter(([, value]) => value !== null)));
}

export class Frames {
  /** @param document what `frames.json` says */
  constructor(document) {
    this.sources = document.sources;
    this.seats = document.seats;
    this.frames = rows(document.frames);
    this.texts = new Map(); // part -> [[place, text], …]
    for (const [name, changes] of Object.entries(document.parts)) {
      for (let at = 0, place = 0; at < changes.length; at += 2) this.#put(name, place += changes[at], changes[at + 1]);
    }
    this.#score(0);
  }

  get last() { return this.frames.length - 1; }

  /** One more frame, of a match that runs. */
  add(frame) {
    this.frames.push(frame);
    for (const [name, change] of Object.entries(frame.parts)) this.#put(name, this.last, change);
    this.#score(this.last);
  }

  #put(name, place, change) {
    const texts = this.texts.get(name) ?? [];
    texts.push([place, changed(texts.at(-1)?.[1] ?? "", change)]);
    this.texts.set(name, texts);
  }

  /** Every frame gets the scores of all seats by source, where they are known. */
  #score(from) {
    for (let place = from; place <= this.last; place++) {
      const frame = this.frames[place];
      const before = this.frames[place - 1]?.table;
      frame.table = before || frame.scores ? { ...before, ...frame.scores } : null;
    }
  }

  /** The text of a part at a place. */
  text(name, place) {
    let found = "";
    for (const [at, text] of this.texts.get(name) ?? []) {
      if (at > place) break;
      found = text;
    }
    return found;
  }

  /** All parts at a place: name -> text. */
  table(place) {
    return new Map([...this.texts.keys()].map((name) => [name, this.text(name, place)]));
  }

  /** The place of an index of the log, or of `setup`; chance belongs to the decision that caused it. */
  placeOf(name) {
    if (name === "setup") return 0;
    if (!/^\d{1,9}$/.test(name ?? "")) return this.last;
    return this.frames.filter((frame) => frame.d <= Number(name)).length;
  }

  nameOf(place) { return place ? String(this.frames[place].d) : "setup"; }

  total(place, seat) { return this.frames[place].table?.[seat]?.reduce((sum, points) => sum + points, 0) ?? null; }

  /** The next place in a direction that begins a turn or a round, else the end of the match. */
  next(place, unit, way) {
    if (unit === "decision") return Math.min(this.last, Math.max(0, place + way));
    const begins = (at) => unit === "turn" ? this.frames[at].turn
      : at > 0 && this.frames[at].round !== this.frames[at - 1].round;
    for (let at = place + way; at > 0 && at <= this.last; at += way) if (begins(at)) return at;
    return way > 0 ? this.last : 0;
  }
}
