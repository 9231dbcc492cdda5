// Of what gifenc offers, what is used here.

export type Palette = number[][];

export interface Frame {
  palette?: Palette;
  delay?: number;
  repeat?: number;
  transparent?: boolean;
  transparentIndex?: number;
  dispose?: number;
}

export interface Encoder {
  writeFrame(index: Uint8Array, width: number, height: number, frame?: Frame): void;
  finish(): void;
  bytes(): Uint8Array<ArrayBuffer>;
}

export function GIFEncoder(): Encoder;
export function quantize(rgba: Uint8Array | Uint8ClampedArray, colours: number): Palette;
export function applyPalette(rgba: Uint8Array | Uint8ClampedArray, palette: Palette): Uint8Array;
