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
  /** Missing in records from before there were hashes. */
  nonce_hashes?: string[];
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
  mountains?: string | undefined;
}

/** Everything that a ruleset plays with, in the order in which a set-up writes it down before it shuffles. */
export interface Box {
  columns: number;
  rows: number;
  whims: boolean;
  artisans: boolean;
  tiles: Tile[];
  /** The block that the tiles of Artisans are laid in. */
  inner: { tiles: Tile[]; others: number; from: string; to: string } | null;
  meeples: string[];
  markers: number[];
  resources: string[];
  djinns: string[];
  whimCards: string[];
  items: string[];
  camels: number;
  spots: number;
}
