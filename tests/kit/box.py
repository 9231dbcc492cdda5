"""The content of the box, for positions made by hand: tiles and their usual places, meeples, cards, tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

GOODS = ["ivory", "jewels", "gold", "papyrus", "silk", "spice", "fish", "wheat", "pottery"]
# fmt: off
DJINNS = [
    "al-amin", "anun-nak", "baal", "boaz", "bouraq", "echidna", "enki", "hagis",
    "haurvatat", "iblis", "jafaar", "kandicha", "kumarbi", "lamia", "leta", "marid",
    "monkir", "nekir", "shamhat", "sibittis", "sloar", "utug",
]
# fmt: on
CAMELS = {2: 11, 3: 8, 4: 8, 5: 8}
MARKERS = {2: 2, 3: 1, 4: 1, 5: 1}
SUPPLY = {"palms": 12, "palaces": 10}
ITEMS = ["jewelry"] * 4 + ["treasure"] * 3 + ["crown"] * 2 + ["carpet"] * 2 + ["flute"] * 2
ITEMS += ["lamp", "scimitar", "talisman", "horn", "ring"]
WHIMS = [f"h{number:02}" for number in range(1, 20)]
WHIMS_OF_ARTISANS = ["h20", "h21", "h22"]

Face = tuple[str, str | None, int, str]
FACES: dict[str, Face] = {
    "small-market": ("small-market", "red", 6, ""),
    "large-market": ("large-market", "red", 4, ""),
    "oasis": ("oasis", "red", 8, ""),
    "sacred": ("sacred", "blue", 6, ""),
    "sacred-10": ("sacred", "blue", 10, ""),
    "sacred-12": ("sacred", "blue", 12, ""),
    "sacred-15": ("sacred", "blue", 15, ""),
    "village": ("village", "blue", 5, ""),
    "blue-city": ("city", "blue", 5, ""),
    "red-city": ("city", "red", 5, ""),
    "lake": ("lake", None, 0, ""),
    "workshop-NW": ("workshop", "blue", 5, "NW"),
    "workshop-SE": ("workshop", "blue", 5, "SE"),
    "special-market": ("special-market", "red", 10, ""),
    "chasm": ("chasm", None, 0, ""),
}
COPIES = {
    "small-market": 8,
    "large-market": 4,
    "oasis": 6,
    "sacred": 4,
    "sacred-10": 1,
    "sacred-12": 1,
    "sacred-15": 1,
    "village": 5,
}
COPIES_OF_WHIMS = {"blue-city": 3, "red-city": 2, "lake": 1}
INNER = {
    "B2": "workshop-NW",
    "C4": "workshop-SE",
    "E3": "workshop-SE",
    "B4": "special-market",
    "D2": "special-market",
    "D5": "chasm",
}
"""Places of the tiles of Artisans."""
OF_COLOUR = {
    "red": ["large-market", "small-market", "oasis"],
    "blue": ["village", "sacred", "sacred-10", "sacred-12", "sacred-15"],
}


@cache
def names(expansions: tuple[str, ...]) -> list[str]:
    """Return the tiles in reading order."""
    columns, rows = {0: ("ABCDEF", 5), 1: ("ABCDEF", 6), 2: ("ABCDEFG", 6)}[len(expansions)]
    return [f"{column}{row}" for row in range(1, rows + 1) for column in columns]


@cache
def usual(expansions: tuple[str, ...]) -> dict[str, str]:
    """Return the kind of each tile unless a test names another: the box in order, with Artisans around `INNER`."""
    copies = COPIES | (COPIES_OF_WHIMS if "whims" in expansions else {})
    kinds = [kind for kind, number in copies.items() for _ in range(number)]
    inner = INNER if "artisans" in expansions else {}
    return {name: inner.get(name) or kinds.pop(0) for name in names(expansions)}


def lay(expansions: tuple[str, ...], kinds: Mapping[str, str]) -> dict[str, Face]:
    """Return a face for each tile: first the named ones, then the usual ones if they are left, then the rest."""
    left = Counter(usual(expansions).values())
    laid: dict[str, str] = {}

    def put(name: str, choices: Sequence[str]) -> None:
        kind = next((kind for kind in choices if left[kind]), None)
        if kind is not None:
            laid[name] = kind
            left[kind] -= 1

    for name, kind in sorted(kinds.items(), key=lambda item: item[1] in OF_COLOUR):
        put(name, OF_COLOUR.get(kind, [kind]))
    for name, kind in usual(expansions).items():
        if name not in kinds:
            put(name, [kind])
    for name in names(expansions):
        if name not in laid:
            put(name, list(FACES))
    return {name: FACES[kind] for name, kind in laid.items()}


def meeples(expansions: tuple[str, ...]) -> Counter[str]:
    more = 3 if "whims" in expansions else 0
    box = Counter({letter: number + more for letter, number in {"y": 16, "w": 20, "g": 18, "b": 18, "r": 18}.items()})
    return box + Counter({"p": 15}) if "artisans" in expansions else box


def group(letters: str | Counter[str]) -> str:
    """Return meeples in the notation's order."""
    held = Counter(letters.replace("-", "") if isinstance(letters, str) else letters)
    return "".join(letter * held[letter] for letter in "ywgbrp") or "-"


