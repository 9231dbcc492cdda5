// What the server tells the viewer about a match: the fields are those of webui/replays/frame.schema.json, which a test compares.

/** How the text of a part changes: `[n, m, middle]` keeps the first n and last m characters; `{i: piece}` replaces pieces. */
export type Change = [first: number, last: number, middle: string] | Record<string, string>;

export type MotionKind = "pick" | "carry" | "drop" | "lift" | "arrive" | "leave";

/** Symbols that move from one part to another, and the seat whose colour they have (0: none). */
export type Motion = [kind: MotionKind, symbol: string, from: string, to: string, count: number, seat: number];

/** A mark on the timeline: its kind, the seat, its title. */
export type Mark = [kind: "capture" | "djinn" | "fault" | "lead", seat: number, title: string];

/** What everybody may see of a ply: the position after a decision, or before the first. */
export interface PublicFrame {
  round: number;
  /** The seat to act next; 0 when the match is over. */
  act: number;
  /** Index of the event that follows; none before the first decision. */
  d?: number;
  /** The seat that decided. */
  seat?: number;
  /** 1 where a turn starts. */
  turn?: 1;
  motions?: Motion[];
  marks?: Mark[];
  /** While scores are hidden the least and the most that they may be, of each seat for which that has changed. */
  bounds?: Record<string, [low: number, high: number]>;
}

/** One ply of a match, with what is known after its end. */
export interface Frame extends PublicFrame {
  /** Points by source of each seat whose points have changed. */
  scores?: Record<string, number[]>;
  /** How many actions were legal. */
  options?: number;
  /** Gold paid for a bid. */
  bid?: number;
  /** Think time, milliseconds. */
  ms?: number;
}

/** One ply of a running match. */
export interface LiveFrame extends PublicFrame {
  /** The version of the schema. */
  v: number;
  parts: Record<string, Change>;
  /** The decision in the move list as HTML: the first of a turn in its turn, after the line of a round that begins. */
  move?: string;
  /** Where a turn goes on, the line of the turn with this decision, as HTML. */
  fold?: string;
  /** How many decisions there are, in words. */
  count?: string;
}

/** The frames of a match, value by value: for each field one value a ply, null where a frame has none. */
export type FrameColumns = { [Field in keyof Frame]-?: (NonNullable<Frame[Field]> | null)[] };

/** `frames.json`. */
export interface FramesDocument {
  /** The version of the schema. */
  v: number;
  frames: Partial<FrameColumns> & Pick<FrameColumns, "d" | "round" | "act">;
  /** For each part what changed, each time after the number of plies since its last change. */
  parts: Record<string, (number | Change)[]>;
  /** Names of the sources of points. */
  sources: string[];
  /** Names of the bots, seat 1 first. */
  seats: string[];
  is_over: boolean;
}

/** How long the seat to act has been asked, and the most that it may take, milliseconds. */
export interface ThinkTime {
  ms: number;
  most: number;
}
