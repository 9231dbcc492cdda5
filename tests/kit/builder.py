"""Positions for tests: name what a test is about, and the rest of the box is filled in around it.

    state = position(players=3, phase="tribe", at="C3", lifted="rr", tiles={"C3": "yw"},
                     seats={1: {"djinns": ["kandicha"], "elders": 2, "hand": {"fakir": 2}}})

Unless a test says otherwise: seat 1 of four acts, every seat has 50 GC; meeples that are not named are in the bag,
cards and Djinns in their decks; nobody owns a tile; the other markers still wait for their turns. Camels, palms and
palaces that a test has used up stand on tiles that it does not name.

Unless a test names a kind, the tiles in reading order are 8 small markets (A1 … F1, A2, B2), 4 large markets (C2 … F2),
6 oases (row 3), the sacred places 6 6 6 6 10 12 15 (row 4 and A5) and 5 villages (B5 … F5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arena.rules import IllegalAction, State, format_position, parse_action, parse_position

NAMES = [f"{column}{row}" for row in range(1, 6) for column in "ABCDEF"]
GOODS = ["ivory", "jewels", "gold", "papyrus", "silk", "spice", "fish", "wheat", "pottery"]
# fmt: off
DJINNS = [
    "al-amin", "anun-nak", "baal", "boaz", "bouraq", "echidna", "enki", "hagis",
    "haurvatat", "iblis", "jafaar", "kandicha", "kumarbi", "lamia", "leta", "marid",
    "monkir", "nekir", "shamhat", "sibittis", "sloar", "utug",
]
# fmt: on
CAMELS = {2: 11, 3: 8, 4: 8}
MARKERS = {2: 2, 3: 1, 4: 1}
SUPPLY = {"palms": 12, "palaces": 10}
Face = tuple[str, str, int]
FACES: dict[str, Face] = {
    "small-market": ("small-market", "red", 6),
    "large-market": ("large-market", "red", 4),
    "oasis": ("oasis", "red", 8),
    "sacred": ("sacred", "blue", 6),
    "sacred-10": ("sacred", "blue", 10),
    "sacred-12": ("sacred", "blue", 12),
    "sacred-15": ("sacred", "blue", 15),
    "village": ("village", "blue", 5),
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
USUAL = [kind for kind, copies in COPIES.items() for _ in range(copies)]
OF_COLOUR = {
    "red": ["large-market", "small-market", "oasis"],
    "blue": ["village", "sacred", "sacred-10", "sacred-12", "sacred-15"],
}


def box_of_meeples() -> Counter[str]:
    return Counter({"y": 16, "w": 20, "g": 18, "b": 18, "r": 18})


def box_of_cards() -> Counter[str]:
    few = dict.fromkeys(GOODS[:3], 2) | dict.fromkeys(GOODS[3:6], 4) | dict.fromkeys(GOODS[6:], 6)
    return Counter(few | {"fakir": 18})


def group(letters: str | Counter[str]) -> str:
    """Meeples in the notation's order."""
    held = Counter(letters.replace("-", "") if isinstance(letters, str) else letters)
    return "".join(letter * held[letter] for letter in "ywgbr") or "-"


