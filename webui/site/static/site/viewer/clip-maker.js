// Draws the shots of a clip and writes them as a looping GIF, in the browser alone. GIF, since it loops wherever a picture is
// shown, and since it is written as fast as it is drawn, alike in every browser: a recording of a canvas takes as long as it
// lasts, and Chromium and Firefox write other films. The site's content policy allows what this needs as it is: the
// drawings and the preview are pictures at `data:` addresses.

import { GIFEncoder, applyPalette, quantize } from "../../vendor/gifenc/gifenc.esm.js";
import { all, drawn, one, rendered } from "../dom.js";
import { Table } from "./table.js";

/**
 * @import { Shot } from "./clip-plan.js"
 * @import { Frames } from "./frames.js"
 */

const WIDTH = 600;
const STRIP = 44; // pixels over the board: the seats with their points
const SAID = 62; // pixels under the board: the decision, and where it is from
const MARGIN = 10;
const COLOURS = 255; // and one for what has not changed
const SAME = 255;
const SAMPLES = 4; // shots that the palette is made of

/** @param {string} name */
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The rules of the page's style sheets that are in force now. @param {CSSRuleList} rules @returns {CSSStyleRule[]} */
function inForce(rules) {
  return [...rules].flatMap((rule) => {
    if (rule instanceof CSSStyleRule) return [rule];
    if (rule instanceof CSSMediaRule && matchMedia(rule.conditionText).matches) return inForce(rule.cssRules);
    return [];
  });
}

/** A board of its own, which is drawn as a picture: with the rules and the drawings that it needs, and no other. */
class Picture {
  /** @param {Frames} frames @param {SVGSVGElement} board */
  constructor(frames, board) {
    this.frames = frames;
    this.holder = document.createElement("div");
    this.holder.append(board.cloneNode(true));
    this.board = one(this.holder, "svg.board", SVGSVGElement);
    this.table = new Table(this.holder);
    const { width, height } = this.board.viewBox.baseVal;
    this.height = Math.round((WIDTH * height) / width);
    this.board.setAttribute("width", String(WIDTH));
    this.board.setAttribute("height", String(this.height));
    this.rules = [...document.styleSheets].flatMap((sheet) => inForce(sheet.cssRules));
    this.style = drawn("style", {});
    this.symbols = drawn("defs", {});
    this.board.prepend(this.style, this.symbols);
  }