def resources(
    row: Sequence[str] | None,
    deck: Sequence[str],
    discard: Sequence[str],
    others: str | int,
    seats: list[dict[str, Any]],
    drawn: Sequence[str],
) -> dict[str, list[str]]:
    few = dict.fromkeys(GOODS[:3], 2) | dict.fromkeys(GOODS[3:6], 4) | dict.fromkeys(GOODS[6:], 6)
    left = Counter(few | {"fakir": 18})
    for seat in seats:
        left.subtract(seat["hand"])
    left.subtract([*deck, *discard, *drawn])
    if row is None:
        row = [card for card in [*GOODS, *["fakir"] * 9] if left[card]][:9]
    left.subtract(row)
    rest = [card for card in [*reversed(GOODS), "fakir"] for _ in range(left[card])]
    piles = {"row": list(row), "deck": list(deck), "discard": list(discard)}
    if isinstance(others, int):
        hand = seats[others - 1]["hand"]
        seats[others - 1]["hand"] = dict(Counter(hand) + Counter(rest))
    else:
        piles[others] += rest
    return piles


def djinns(
    expansions: tuple[str, ...],
    row: Sequence[str],
    deck: Sequence[str],
    discard: Sequence[str],
    others: str | int,
    seats: list[dict[str, Any]],
    drawn: Sequence[str],
) -> dict[str, list[str]]:
    owned = [djinn for seat in seats for djinn in seat["djinns"]]
    box = [*DJINNS, *(["geb", "ptah"] if "artisans" in expansions else [])]
    box += ["kali", "ganesha"] if "whims" in expansions else []
    rest = [djinn for djinn in box if djinn not in {*owned, *row, *deck, *discard, *drawn}]
    piles = {"row": list(row), "deck": list(deck), "discard": list(discard)}
    if isinstance(others, int):
        seats[others - 1]["djinns"] = [*seats[others - 1]["djinns"], *rest]
    else:
        piles[others] += rest
    return piles


def items(
    pile: Sequence[str] | None, discard: Sequence[str], seats: list[dict[str, Any]], drawn: Sequence[str]
) -> dict[str, list[str]]:
    """If a `pile` is named, the last seat holds everything that is named nowhere."""
    left = Counter(ITEMS)
    left.subtract([*(pile or ()), *discard, *drawn])
    for seat in seats:
        left.subtract(seat["items"])
    rest = list(left.elements())
    if pile is None:
        return {"pile": rest, "discard": list(discard)}
    seats[-1]["items"] = [*seats[-1]["items"], *rest]
    return {"pile": list(pile), "discard": list(discard)}


def whims(expansions: tuple[str, ...], laid: Mapping[str, str], seats: list[dict[str, Any]]) -> dict[str, list[str]]:
    held = {*laid.values(), *(card for seat in seats for cards in seat["whims"].values() for card in cards)}
    box = WHIMS + (WHIMS_OF_ARTISANS if "artisans" in expansions else [])
    return {"deck": [card for card in box if card not in held]}
