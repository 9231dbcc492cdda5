// What is in the box, in the order in which a set-up writes it down before it shuffles.
// Generated from the tables in arena/rules by `make box`; do not edit.

/** @import { Box, Seating, TileRow } from "../../../types/replay.d.ts" */

export const START_GOLD = 50;
export const PALMS = 12;
export const PALACES = 10;
export const RESOURCE_ROW = 9;
export const DJINN_ROW = 3;
export const MEEPLES_PER_TILE = 3;
export const TRIBES = "ywgbrp";
export const IMPASSABLE = ["lake", "chasm"];
/** The cards, and how many there are of each. @type {[string, number][]} */
export const RESOURCES = [
  ["ivory", 2], ["jewels", 2], ["gold", 2], ["papyrus", 4], ["silk", 4], ["spice", 4], ["fish", 6], ["wheat", 6],
  ["pottery", 6], ["fakir", 18],
];
/** Kind, colour, value, number of copies, sides with mountains. @type {TileRow[]} */
export const TILES_OF_ARTISANS = [
  ["workshop", "blue", 5, 1, "NW"], ["workshop", "blue", 5, 2, "SE"], ["special-market", "red", 10, 2, null],
  ["chasm", null, 0, 1, null],
];

/** By the number of players. @type {Record<string, Seating>} */
export const SEATINGS = {
  "2": {"camels": 11, "markers": 2, "spots": 9},
  "3": {"camels": 8, "markers": 1, "spots": 9},
  "4": {"camels": 8, "markers": 1, "spots": 9},
  "5": {"camels": 8, "markers": 1, "spots": 12},
};

/** By the expansions in play, joined by "+". @type {Record<string, Box>} */
export const BOXES = {
  "": {
    columns: 6,
    rows: 5,
    tiles: [
      ["village", "blue", 5, 5, null], ["sacred", "blue", 6, 4, null], ["sacred", "blue", 10, 1, null],
      ["sacred", "blue", 12, 1, null], ["sacred", "blue", 15, 1, null], ["oasis", "red", 8, 6, null],
      ["small-market", "red", 6, 8, null], ["large-market", "red", 4, 4, null],
    ],
    inner: null,
    meeples: [
      ["y", 16], ["w", 20], ["g", 18], ["b", 18], ["r", 18], ["p", 0],
    ],
    djinns: [
      "al-amin", "anun-nak", "baal", "boaz", "bouraq", "echidna", "enki", "hagis", "haurvatat", "iblis", "jafaar",
      "kandicha", "kumarbi", "lamia", "leta", "marid", "monkir", "nekir", "shamhat", "sibittis", "sloar", "utug",
    ],
    whims: [],
    items: [],
    tents: 0,
  },
  "artisans": {
    columns: 6,
    rows: 6,
    tiles: [
      ["village", "blue", 5, 5, null], ["sacred", "blue", 6, 4, null], ["sacred", "blue", 10, 1, null],
      ["sacred", "blue", 12, 1, null], ["sacred", "blue", 15, 1, null], ["oasis", "red", 8, 6, null],
      ["small-market", "red", 6, 8, null], ["large-market", "red", 4, 4, null],
    ],
    inner: {"from": "B2", "to": "E5", "others": 10},
    meeples: [
      ["y", 16], ["w", 20], ["g", 18], ["b", 18], ["r", 18], ["p", 15],
    ],
    djinns: [
      "al-amin", "anun-nak", "baal", "boaz", "bouraq", "echidna", "enki", "hagis", "haurvatat", "iblis", "jafaar",
      "kandicha", "kumarbi", "lamia", "leta", "marid", "monkir", "nekir", "shamhat", "sibittis", "sloar", "utug", "geb",
      "ptah",
    ],
    whims: [],
    items: [
      ["jewelry", 4], ["treasure", 3], ["crown", 2], ["carpet", 2], ["flute", 2], ["lamp", 1], ["scimitar", 1],
      ["talisman", 1], ["horn", 1], ["ring", 1],
    ],
    tents: 1,
  },
  "whims": {
    columns: 6,
    rows: 6,
    tiles: [
      ["village", "blue", 5, 5, null], ["sacred", "blue", 6, 4, null], ["sacred", "blue", 10, 1, null],
      ["sacred", "blue", 12, 1, null], ["sacred", "blue", 15, 1, null], ["oasis", "red", 8, 6, null],
      ["small-market", "red", 6, 8, null], ["large-market", "red", 4, 4, null], ["city", "blue", 5, 3, null],
      ["city", "red", 5, 2, null], ["lake", null, 0, 1, null],
    ],
    inner: null,
    meeples: [
      ["y", 19], ["w", 23], ["g", 21], ["b", 21], ["r", 21], ["p", 0],
    ],
    djinns: [
      "al-amin", "anun-nak", "baal", "boaz", "bouraq", "echidna", "enki", "hagis", "haurvatat", "iblis", "jafaar",
      "kandicha", "kumarbi", "lamia", "leta", "marid", "monkir", "nekir", "shamhat", "sibittis", "sloar", "utug",
      "kali", "ganesha",
    ],
    whims: [
      "h01", "h02", "h03", "h04", "h05", "h06", "h07", "h08", "h09", "h10", "h11", "h12", "h13", "h14", "h15", "h16",
      "h17", "h18", "h19",
    ],
    items: [],
    tents: 0,
  },
  "artisans+whims": {
    columns: 7,
    rows: 6,
    tiles: [
      ["village", "blue", 5, 5, null], ["sacred", "blue", 6, 4, null], ["sacred", "blue", 10, 1, null],
      ["sacred", "blue", 12, 1, null], ["sacred", "blue", 15, 1, null], ["oasis", "red", 8, 6, null],
      ["small-market", "red", 6, 8, null], ["large-market", "red", 4, 4, null], ["city", "blue", 5, 3, null],
      ["city", "red", 5, 2, null], ["lake", null, 0, 1, null],
    ],
    inner: {"from": "B2", "to": "F5", "others": 14},
    meeples: [
      ["y", 19], ["w", 23], ["g", 21], ["b", 21], ["r", 21], ["p", 15],
    ],
    djinns: [
      "al-amin", "anun-nak", "baal", "boaz", "bouraq", "echidna", "enki", "hagis", "haurvatat", "iblis", "jafaar",
      "kandicha", "kumarbi", "lamia", "leta", "marid", "monkir", "nekir", "shamhat", "sibittis", "sloar", "utug", "geb",
      "ptah", "kali", "ganesha",
    ],
    whims: [
      "h01", "h02", "h03", "h04", "h05", "h06", "h07", "h08", "h09", "h10", "h11", "h12", "h13", "h14", "h15", "h16",
      "h17", "h18", "h19", "h20", "h21", "h22",
    ],
    items: [
      ["jewelry", 4], ["treasure", 3], ["crown", 2], ["carpet", 2], ["flute", 2], ["lamp", 1], ["scimitar", 1],
      ["talisman", 1], ["horn", 1], ["ring", 1],
    ],
    tents: 1,
  },
};