  /** @param {number} ply @returns {Promise<HTMLImageElement>} */
  async at(ply) {
    this.table.show(this.frames.table(ply));
    for (const tile of all(this.board, ".tile", SVGElement)) tile.removeAttribute("tabindex");
    const names = new Set(all(this.board, "use", SVGUseElement).map(({ href }) => href.baseVal.slice(1)));
    this.symbols.replaceChildren(...[...names].map((name) => document.getElementById(name)?.cloneNode(true)).filter((each) => each !== undefined));
    this.style.textContent = this.#css();
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(this.board))}`;
    await image.decode();
    return image;
  }

  #css() {
    const used = this.rules.filter(({ selectorText }) => {
      try { return this.holder.querySelector(selectorText) !== null; } catch { return false; }
    }).map(({ cssText }) => cssText).join("\n");
    const names = new Set(`${used}${new XMLSerializer().serializeToString(this.symbols)}`.match(/--[\w-]+/g));
    const values = [...names].map((name) => [name, token(name)]).filter(([, value]) => value).map(([name, value]) => `${name}:${value}`);
    return `svg.board{${values.join(";")}}\n${used}`;
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} width */
function cut(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let kept = text;
  while (kept && ctx.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1);
  return `${kept}…`;
}

/** A text in at most two lines. @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} width */
function twoLines(ctx, text, width) {
  const words = text.split(/\s+/);
  let line = "";
  while (words.length && ctx.measureText(`${line} ${words[0]}`).width <= width) line = `${line} ${words.shift()}`.trim();
  return words.length ? [line || cut(ctx, text, width), cut(ctx, words.join(" "), width)] : [line];
}

class Painter {
  /** @param {Frames} frames @param {Picture} picture @param {string} source where the clip is from */
  constructor(frames, picture, source) {
    this.frames = frames;
    this.picture = picture;
    this.source = source;
    this.canvas = document.createElement("canvas");
    this.canvas.width = WIDTH;
    this.canvas.height = STRIP + picture.height + SAID;
    const ctx = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!ctx) throw new TypeError("no canvas");
    this.ctx = ctx;
  }

  /** The pixels of a ply. @param {number} ply */
  async paint(ply) {
    const { ctx, canvas, picture } = this;
    const image = await picture.at(ply);
    ctx.fillStyle = token("--page");
    ctx.fillRect(0, 0, WIDTH, canvas.height);
    this.#seats(ply);
    ctx.drawImage(image, 0, STRIP, WIDTH, picture.height);
    this.#said(ply);
    return ctx.getImageData(0, 0, WIDTH, canvas.height).data;
  }

  /** @param {number} ply */
  #seats(ply) {
    const { ctx, frames } = this;
    const each = (WIDTH - 2 * MARGIN) / frames.seats.length;
    ctx.textBaseline = "middle";
    frames.seats.forEach((name, at) => {
      const left = MARGIN + at * each;
      const mini = frames.text(`seat-${at + 1}-mini`, ply);
      const points = mini ? rendered(mini).querySelector("b")?.textContent ?? "" : "";
      ctx.fillStyle = token(`--seat-${at + 1}`);
      ctx.fillRect(left, 10, 20, 24);
      ctx.font = "700 14px Inter, sans-serif";
      ctx.textAlign = "center";
      ctx.fillStyle = token(`--on-seat-${at + 1}`);
      ctx.fillText(String(at + 1), left + 10, 22);
      ctx.textAlign = "left";
      ctx.fillStyle = token("--ink");
      ctx.fillText(points, left + 26, 22);
      const wide = ctx.measureText(`${points} `).width;
      ctx.font = "500 13px Inter, sans-serif";
      ctx.fillStyle = token("--ink-2");
      ctx.fillText(cut(ctx, name, each - 34 - wide), left + 26 + wide, 22);
    });
  }

  /** @param {number} ply */
  #said(ply) {
    const { ctx, frames, picture } = this;
    const top = STRIP + picture.height;
    const words = rendered(frames.text("caption", ply)).querySelector(".decision > span:last-child")?.textContent?.trim() ?? "";
    ctx.textAlign = "left";
    ctx.font = "500 14px Inter, sans-serif";
    ctx.fillStyle = token("--ink");
    twoLines(ctx, words.replace(/\s+/g, " "), WIDTH - 2 * MARGIN).forEach((line, at) => ctx.fillText(line, MARGIN, top + 14 + 18 * at));
    ctx.font = "500 12px Inter, sans-serif";
    ctx.fillStyle = token("--ink-2");
    ctx.fillText(cut(ctx, this.source, WIDTH - 2 * MARGIN), MARGIN, top + SAID - 11);
  }
}

/**
 * A clip as a looping GIF.
 * @param {object} of
 * @param {Frames} of.frames
 * @param {SVGSVGElement} of.board of the page
 * @param {Shot[]} of.shots
 * @param {string} of.source what stands at its edge
 * @param {(share: number) => void} of.progress
 * @param {AbortSignal} of.signal ends it early, with an AbortError
 * @returns {Promise<Blob>}
 */
export async function makeClip({ frames, board, shots, source, progress, signal }) {
  await document.fonts.ready;
  const painter = new Painter(frames, new Picture(frames, board), source);
  const { width, height } = painter.canvas;
  const palette = await mixed(painter, shots);
  const encoder = GIFEncoder();
  /** @type {Uint8Array | null} */
  let shown = null;
  for (const [at, { ply, ms }] of shots.entries()) {
    signal.throwIfAborted();
    const index = applyPalette(await painter.paint(ply), palette);
    const changed = index.slice();
    if (shown) for (let pixel = 0; pixel < index.length; pixel++) if (index[pixel] === shown[pixel]) changed[pixel] = SAME;
    encoder.writeFrame(changed, width, height, {
      delay: Math.round(ms), dispose: 1, ...(shown ? { transparent: true, transparentIndex: SAME } : { palette, repeat: 0 }),
    });
    shown = index;
    progress((at + 1) / shots.length);
    await new Promise((resolve) => { setTimeout(resolve); }); // the page stays alive
  }
  encoder.finish();
  return new Blob([encoder.bytes()], { type: "image/gif" });
}

/** A palette of all shots, from some of them. @param {Painter} painter @param {Shot[]} shots */
async function mixed(painter, shots) {
  const chosen = Array.from({ length: SAMPLES }, (_, at) => shots[Math.floor((at * (shots.length - 1)) / (SAMPLES - 1))]);
  /** @type {Uint8ClampedArray[]} */
  const samples = [];
  for (const shot of chosen) if (shot) samples.push(await painter.paint(shot.ply));
  const whole = new Uint8ClampedArray(samples.reduce((sum, { length }) => sum + length, 0));
  samples.reduce((offset, sample) => { whole.set(sample, offset); return offset + sample.length; }, 0);
  const palette = quantize(whole, COLOURS);
  while (palette.length <= SAME) palette.push([0, 0, 0]); // the last one stands for what stays
  return palette;
}
