/** What the browser reads of a published replay and of its proof. The values are checked, not trusted. */

export interface Ruleset {
  players: number;
  expansions: string[];
}

/** An event of the log: the seat (0: chance), its text, and what is not checked here. */
export type Event = [seat: number, text: string, ...rest: unknown[]];

/** `replay.json`; seeds, nonces and the commitment are hex digits. */
export interface Replay {
  format: string;
  rules: string;
  ruleset: Ruleset;
  seed: string;
  deal?: string | null;
  server_seed?: string | null;
  commitment?: string | null;
  nonces: string[];
  nonce_hashes: string[];
  setup: unknown;
  events: Event[];
  result: unknown;
}

/** What a draw was made from: a number of meeples of the bag, or the cards that are shuffled. */
export type Urn = { bag: string; count: number } | { cards: string[] };

/** `proof.json`: what only the rules can tell. */
export interface Proof {
  /** By index, the first hex digits of the digest of all events so far. */
  chain: string[];
  /** By index, what was drawn from. */
  urns: Record<string, Urn>;
  result: unknown;
  /** Where the rules could not go on. */
  fault: { index: number; code: string; message: string } | null;
}

export interface Tile {
  kind: string;
  colour: string | null;
  value: number;
  mountains: string | null;
}

/** A row of the table of tiles: kind, colour, value, number of copies, sides with mountains. */
export type TileRow = [kind: string, colour: string | null, value: number, copies: number, mountains: string | null];

/** What the number of players decides. `markers` are those of one seat. */
export interface Seating {
  camels: number;
  markers: number;
  spots: number;
}

/** What the expansions in play decide. Tables list things with the number of their copies. */
export interface Box {
  columns: number;
  rows: number;
  tiles: TileRow[];
  /** The corners of the block that holds the tiles of Artisans, and how many other tiles lie there. */
  inner: Inner | null;
  meeples: [tribe: string, copies: number][];
  djinns: string[];
  whims: string[];
  items: [item: string, copies: number][];
  tents: number;
}

export interface Inner {
  from: string;
  to: string;
  others: number;
}
