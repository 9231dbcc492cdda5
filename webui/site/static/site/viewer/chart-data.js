// What the frames say in numbers, for a chart and for the table beside it.

/**
 * @import { Frame } from "../../../types/frames.d.ts"
 * @import { Frames } from "./frames.js"
 * @typedef {"total" | "chance" | "source" | "bids" | "options" | "think"} Kind
 * @typedef {{ name: string, colour: string, values: (number | null)[], upper?: boolean }} Line `colour` is a custom property of the style; `upper`: the most that the values of the line before may be
 * @typedef {(string | number | null)[]} Row its head first
 * @typedef {object} ChartData
 * @property {number[] | null} rounds the rounds that x counts; null where it counts plies
 * @property {boolean} areDots
 * @property {Line[]} lines
 * @property {string[] | null} head heads of the columns; null: names of the lines, a row a round
 * @property {Row[]} rows
 * @property {string} [unit] of the values; those in percent are drawn from 0 to 100
 */

const CATEGORIES = ["gold", "viziers", "elders", "djinns", "tiles", "palms", "palaces", "goods", "artisans", "items"];

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

/** The upper median; 0 of none. @param {number[]} numbers */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/**
 * The data of a chart.
 * @param {Kind} kind
 * @param {Frames} frames
 * @param {number} seat whose points a chart by source shows
 * @param {Record<string, string | undefined>} words names of the columns `mean`, `median`, `most`, `all`
 * @param {number[][]} chances of the seats at each ply, in percent
 * @returns {ChartData}
 */
export function chartData(kind, frames, seat, words, chances = []) {
  switch (kind) {
    case "total": return totals(frames);
    case "chance": return chancesToWin(frames, chances);
    case "source": return bySource(frames, seat);
    case "bids": return paidForBids(frames);
    case "options": return dots(frames, words, ({ options }) => options ?? null, (value) => String(Math.round(value * 10) / 10));
    case "think": return dots(frames, words, ({ ms }) => (ms === undefined ? null : ms / 1000), (value) => value.toFixed(2));
  }
}

/**
 * A line for each seat, in its colour, named with its number.
 * @param {Frames} frames
 * @param {(seat: number) => (number | null)[]} values
 * @returns {Line[]}
 */
const bySeat = (frames, values) =>
  frames.seats.map((name, at) => ({ name: `${at + 1} ${name}`, colour: `--seat-${at + 1}-ink`, values: values(at + 1) }));

/**
 * A row for each round: what the lines say at its end.
 * @param {Frames} frames
 * @param {Line[]} lines
 * @returns {Row[]}
 */
const atEnds = (frames, lines) =>
  frames.rounds().map(({ round, last }) => [round, ...lines.map(({ values }) => values[last] ?? null)]);

/** @param {Frames} frames @returns {ChartData} */
function totals(frames) {
  if (frames.bounds(0, 1)) return counted(frames);
  const lines = bySeat(frames, (seat) => frames.all.map((_, ply) => frames.total(ply, seat)));
  return { rounds: null, areDots: false, lines, head: null, rows: atEnds(frames, lines) };
}

/** @param {Frames} frames @param {number[][]} chances @returns {ChartData} */
function chancesToWin(frames, chances) {
  const lines = bySeat(frames, (seat) => frames.all.map((_, ply) => chances[ply]?.[seat - 1] ?? null));
  return { rounds: null, areDots: false, lines, head: null, rows: atEnds(frames, lines), unit: "\u202f%" };
}

/** The scores of a running match so far: a line for the least that each may be, and one for the most. @param {Frames} frames @returns {ChartData} */
function counted(frames) {
  /** @param {number} seat @param {0 | 1} side */
  const values = (seat, side) => frames.all.map((_, ply) => frames.bounds(ply, seat)?.[side] ?? null);
  const lines = bySeat(frames, (seat) => values(seat, 0)).flatMap((line, at) => {
    const upper = values(at + 1, 1);
    return upper.some((most, ply) => most !== line.values[ply]) ? [line, { ...line, values: upper, upper: true }] : [line];
  });
  const rows = frames.rounds().map(({ round, last }) => [round, ...frames.seats.map((_, at) => frames.bounds(last, at + 1)?.join("–") ?? null)]);
  return { rounds: null, areDots: false, lines, head: frames.seats.map((name, at) => `${at + 1} ${name}`), rows };
}

/** @param {Frames} frames @param {number} seat @returns {ChartData} */
function bySource(frames, seat) {
  const lines = frames.sources.map((name, source) => ({
    name, colour: `--cat-${CATEGORIES[source]}`, values: frames.all.map((_, ply) => frames.points(ply, seat)?.[source] ?? null),
  })).filter(({ values }) => values.some(Boolean));
  return { rounds: null, areDots: false, lines, head: null, rows: atEnds(frames, lines) };
}

/** @param {Frames} frames @returns {ChartData} */
function paidForBids(frames) {
  const rounds = frames.rounds();
  /** @param {number} seat @param {{ first: number, last: number }} round */
  const paid = (seat, { first, last }) =>
    sum(frames.all.slice(first, last + 1).filter((frame) => frame.seat === seat).map(({ bid }) => bid ?? 0));
  const lines = bySeat(frames, (seat) => rounds.map((round) => paid(seat, round)));
  const rows = rounds.map(({ round }, at) => [round, ...lines.map(({ values }) => values[at] ?? 0)]);
  return { rounds: rounds.map(({ round }) => round), areDots: false, lines, head: null, rows };
}

/**
 * A dot for each decision, in the colour of the seat that took it.
 * @param {Frames} frames
 * @param {Record<string, string | undefined>} words
 * @param {(frame: Frame) => number | null} value
 * @param {(value: number) => string} format
 * @returns {ChartData}
 */
function dots(frames, words, value, format) {
  const lines = bySeat(frames, (seat) => frames.all.map((frame) => (frame.seat === seat ? value(frame) : null)));
  /** @type {[name: string, make: (values: number[]) => number][]} */
  const columns = [
    ["mean", (values) => sum(values) / (values.length || 1)],
    ["median", median],
    ["most", (values) => Math.max(0, ...values)],
    ["all", sum],
  ];
  return {
    rounds: null,
    areDots: true,
    lines,
    head: columns.map(([name]) => words[name] ?? ""),
    rows: lines.map(({ name, values }) => {
      const known = values.filter((each) => each !== null);
      return [name, ...columns.map(([, make]) => format(make(known)))];
    }),
  };
}

/** How often the lead changed. @param {Frames} frames */
export const leadChanges = (frames) => frames.all.flatMap(({ marks }) => marks ?? []).filter(([kind]) => kind === "lead").length;