def document(
    *,
    players: int = 4,
    phase: str = "move",
    to_act: int = 1,
    tiles: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    owners: Mapping[str, int] | None = None,
    palms: Mapping[str, int] | None = None,
    palaces: Mapping[str, int] | None = None,
    palms_left: int | None = None,
    palaces_left: int | None = None,
    free: str = "",
    bag: str | None = None,
    heap: str = "",
    row: Sequence[str] | None = None,
    deck: Sequence[str] = (),
    discard: Sequence[str] = (),
    other_cards: str | int = "deck",
    djinn_row: Sequence[str] = (),
    djinn_deck: Sequence[str] = (),
    djinn_discard: Sequence[str] = (),
    other_djinns: str | int = "deck",
    seats: Mapping[int, Mapping[str, Any]] | None = None,
    bid_order: Sequence[int] | None = None,
    track: Mapping[int, int] | None = None,
    last: bool = False,
    ending: str | None = None,
    round: int = 3,
    **turn: Any,
) -> dict[str, Any]:
    """A position document.

    `tiles`: meeples by tile. `kinds`: `FACES` by tile, or `red` and `blue` for any tile of that colour. `free`: tiles
    that must stay empty. `bag`: what is in the bag; the meeples named nowhere then stand on the tiles of `heap`.
    `deck`, `djinn_deck`: the top of the piles; `other_cards`, `other_djinns`: where what is named nowhere goes (`deck`,
    `discard` or a seat). `track`: markers by spot (from 1). `last`: the acting marker is the last of the round.
    Other keywords are keys of `turn`, with `came` for `from`.
    """
    tiles, kinds, seats = dict(tiles or {}), dict(kinds or {}), {n: dict(s) for n, s in (seats or {}).items()}
    owners, palms, palaces = dict(owners or {}), dict(palms or {}), dict(palaces or {})
    turn = {{"came": "from"}.get(key, key): value for key, value in turn.items()}
    named = {*tiles, *kinds, *owners, *palms, *palaces, *free.split(), *heap.split()}
    named |= {turn[key] for key in ("at", "origin", "from") if key in turn}
    spare = [name for name in reversed(NAMES) if name not in named]
    shown = [_seat(seats.get(number, {}), number, owners, spare, CAMELS[players]) for number in range(1, players + 1)]
    if spare:
        _park(palms, palms_left, SUPPLY["palms"], spare[-1])
        _park(palaces, palaces_left, SUPPLY["palaces"], spare[-1])
    meeples = box_of_meeples()
    meeples.subtract("".join(tiles.values()).replace("-", ""))
    meeples.subtract(turn.get("hand", "").replace("-", "") + turn.get("lifted", ""))
    meeples.subtract({"y": sum(s["viziers"] for s in shown), "w": sum(s["elders"] for s in shown)})
    if bag is not None:
        meeples.subtract(bag.replace("-", ""))
        ground = heap.split()
        for place, letter in enumerate(sorted(meeples.elements())):
            tile = ground[place % len(ground)]
            tiles[tile] = tiles.get(tile, "") + letter
    faces = _lay(kinds)
    bid_order, turn_track = _markers(players, phase, to_act, bid_order, track, last)
    return {
        "format": "naqala/position/1",
        "players": players,
        "expansions": [],
        "round": round,
        "phase": phase,
        "to_act": None if phase == "over" else to_act,
        "ending": ending or ("camels" if phase == "over" else None),
        "board": {
            "columns": 6,
            "rows": 5,
            "tiles": {
                name: {
                    "kind": faces[name][0],
                    "value": faces[name][2],
                    "colour": faces[name][1],
                    "meeples": group(tiles.get(name, "")),
                    "owner": owners.get(name),
                    "palms": palms.get(name, 0),
                    "palaces": palaces.get(name, 0),
                }
                for name in NAMES
            },
        },
        "bag": group(meeples if bag is None else bag),
        "resources": _resources(row, deck, discard, other_cards, shown),
        "djinns": _djinns(djinn_row, djinn_deck, djinn_discard, other_djinns, shown, turn.get("drawn", ())),
        "supply": {
            "palms": SUPPLY["palms"] - sum(palms.values()),
            "palaces": SUPPLY["palaces"] - sum(palaces.values()),
        },
        "seats": shown,
        "bid_order": bid_order,
        "turn_track": turn_track,
        "turn": None if phase in ("bid", "over") else turn,
    }


def position(**parts: Any) -> State:
    """The state of `document(**parts)`."""
    return parse_position(document(**parts))


def _seat(parts: dict[str, Any], number: int, owners: dict[str, int], spare: list[str], box: int) -> dict[str, Any]:
    if "camels" in parts:
        for _ in range(box - parts["camels"] - list(owners.values()).count(number)):
            owners[spare.pop(0)] = number
    owned = list(owners.values()).count(number)
    usual = {"gold": 50, "camels": box - owned, "viziers": 0, "elders": 0, "hand": {}, "djinns": [], "used": []}
    return {**usual, **parts}


def _park(pieces: dict[str, int], left: int | None, total: int, where: str) -> None:
    if left is not None and (used := total - left - sum(pieces.values())):
        pieces[where] = used


