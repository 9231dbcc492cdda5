// Analysis: a chart of the match and the same numbers as a table.

import { all, maybe, one } from "../dom.js";
import { chartData, leadChanges } from "./chart-data.js";

/**
 * @import uPlot from "uplot"
 * @import { ChartData, Kind, Line, Row } from "./chart-data.js"
 * @import { Frames } from "./frames.js"
 */

const HEIGHT = 262;
const GROWS_AFTER = 400; // ms
const LABELS = 128; // room for the labels at the ends of lines, pixels
const APART = 15; // of two labels, pixels
const LONGEST = 14; // letters of a name in a label

/**
 * Where labels stand that want to be at these heights, from the top down, so that none covers another.
 * @param {number[]} heights
 * @param {number} least the height of the topmost at most
 */
export function spreadOut(heights, least) {
  const places = [...heights];
  let free = least;
  for (const at of [...heights.keys()].sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0))) {
    places[at] = Math.max(heights[at] ?? 0, free);
    free = (places[at] ?? 0) + APART;
  }
  return places;
}

/** A custom property of the page's style. @param {string} name */
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** @type {Promise<typeof uPlot> | null} */
let loading = null;

/** uPlot, when it is wanted for the first time. */
function library() {
  loading ??= new Promise((resolve, reject) => {
    const folder = new URL("../../vendor/uplot/", import.meta.url);
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = `${folder}uPlot.min.css`;
    const script = document.createElement("script");
    script.src = `${folder}uPlot.iife.min.js`;
    script.onload = () => resolve(Reflect.get(window, "uPlot"));
    script.onerror = () => reject(new Error(script.src));
    document.head.append(sheet, script);
  });
  return loading;
}

