"""The printed numbers of the base game, the Whims and the Artisans, and the numbers that the rules had to fill in."""

from functools import cache

TILES = [  # kind, colour, value, copies; in the order in which they are written before the shuffle
    ("village", "blue", 5, 5),
    ("sacred", "blue", 6, 4),
    ("sacred", "blue", 10, 1),
    ("sacred", "blue", 12, 1),
    ("sacred", "blue", 15, 1),
    ("oasis", "red", 8, 6),
    ("small-market", "red", 6, 8),
    ("large-market", "red", 4, 4),
]
WHIMS_TILES = [("city", "blue", 5, 3), ("city", "red", 5, 2), ("lake", None, 0, 1)]
INNER_TILES = [  # kind, colour, value, the sides that its mountains close
    ("workshop", "blue", 5, "NW"),
    ("workshop", "blue", 5, "SE"),
    ("workshop", "blue", 5, "SE"),
    ("special-market", "red", 10, None),
    ("special-market", "red", 10, None),
    ("chasm", None, 0, None),
]
IMPASSABLE = ("lake", "chasm")
GRIDS = {(): (6, 5), ("whims",): (6, 6), ("artisans",): (6, 6), ("artisans", "whims"): (7, 6)}

LETTERS = "ywgbrp"
MEEPLES = {"y": 16, "w": 20, "g": 18, "b": 18, "r": 18}
WHIMS_MEEPLES = 3  # so many more of each tribe
ARTISANS = 15

GOODS = ["ivory", "jewels", "gold", "papyrus", "silk", "spice", "fish", "wheat", "pottery"]
RESOURCES = {
    "ivory": 2,
    "jewels": 2,
    "gold": 2,
    "papyrus": 4,
    "silk": 4,
    "spice": 4,
    "fish": 6,
    "wheat": 6,
    "pottery": 6,
    "fakir": 18,
}
SUIT_VALUE = [0, 1, 3, 7, 13, 21, 30, 40, 50, 60]

PRICES = [18, 12, 8, 5, 3, 1, 0]
SPOT_COSTS = [18, 12, 8, 5, 3, 1, 0, 0, 0]
ENTRIES = {1: [1], 2: [2], 3: [3], 4: [4], 5: [5], 6: [6], 7: [7, 8, 9]}  # an entry spot: the cells that it fills
FIVE_SPOT_COSTS = [18, 12, 8, 5, 5, 3, 3, 1, 1, 0, 0, 0]
FIVE_ENTRIES = {1: [1], 2: [2], 3: [3], 4: [4, 5], 6: [6, 7], 8: [8, 9], 10: [10, 11, 12]}

START_GOLD = 50
CAMELS = {2: 11, 3: 8, 4: 8, 5: 8}
MARKERS = {2: [1, 1, 2, 2], 3: [1, 2, 3], 4: [1, 2, 3, 4], 5: [1, 2, 3, 4, 5]}
PALMS, PALACES = 12, 10
RESOURCE_ROW, DJINN_ROW = 9, 3

DJINNS = {  # id: printed value
    "al-amin": 5,
    "anun-nak": 8,
    "baal": 6,
    "boaz": 6,
    "bouraq": 6,
    "echidna": 4,
    "enki": 8,
    "hagis": 10,
    "haurvatat": 8,
    "iblis": 8,
    "jafaar": 6,
    "kandicha": 6,
    "kumarbi": 6,
    "lamia": 10,
    "leta": 4,
    "marid": 6,
    "monkir": 6,
    "nekir": 6,
    "shamhat": 6,
    "sibittis": 4,
    "sloar": 8,
    "utug": 4,
}

ARTISANS_DJINNS = {"geb": 6, "ptah": 6}
WHIMS_DJINNS = {"kali": 6, "ganesha": 6}

CITY_VALUE = [0, 5, 20, 45, 80, 125]
WHIMS = {  # id: coins, and the minimum that the owner must have of each thing
    "h01": (15, {"djinns": 3}),
    "h02": (15, {"viziers": 7}),
    "h03": (10, {"elders": 5}),
    "h04": (10, {"viziers": 3, "elders": 3}),
    "h05": (15, {"kinds": 5}),
    "h06": (20, {"kinds": 7}),
    "h07": (10, {"fakirs": 4}),
    "h08": (10, {"alike": 3}),
    "h09": (10, {"oasis": 2}),
    "h10": (10, {"village": 2}),
    "h11": (15, {"small-market": 3}),
    "h12": (10, {"large-market": 2}),
    "h13": (15, {"sacred": 2}),
    "h14": (10, {"city": 2}),
    "h15": (15, {"palms": 4}),
    "h16": (15, {"palaces": 3}),
    "h17": (15, {"blue": 4}),  # great cities are not counted, here and for the red tiles
    "h18": (15, {"red": 5}),
    "h19": (10, {"lakeside": 2}),
}
ARTISANS_WHIMS = {
    "h20": (15, {"artisans": 4}),
    "h21": (15, {"items": 3}),
    "h22": (10, {"workshop": 1, "special-market": 1}),
}

ITEMS = {  # id: copies
    "jewelry": 4,
    "treasure": 3,
    "crown": 2,
    "carpet": 2,
    "flute": 2,
    "lamp": 1,
    "scimitar": 1,
    "talisman": 1,
    "horn": 1,
    "ring": 1,
}
PRECIOUS = {"jewelry": 5, "treasure": 7, "crown": 9}
MOST_PULLS, SLAYS = 5, 2

VERBS = [
    "bid",
    "take",
    "skip",
    "drop",
    "build",
    "kill",
    "spare",
    "palm",
    "palace",
    "buy",
    "summon",
    "pass",
    "use",
    "keep",
    "sell",
    "end",
    "camel",
    "tent",
    "craft",
    "item",
    "slay",
    "pull",
    "done",
    "next",
    "fly",
]


@cache
def names(columns: int, rows: int) -> list[str]:
    """Return the tiles in reading order."""
    return [f"{column}{row}" for row in range(1, rows + 1) for column in "ABCDEFG"[:columns]]


def meeples(expansions: list[str]) -> dict[str, int]:
    more = WHIMS_MEEPLES if "whims" in expansions else 0
    counts = {letter: copies + more for letter, copies in MEEPLES.items()}
    return {**counts, "p": ARTISANS} if "artisans" in expansions else counts


def djinns(expansions: list[str]) -> dict[str, int]:
    """Return the Djinns in play with their printed values."""
    found = dict(DJINNS)
    if "artisans" in expansions:
        found |= ARTISANS_DJINNS
    return found | WHIMS_DJINNS if "whims" in expansions else found


def whims(expansions: list[str]) -> dict[str, tuple[int, dict[str, int]]]:
    if "whims" not in expansions:
        return {}
    return WHIMS | ARTISANS_WHIMS if "artisans" in expansions else WHIMS


def spot_costs(players: int) -> list[int]:
    return FIVE_SPOT_COSTS if players == 5 else SPOT_COSTS


def entries(players: int) -> dict[int, list[int]]:
    return FIVE_ENTRIES if players == 5 else ENTRIES
