// Everything that moves: symbols that fly from part to part. One loop, transforms only.

const SVG = "http://www.w3.org/2000/svg";
const MS = { pick: 160, drop: 180, arrive: 320, leave: 320 };
const SIZE = { pick: 34, drop: 34, arrive: 36, leave: 28 };

const ease = (t) => 1 - (1 - t) ** 3;

export class Flights {
  constructor(table) {
    this.table = table;
    this.active = [];
    this.sky = document.createElement("div");
    this.sky.className = "sky";
    this.sky.setAttribute("aria-hidden", "true");
    document.body.append(this.sky);
  }

  /** Fly these motions, kind after kind; resolves when all have landed. */
  async fly(motions, speed) {
    const flown = [];
    for (const kind of Object.keys(MS)) {
      const same = motions.filter((motion) => motion[0] === kind);
      if (!same.length) continue;
      const pieces = same.flatMap(([, use, from, to, number, seat]) =>
        Array.from({ length: Math.min(number, 6) }, () => ({ use, from, to, seat })));
      const flights = pieces.map((piece, index) => this.#begin(kind, piece, index, pieces.length, speed)).filter(Boolean);
      flown.push(...flights);
      await Promise.all(flights.map((flight) => flight.landed));
      // What was picked up is in hand until the table shows it; all else has arrived.
      for (const flight of flights) flight.piece.remove();
    }
  }

  #centre(name) {
    const element = this.table.element(name)?.querySelector(":scope > .hit") ?? this.table.element(name);
    const box = element?.getBoundingClientRect();
    return box?.width ? [box.left + box.width / 2, box.top + box.height / 2] : null;
  }

  #begin(kind, { use, from, to, seat }, index, count, speed) {
    const start = this.#centre(from);
    const end = this.#centre(to);
    if (!start || !end) return null;
    const piece = document.createElementNS(SVG, "svg");
    piece.setAttribute("class", `fly${seat ? ` s${seat}` : ""}`);
    piece.setAttribute("width", SIZE[kind]);
    piece.setAttribute("height", SIZE[kind]);
    const drawing = document.createElementNS(SVG, "use");
    drawing.setAttribute("href", `#${use}`);
    piece.append(drawing);
    this.sky.append(piece);
    const fan = (index - (count - 1) / 2) * Math.min(20, 90 / count);
    const isCarried = kind === "pick" || kind === "drop";
    const flight = {
      piece, start: [start[0] + (isCarried ? fan * (kind === "drop") : 0), start[1]],
      end: [end[0] + (isCarried ? fan : 0), end[1] - (kind === "pick" ? 6 : 0)],
      half: SIZE[kind] / 2, bow: kind === "leave" || kind === "arrive" ? 40 : 6,
      delay: kind === "leave" ? (index * 40) / speed : 0, ms: MS[kind] / speed, since: null,
    };
    flight.landed = new Promise((resolve) => { flight.land = resolve; });
    this.#place(flight, 0);
    this.active.push(flight);
    if (this.active.length === 1) requestAnimationFrame(this.#tick);
    return flight;
  }

  #place(flight, t) {
    const [x, y] = [0, 1].map((axis) => flight.start[axis] + (flight.end[axis] - flight.start[axis]) * ease(t));
    const lift = flight.bow * 4 * t * (1 - t);
    flight.piece.style.transform = `translate(${x - flight.half}px, ${y - lift - flight.half}px)`;
  }

  #tick = (now) => {
    for (const flight of [...this.active]) {
      flight.since ??= now + flight.delay;
      const t = Math.min(1, Math.max(0, (now - flight.since) / flight.ms));
      this.#place(flight, t);
      if (t === 1) {
        this.active.splice(this.active.indexOf(flight), 1);
        flight.land();
      }
    }
    if (this.active.length) requestAnimationFrame(this.#tick);
  };

  /** Stop at once: all pieces are gone. */
  stop() {
    for (const flight of this.active.splice(0)) flight.land();
    this.sky.replaceChildren();
  }
}
