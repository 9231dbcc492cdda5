// Analysis: what the frames say in numbers, as a chart and as a table.

const HEIGHT = 262;
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted.length ? sorted[sorted.length >> 1] : 0;
}

let loading = null;

/** uPlot, when it is wanted for the first time. */
function library() {
  loading ??= new Promise((resolve, reject) => {
    const where = new URL("../../vendor/uplot/", import.meta.url);
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = `${where}uPlot.min.css`;
    const script = document.createElement("script");
    script.src = `${where}uPlot.iife.min.js`;
    script.onload = () => resolve(window.uPlot);
    script.onerror = () => reject(new Error(script.src));
    document.head.append(sheet, script);
  });
  return loading;
}

/** For each kind of chart: its x values, one line a name, and the rows of its table. */
const KINDS = {
  total(reel, seats) {
    return {
      byPlace: true,
      lines: seats.map((seat) => ({ name: reel.seats[seat - 1], stroke: `--seat-${seat}-ink`, values: reel.frames.map((_, at) => reel.total(at, seat)) })),
      rows: rounds(reel).map(([round, , end]) => [round, ...seats.map((seat) => reel.total(end, seat))]),
    };
  },
  source(reel, _seats, seat) {
    const used = reel.sources.map((name, at) => [name, at]).filter(([, at]) => reel.frames.some((frame) => frame.table[seat][at]));
    return {
      byPlace: true,
      lines: used.map(([name, at]) => ({ name, stroke: COLOURS[at], values: reel.frames.map((frame) => frame.table[seat][at]) })),
      rows: rounds(reel).map(([round, , end]) => [round, ...used.map(([, at]) => reel.frames[end].table[seat][at])]),
    };
  },
  bids(reel, seats) {
    const all = rounds(reel);
    const paid = (seat, [, begin, end]) => sum(reel.frames.slice(begin, end + 1).filter((frame) => frame.seat === seat).map((frame) => frame.bid ?? 0));
    return {
      xs: all.map(([round]) => round),
      lines: seats.map((seat) => ({ name: reel.seats[seat - 1], stroke: `--seat-${seat}-ink`, values: all.map((round) => paid(seat, round)) })),
      rows: all.map((round) => [round[0], ...seats.map((seat) => paid(seat, round))]),
    };
  },
  options: (reel, seats, _seat, words) => dots(reel, seats, words, (frame) => frame.options ?? null, (value) => Math.round(value * 10) / 10),
  think: (reel, seats, _seat, words) => dots(reel, seats, words, (frame) => (frame.ms === undefined ? null : frame.ms / 1000), (value) => value.toFixed(2)),
};
const COLOURS = ["gold", "viziers", "elders", "djinns", "tiles", "palms", "palaces", "goods", "artisans", "items"].map((each) => `--cat-${each}`);

/** Each round with its first and last place. */
function rounds(reel) {
  const found = [];
  reel.frames.forEach((frame, at) => {
    if (found.at(-1)?.[0] === frame.round) found.at(-1)[2] = at;
    else found.push([frame.round, at, at]);
  });
  return found;
}

/** A dot a decision, in the colour of the seat that took it. */
function dots(reel, seats, words, value, told) {
  const of = (seat) => reel.frames.map((frame) => (frame.seat === seat ? value(frame) : null));
  const columns = [["mean", (all) => sum(all) / (all.length || 1)], ["median", median], ["most", (all) => Math.max(0, ...all)], ["all", sum]];
  return {
    byPlace: true,
    areDots: true,
    lines: seats.map((seat) => ({ name: reel.seats[seat - 1], stroke: `--seat-${seat}-ink`, values: of(seat) })),
    head: columns.map(([name]) => words[name]),
    rows: seats.map((seat) => [reel.seats[seat - 1], ...columns.map(([, make]) => told(make(of(seat).filter((each) => each !== null))))]),
  };
}

class Charts {
  constructor(root, reel, seek) {
    this.root = root;
    this.reel = reel;
    this.seek = seek;
    this.holder = root.querySelector("[data-chart]");
    this.kind = root.querySelector("[data-chart-kind]");
    this.seat = root.querySelector("[data-chart-seat]");
    this.table = root.querySelector("[data-chart-table]");
    this.title = root.querySelector(".a-time h2");
    this.score = this.title.textContent;
    this.place = 0;
    for (const select of [this.kind, this.seat]) select.addEventListener("change", () => this.draw());
    new IntersectionObserver((seen, watcher) => {
      if (!seen.some((each) => each.isIntersecting)) return;
      watcher.disconnect();
      this.#begin();
    }).observe(this.holder.closest("section"));
  }

