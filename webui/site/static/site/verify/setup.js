// The first position of a game from its seed and its deal: the same document that a replay holds as `setup`.

import {
  BOXES, DJINN_ROW, IMPASSABLE, MEEPLES_PER_TILE, PALACES, PALMS, RESOURCE_ROW, RESOURCES, SEATINGS, START_GOLD,
  TILES_OF_ARTISANS, TRIBES,
} from "./box.js";
import { Stream } from "./chance.js";

/** @type {[dx: number, dy: number][]} */
const SIDES = [[0, -1], [1, 0], [0, 1], [-1, 0]];

/** @import { Box, Inner, Tile, TileRow } from "../../../types/replay.d.ts" */

/**
 * Each thing as often as the table says.
 * @template Thing
 * @param {[thing: Thing, count: number][]} table
 * @returns {Thing[]}
 */
const copies = (table) => table.flatMap(([thing, count]) => Array(count).fill(thing));

/** @param {TileRow[]} rows @returns {Tile[]} */
const tilesOf = (rows) => copies(rows.map(([kind, colour, value, count, mountains]) => [{ kind, colour, value, mountains }, count]));

/** @param {number} column @param {number} row */
const nameOf = (column, row) => String.fromCharCode(65 + column) + (row + 1);
/** @param {string} name @param {string} from @param {string} to */
const isWithin = (name, from, to) =>
  name.charAt(0) >= from.charAt(0) && name.charAt(0) <= to.charAt(0) && name.charAt(1) >= from.charAt(1) && name.charAt(1) <= to.charAt(1);

/** @param {string} name @param {number} dx @param {number} dy */
const neighbour = (name, dx, dy) => String.fromCharCode(name.charCodeAt(0) + dx) + (Number(name[1]) + dy);

/**
 * The top of a pile, which is taken off.
 * @template Item
 * @param {Item[]} pile
 */
function takeTop(pile) {
  const item = pile.shift();
  if (item === undefined) throw new RangeError("the pile is empty");
  return item;
}

/**
 * Tiles are laid anew until every passable one can be walked to. Gives a map from tile name to tile.
 * @param {Box} box
 * @param {Stream} dealer
 */
function lay(box, dealer) {
  /** @type {string[]} */
  const names = [];
  for (let row = 0; row < box.rows; row++) {
    for (let column = 0; column < box.columns; column++) names.push(nameOf(column, row));
  }
  for (;;) {
    const tiles = dealer.shuffle(tilesOf(box.tiles));
    const laid = new Map(box.inner ? layAround(box.inner, tiles, names, dealer) : names.map((name) => [name, takeTop(tiles)]));
    if (isConnected(laid)) return laid;
  }
}

/**
 * The tiles of Artisans lie in the inner block, with others.
 * @param {Inner} block
 * @param {Tile[]} tiles
 * @param {string[]} names
 * @param {Stream} dealer
 * @returns {[string, Tile][]}
 */
function layAround({ others, from, to }, tiles, names, dealer) {
  const inner = dealer.shuffle([...tiles.slice(0, others), ...tilesOf(TILES_OF_ARTISANS)]);
  const border = tiles.slice(others);
  return names.map((name) => [name, takeTop(isWithin(name, from, to) ? inner : border)]);
}

/** @param {Map<string, Tile>} laid */
function isConnected(laid) {
  const passable = [...laid].filter(([, { kind }]) => !IMPASSABLE.includes(kind)).map(([name]) => name);
  const walls = new Set();
  for (const [name, { mountains }] of laid) {
    if (!mountains) continue;
    const side = mountains === "NW" ? -1 : 1;
    for (const other of [neighbour(name, 0, side), neighbour(name, side, 0)]) walls.add(name + other).add(other + name);
  }
  const reached = new Set(passable.slice(0, 1));
  for (const here of reached) {
    for (const [dx, dy] of SIDES) {
      const next = neighbour(here, dx, dy);
      if (passable.includes(next) && !walls.has(here + next)) reached.add(next); // a Set grows while it is walked
    }
  }
  return reached.size === passable.length;
}

/**
 * The set-up of a ruleset, and the stream that all later chance comes from.
 * @param {number} players
 * @param {string[]} expansions
 * @param {Uint8Array} seed
 * @param {Uint8Array | null} deal
 */
export function setUp(players, expansions, seed, deal) {
  const seating = SEATINGS[players], box = BOXES[expansions.join("+")];
  if (!seating || !box) throw new RangeError("the arena has no such ruleset");
  const hasArtisans = expansions.includes("artisans"), hasWhims = expansions.includes("whims");
  const stream = new Stream(seed);
  const dealer = deal ? new Stream(deal) : stream;
  const laid = lay(box, dealer);
  const meeples = dealer.shuffle(copies(box.meeples));
  const markers = dealer.shuffle(Array.from({ length: players }, (_, i) => Array(seating.markers).fill(i + 1)).flat());
  const resources = dealer.shuffle(copies(RESOURCES));
  const djinns = dealer.shuffle(box.djinns);
  const whims = dealer.shuffle(box.whims);
  const items = dealer.shuffle(copies(box.items));

  /** @type {Record<string, object>} */
  const tiles = {};
  for (const [name, { kind, colour, value, mountains }] of laid) {
    const group = IMPASSABLE.includes(kind) ? [] : meeples.splice(0, MEEPLES_PER_TILE);
    const text = group.sort((a, b) => TRIBES.indexOf(a) - TRIBES.indexOf(b)).join("") || "-";
    tiles[name] = {
      kind, value, colour, meeples: text, owner: null, palms: 0, palaces: 0,
      ...(kind === "city" ? { whim: whims.shift() ?? null } : {}),
      ...(mountains ? { mountains } : {}),
    };
  }
  // With a deal only what lies open is shared by the games of a block: what is hidden is shuffled again.
  /** @param {string[]} pile */
  const hidden = (pile) => (deal ? stream.shuffle(pile) : pile);
  const deck = hidden(resources.slice(RESOURCE_ROW));
  const djinnDeck = hidden(djinns.slice(DJINN_ROW));
  const whimDeck = hidden(whims);
  const pile = hidden(items);

  const position = {
    format: "naqala/position/1", players, expansions, round: 1, phase: "bid", to_act: markers[0], ending: null,
    board: { columns: box.columns, rows: box.rows, tiles },
    bag: "-",
    resources: { row: resources.slice(0, RESOURCE_ROW), deck, discard: [] },
    djinns: { row: djinns.slice(0, DJINN_ROW), deck: djinnDeck, discard: [] },
    supply: { palms: PALMS, palaces: PALACES },
    seats: Array.from({ length: players }, () => ({
      gold: START_GOLD, camels: seating.camels, viziers: 0, elders: 0, hand: {}, djinns: [], used: [],
      ...(hasArtisans ? { artisans: 0, tent: box.tents, items: [] } : {}),
      ...(hasWhims ? { whims: { open: [], paid: [] } } : {}),
    })),
    bid_order: markers,
    turn_track: Array(seating.spots).fill(null),
    turn: null,
    ...(hasWhims ? { whims: { deck: whimDeck } } : {}),
    ...(hasArtisans ? { items: { pile, discard: [] } } : {}),
  };
  return { position, stream };
}