def _lay(kinds: Mapping[str, str]) -> dict[str, Face]:
    """A face for each tile: those named first, then the usual ones where they are left, then the rest."""
    left = Counter(COPIES)
    laid: dict[str, str] = {}

    def lay(name: str, choices: Sequence[str]) -> None:
        kind = next((kind for kind in choices if left[kind]), None)
        if kind is not None:
            laid[name] = kind
            left[kind] -= 1

    for name, kind in sorted(kinds.items(), key=lambda item: item[1] in OF_COLOUR):
        lay(name, OF_COLOUR.get(kind, [kind]))
    unnamed = [name for name in NAMES if name not in kinds]
    for name in unnamed:
        lay(name, [USUAL[NAMES.index(name)]])
    for name in NAMES:
        if name not in laid:
            lay(name, list(COPIES))
    return {name: FACES[kind] for name, kind in laid.items()}


def _markers(
    players: int,
    phase: str,
    to_act: int,
    bid_order: Sequence[int] | None,
    track: Mapping[int, int] | None,
    last: bool,
) -> tuple[list[int], list[int | None]]:
    markers = Counter(dict.fromkeys(range(1, players + 1), MARKERS[players]))
    if bid_order is None:
        markers -= Counter([to_act, *(track or {}).values()])
        others = sorted(markers.elements())
        if phase == "bid":
            bid_order, others = [to_act, *others], []
        elif last or phase == "over" or track is not None:
            bid_order, others = [*others, to_act], []
        else:
            bid_order = [to_act]
    else:
        others = sorted((markers - Counter(bid_order) - Counter((track or {}).values())).elements())
    spots = dict(track or {}) | dict(zip((4, 5, 6), others, strict=False))
    return list(bid_order), [spots.get(spot) for spot in range(1, 10)]


def _resources(
    row: Sequence[str] | None,
    deck: Sequence[str],
    discard: Sequence[str],
    others: str | int,
    seats: list[dict[str, Any]],
) -> dict[str, list[str]]:
    left = box_of_cards()
    for seat in seats:
        left.subtract(seat["hand"])
    left.subtract([*deck, *discard])
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


def _djinns(
    row: Sequence[str],
    deck: Sequence[str],
    discard: Sequence[str],
    others: str | int,
    seats: list[dict[str, Any]],
    drawn: Sequence[str],
) -> dict[str, list[str]]:
    owned = [djinn for seat in seats for djinn in seat["djinns"]]
    rest = [djinn for djinn in DJINNS if djinn not in {*owned, *row, *deck, *discard, *drawn}]
    piles = {"row": list(row), "deck": list(deck), "discard": list(discard)}
    if isinstance(others, int):
        seats[others - 1]["djinns"] = [*seats[others - 1]["djinns"], *rest]
    else:
        piles[others] += rest
    return piles


# What tests ask of a state.


def play(state: State, *texts: str) -> State:
    """The state after these actions and chance events, each checked first; its document reads as the same again."""
    for text in texts:
        state = state.play(state.parse(text))
        if state.due is None:
            written = format_position(state)
            again = parse_position(written)
            assert format_position(again) == written
            assert legal(again) == legal(state)
    return state


def legal(state: State, verb: str = "") -> list[str]:
    """The texts of the legal actions, those that begin with a verb (or more words) alone if one is named."""
    return [action.text for action in state.legal if f"{action.text} ".startswith(verb)]


def refusal(state: State, text: str) -> str:
    """The reason code with which an action is refused; a failure if it is legal, or listed all the same."""
    action = parse_action(text)
    assert text not in legal(state), f"{text!r} is listed as legal"
    assert action not in state.legal
    with pytest.raises(IllegalAction) as caught:
        state.check(action)
    assert caught.value.rule, f"{caught.value.code} names no rule"
    return caught.value.code


def tile(state: State, name: str) -> dict[str, Any]:
    return format_position(state)["board"]["tiles"][name]


def meeples(state: State, name: str) -> str:
    return tile(state, name)["meeples"]


def owner(state: State, name: str) -> int | None:
    return tile(state, name)["owner"]


def seat(state: State, number: int) -> dict[str, Any]:
    return format_position(state)["seats"][number - 1]


def golds(state: State) -> list[int]:
    """Everybody's gold, seat 1 first."""
    return [shown.gold for shown in state.seats]


def before_last_drop(**parts: Any) -> State:
    """One meeple in hand (a Vizier unless `hand` says otherwise), on the way from C1 over C2: C3 is the next tile."""
    usual = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2", "hand": "y"}
    return position(**{**usual, **parts})