export class Charts {
  /**
   * @param {HTMLElement} root
   * @param {Frames} frames
   * @param {(ply: number) => void} seek called with the ply that is clicked at
   */
  constructor(root, frames, seek) {
    this.root = root;
    this.frames = frames;
    this.seek = seek;
    this.holder = one(root, "[data-chart]", HTMLElement);
    this.kind = one(root, "[data-chart-kind]", HTMLSelectElement);
    this.seat = one(root, "[data-chart-seat]", HTMLSelectElement);
    this.table = one(root, "[data-chart-table]", HTMLTableElement);
    this.title = one(root, ".area-chart h2", HTMLElement);
    this.score = this.title.dataset.score ?? "";
    /** @type {number[][]} */
    this.chances = JSON.parse(one(root, ".area-chart", HTMLElement).dataset.chances ?? "[]");
    this.tabs = all(root, "[data-chart-tab]", HTMLAnchorElement);
    this.ply = 0;
    /** @type {typeof uPlot | null} */
    this.Plot = null;
    /** @type {uPlot | null} */
    this.plot = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.due = undefined;
    for (const select of [this.kind, this.seat]) select.addEventListener("change", () => this.draw());
    for (const tab of this.tabs) tab.addEventListener("click", (event) => this.#choose(event, tab.dataset.chartTab ?? ""));
    new IntersectionObserver((seen, watcher) => {
      if (!seen.some((each) => each.isIntersecting)) return;
      watcher.disconnect();
      this.#begin();
    }).observe(one(root, ".area-chart", HTMLElement));
  }

  async #begin() {
    this.Plot = await library();
    one(this.root, "[data-chart-plain]", HTMLElement).hidden = true;
    this.holder.hidden = false;
    this.draw();
    new ResizeObserver(() => this.plot?.setSize(this.#size())).observe(this.holder);
    // Colours are painted, not styled: another theme is another painting.
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["class"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** A tab chooses its kind of chart here, once there is one to draw on. @param {MouseEvent} event @param {string} kind */
  #choose(event, kind) {
    if (!this.Plot || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    this.kind.value = kind;
    this.draw();
  }

  #size() { return { width: this.holder.clientWidth - 24, height: HEIGHT }; }

  /** @param {number} ply */
  show(ply) {
    this.ply = ply;
    this.plot?.redraw(false);
  }

  /** There are more frames; drawn anew soon, once for all that come together. */
  grow() {
    clearTimeout(this.due);
    this.due = setTimeout(() => this.draw(), GROWS_AFTER);
  }

  draw() {
    if (!this.Plot) return;
    const kind = /** @type {Kind} */ (this.kind.value);
    const isScore = kind === "total" || kind === "source";
    one(this.root, "[data-chart-seats]", HTMLElement).hidden = kind !== "source";
    one(this.root, "[data-chart-as-if]", HTMLElement).hidden = !isScore;
    for (const noise of all(this.root, "[data-chart-noise]", HTMLElement)) noise.hidden = kind !== "chance";
    for (const tab of this.tabs) {
      if (tab.dataset.chartTab === kind) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
    this.title.textContent = isScore ? this.score : this.kind.selectedOptions[0]?.textContent ?? "";
    const data = chartData(kind, this.frames, Number(this.seat.value), this.table.dataset, this.chances);
    this.plot?.destroy();
    const xs = data.rounds ?? this.frames.all.map((_, ply) => ply);
    this.plot = new this.Plot(this.#options(this.Plot, data), [xs, ...data.lines.map(({ values }) => values)], this.holder);
    this.#tell(data);
  }

  /** @param {typeof uPlot} Plot @param {ChartData} data @returns {uPlot.Options} */
  #options(Plot, { rounds, areDots, lines, unit }) {
    const isByPly = rounds === null;
    /** @type {uPlot.Axis} */
    const axis = {
      stroke: style("--ink-2"), font: "500 11px Inter, sans-serif", grid: { stroke: style("--line"), width: 1 }, ticks: { show: false },
    };
    const begun = this.frames.rounds();
    /** @param {number} round */
    const short = (round) => (this.table.dataset.shortRound ?? "").replace("#", String(round));
    const paths = areDots ? () => null : isByPly ? Plot.paths.stepped?.({ align: 1 }) : undefined;
    const hasEnds = isByPly && !areDots;
    return {
      ...this.#size(),
      ...(hasEnds && { padding: [8, LABELS, 0, 0] }),
      scales: { x: { time: false }, ...(unit && { y: { range: [0, 100] } }) },
      legend: { live: false },
      cursor: { drag: { x: false, y: false } },
      axes: [
        isByPly ? { ...axis, splits: () => begun.map(({ first }) => first), values: () => begun.map(({ round }) => short(round)) }
          : { ...axis, values: (_, at) => at.map((round) => (Number.isInteger(round) ? short(round) : "")) },
        { ...axis, size: 44, ...(unit && { values: (_, at) => at.map((value) => `${value}${unit}`) }) },
      ],
      bands: lines.flatMap(({ upper, colour }, at) => (upper ? [{ series: [at + 1, at], fill: `${style(colour)}33` }] : [])),
      series: [{}, ...lines.map(({ name, colour, upper }) => ({
        label: upper ? `≤ ${name}` : name,
        stroke: style(colour),
        width: upper ? 1 : 2,
        ...(paths && { paths }),
        points: { show: areDots || !isByPly, size: areDots ? 4 : 7, fill: style(colour), width: 0 },
      }))],
      hooks: isByPly ? {
        draw: [(plot) => { this.#paintHead(plot); if (hasEnds) this.#paintEnds(plot, lines, unit); }],
        ready: [(plot) => plot.over.addEventListener("click", () => {
          if (typeof plot.cursor.idx === "number") this.seek(plot.cursor.idx);
        })],
      } : {},
    };
  }

  /** The playhead; what is to come is veiled. @param {uPlot} plot */
  #paintHead(plot) {
    const { ctx } = plot;
    const { left, top, width, height } = plot.bbox;
    const at = plot.valToPos(this.ply, "x", true);
    ctx.save();
    ctx.globalAlpha = 0.6;
    ctx.fillStyle = style("--panel");
    ctx.fillRect(at, top, left + width - at, height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = style("--accent");
    ctx.fillRect(at - devicePixelRatio, top, 2 * devicePixelRatio, height);
    ctx.restore();
  }

  /** The last value of each line with its name, beside its end. @param {uPlot} plot @param {Line[]} lines @param {string} unit */
  #paintEnds(plot, lines, unit = "") {
    const { ctx } = plot;
    const { left, top, width } = plot.bbox;
    const named = lines.filter(({ upper }) => !upper);
    const ends = named.map(({ values }) => values.at(-1) ?? 0);
    /** @param {number} at */
    const most = (at) => { const line = lines[lines.indexOf(/** @type {Line} */ (named[at])) + 1]; return line?.upper ? line.values.at(-1) : null; };
    const places = spreadOut(ends.map((value) => plot.valToPos(value, "y")), 0);
    ctx.save();
    ctx.font = `600 ${12 * devicePixelRatio}px Inter, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    named.forEach(({ name, colour }, at) => {
      ctx.fillStyle = style(colour);
      const high = most(at) ?? ends[at];
      const short = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
      ctx.fillText(`${ends[at]}${high === ends[at] ? "" : `–${high}`}${unit}  ${short}`, left + width + 8 * devicePixelRatio, top + (places[at] ?? 0) * devicePixelRatio);
    });
    ctx.restore();
  }

  /** @param {ChartData} data */
  #tell({ head, lines, rows }) {
    const words = this.table.dataset;
    const heads = head ? ["", ...head] : [words.round ?? "", ...lines.map(({ name }) => name)];
    const top = document.createElement("thead");
    const body = document.createElement("tbody");
    top.append(row(heads, "col"));
    body.append(...rows.map((cells) => row(cells, "row")));
    this.table.replaceChildren(top, body);
    if (this.frames.scores[0]) one(this.root, "[data-leads]:not(table)", HTMLElement).textContent =
      (words.leads ?? "").replace("%(n)s", String(leadChanges(this.frames)));
  }
}

/**
 * A row of a table: heads of columns, or a head and numbers.
 * @param {Row} texts
 * @param {"col" | "row"} scope
 */
function row(texts, scope) {
  const line = document.createElement("tr");
  line.append(...texts.map((text, at) => {
    const cell = document.createElement(scope === "col" || at === 0 ? "th" : "td");
    if (cell.tagName === "TH") cell.scope = scope;
    cell.textContent = text === null ? "" : String(text);
    return cell;
  }));
  return line;
}

/**
 * The charts of a page that has them; null where hands are hidden.
 * @param {HTMLElement} root
 * @param {Frames} frames
 * @param {(ply: number) => void} seek
 */
export function showCharts(root, frames, seek) {
  const isKnown = (frames.scores[0] && frames.all[1]?.options) || frames.bounds(0, 1);
  return isKnown && maybe(root, "[data-chart]", HTMLElement) ? new Charts(root, frames, seek) : null;
}