  async #begin() {
    this.Plot = await library();
    this.root.querySelector("[data-chart-plain]").hidden = true;
    this.holder.hidden = false;
    this.draw();
    new ResizeObserver(() => this.plot?.setSize({ width: this.holder.clientWidth - 24, height: HEIGHT })).observe(this.holder);
    // Colours are painted, not styled: another theme is another painting.
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["class"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  show(place) {
    this.place = place;
    this.plot?.redraw(false);
  }

  draw() {
    if (!this.Plot) return;
    const { reel } = this;
    const kind = this.kind.value;
    const isScore = kind === "total" || kind === "source";
    this.root.querySelector("[data-chart-seats]").hidden = kind !== "source";
    this.root.querySelector("[data-chart-as-if]").hidden = !isScore;
    this.title.textContent = isScore ? this.score : this.kind.selectedOptions[0].textContent;
    const data = KINDS[kind](reel, reel.seats.map((_, at) => at + 1), Number(this.seat.value), this.table.dataset);
    const xs = data.xs ?? reel.frames.map((_, at) => at);
    const ink = style("--ink-2");
    const axis = { stroke: ink, font: "500 11px Inter, sans-serif", grid: { stroke: style("--line"), width: 1 }, ticks: { show: false } };
    const begun = rounds(reel);
    const short = (round) => this.table.dataset.shortRound.replace("#", round);
    this.plot?.destroy();
    this.plot = new this.Plot({
      width: this.holder.clientWidth - 24, height: HEIGHT, scales: { x: { time: false } }, legend: { live: false },
      cursor: { drag: { x: false, y: false } },
      axes: [
        data.byPlace ? { ...axis, splits: () => begun.map(([, at]) => at), values: () => begun.map(([round]) => short(round)) }
          : { ...axis, values: (_, at) => at.map((round) => (Number.isInteger(round) ? short(round) : "")) },
        { ...axis, size: 44 },
      ],
      series: [{}, ...data.lines.map(({ name, stroke }) => ({
        label: name, stroke: style(stroke), width: 2, paths: data.areDots ? () => null : data.byPlace ? this.Plot.paths.stepped({ align: 1 }) : undefined,
        points: { show: data.areDots || !data.byPlace, size: data.areDots ? 4 : 7, fill: style(stroke), width: 0 },
      }))],
      hooks: {
        draw: data.byPlace ? [(plot) => this.#head(plot)] : [],
        ready: data.byPlace ? [(plot) => plot.over.addEventListener("click", () => {
          if (plot.cursor.idx !== null) this.seek(plot.cursor.idx);
        })] : [],
      },
    }, [xs, ...data.lines.map(({ values }) => values)], this.holder);
    this.#tell(data);
  }

  /** The playhead; what is to come is veiled. */
  #head(plot) {
    const { ctx } = plot;
    const { left, top, width, height } = plot.bbox;
    const at = plot.valToPos(this.place, "x", true);
    ctx.save();
    ctx.globalAlpha = 0.6;
    ctx.fillStyle = style("--panel");
    ctx.fillRect(at, top, left + width - at, height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = style("--accent");
    ctx.fillRect(at - devicePixelRatio, top, 2 * devicePixelRatio, height);
    ctx.restore();
  }

  #tell(data) {
    const row = (cells, name) => {
      const line = document.createElement("tr");
      line.append(...cells.map((text, at) => {
        const cell = document.createElement(name === "th" || at === 0 ? "th" : "td");
        cell.scope = name === "th" ? "col" : "row";
        if (cell.tagName === "TD") cell.removeAttribute("scope");
        cell.textContent = text;
        return cell;
      }));
      return line;
    };
    const head = document.createElement("thead");
    const body = document.createElement("tbody");
    head.append(row([data.head ? "" : this.table.dataset.round, ...(data.head ?? data.lines.map(({ name }) => name))], "th"));
    body.append(...data.rows.map((cells) => row(cells)));
    this.table.replaceChildren(head, body);
    const leads = this.reel.frames.flatMap((frame) => frame.marks ?? []).filter(([kind]) => kind === "lead").length;
    this.root.querySelector("[data-leads]:not(table)").textContent = this.table.dataset.leads.replace("%(n)s", leads);
  }
}

/** The charts of a page that has them; null where hands are hidden. */
export function showCharts(root, reel, seek) {
  return root.querySelector("[data-chart]") && reel.frames[0].table && reel.frames[1]?.options ? new Charts(root, reel, seek) : null;
}
