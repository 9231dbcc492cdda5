// What is in the box, in the order in which a set-up writes it down before it shuffles.

/** @import { Box, Tile } from "../../../types/replay.d.ts" */

/**
 * Each thing as often as the table says.
 * @template Thing
 * @param {[thing: Thing, count: number][]} table
 * @returns {Thing[]}
 */
const copies = (table) => table.flatMap(([thing, count]) => Array(count).fill(thing));

/** @param {string} kind @param {string | null} colour @param {number} value @param {string} [mountains] @returns {Tile} */
const tile = (kind, colour, value, mountains) => ({ kind, colour, value, mountains });

/** @type {[Tile, number][]} */
const TILES = [
  [tile("village", "blue", 5), 5], [tile("sacred", "blue", 6), 4], [tile("sacred", "blue", 10), 1],
  [tile("sacred", "blue", 12), 1], [tile("sacred", "blue", 15), 1], [tile("oasis", "red", 8), 6],
  [tile("small-market", "red", 6), 8], [tile("large-market", "red", 4), 4],
];
/** @type {[Tile, number][]} */
const TILES_OF_WHIMS = [[tile("city", "blue", 5), 3], [tile("city", "red", 5), 2], [tile("lake", null, 0), 1]];
/** @type {[Tile, number][]} */
const TILES_OF_ARTISANS = [
  [tile("workshop", "blue", 5, "NW"), 1], [tile("workshop", "blue", 5, "SE"), 2],
  [tile("special-market", "red", 10), 2], [tile("chasm", null, 0), 1],
];
/** @type {[string, number][]} */
const RESOURCES = [
  ["ivory", 2], ["jewels", 2], ["gold", 2], ["papyrus", 4], ["silk", 4], ["spice", 4], ["fish", 6], ["wheat", 6],
  ["pottery", 6], ["fakir", 18],
];
/** @type {[string, number][]} */
const MEEPLES = [["y", 16], ["w", 20], ["g", 18], ["b", 18], ["r", 18]];
const DJINNS = ("al-amin anun-nak baal boaz bouraq echidna enki hagis haurvatat iblis jafaar kandicha kumarbi lamia "
  + "leta marid monkir nekir shamhat sibittis sloar utug").split(" ");
/** @type {[string, number][]} */
const ITEMS = [
  ["jewelry", 4], ["treasure", 3], ["crown", 2], ["carpet", 2], ["flute", 2], ["lamp", 1], ["scimitar", 1],
  ["talisman", 1], ["horn", 1], ["ring", 1],
];
/** Names of Whim cards. @param {number} from @param {number} to */
const numbered = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `h${String(from + i).padStart(2, "0")}`);

/**
 * Everything a ruleset plays with.
 * @param {number} players
 * @param {string[]} expansions
 * @returns {Box}
 */
export function boxOf(players, expansions) {
  const whims = expansions.includes("whims"), artisans = expansions.includes("artisans");
  return {
    columns: whims && artisans ? 7 : 6,
    rows: whims || artisans ? 6 : 5,
    whims,
    artisans,
    tiles: copies([...TILES, ...(whims ? TILES_OF_WHIMS : [])]),
    inner: artisans
      ? { tiles: copies(TILES_OF_ARTISANS), others: whims ? 14 : 10, from: "B2", to: whims ? "F5" : "E5" }
      : null,
    meeples: [...MEEPLES.flatMap(([tribe, count]) => copies([[tribe, count + (whims ? 3 : 0)]])), ...copies([["p", artisans ? 15 : 0]])],
    markers: Array.from({ length: players }, (_, i) => i + 1).flatMap((seat) => (players === 2 ? [seat, seat] : [seat])),
    resources: copies(RESOURCES),
    djinns: [...DJINNS, ...(artisans ? ["geb", "ptah"] : []), ...(whims ? ["kali", "ganesha"] : [])],
    whimCards: whims ? numbered(1, artisans ? 22 : 19) : [],
    items: artisans ? copies(ITEMS) : [],
    camels: players === 2 ? 11 : 8,
    spots: players === 5 ? 12 : 9,
  };
}
