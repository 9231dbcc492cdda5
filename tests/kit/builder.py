"""Positions for tests: a test names what it is about, and the rest of the box is filled in.

    state = position(players=3, phase="tribe", at="C3", lifted="rr", tiles={"C3": "yw"},
                     seats={1: {"djinns": ["kandicha"], "elders": 2, "hand": {"fakir": 2}}})

These are the defaults. Seat 1 of four acts, and every seat has 50 GC. Meeples that are not named are in the bag; cards,
Djinns, items and whims are in their decks. Nobody owns a tile, and the other markers still wait for their turns.
Camels, tents, palms and palaces that a test has used up are on tiles that it does not name.

The kinds of tiles, in reading order, are 8 small markets (A1 … F1, A2, B2), 4 large markets (C2 … F2), 6 oases (row 3),
the sacred places 6 6 6 6 10 12 15 (row 4 and A5) and 5 villages (B5 … F5). With Whims alone row 6 has the cities (blue
A6 … C6, red D6 and E6) and the lake (F6). box.py defines the places of the tiles of Artisans (`INNER`); the others lie
around them in the same order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arena.rules import IllegalAction, State, format_position, parse_action, parse_position
from tests.kit import box
from tests.kit.box import CAMELS, DJINNS, GOODS, MARKERS, SUPPLY, group

NAMES = box.names(())
MOVABLE = {"A1": "y", "B1": "y"}
"""Meeples with which a move is possible."""
__all__ = [
    "DJINNS", "GOODS", "MOVABLE", "NAMES", "before_last_drop", "document", "golds", "legal", "meeples", "owner", "play",
    "position", "refusal", "seat", "tile",
]  # fmt: skip


def document(
    *,
    expansions: Sequence[str] = (),
    players: int = 4,
    phase: str = "move",
    to_act: int = 1,
    tiles: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    owners: Mapping[str, int] | None = None,
    tents: Mapping[str, int] | None = None,
    palms: Mapping[str, int] | None = None,
    palaces: Mapping[str, int] | None = None,
    palms_left: int | None = None,
    palaces_left: int | None = None,
    whims: Mapping[str, str] | None = None,
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
    pile: Sequence[str] | None = None,
    items_discard: Sequence[str] = (),
    seats: Mapping[int, Mapping[str, Any]] | None = None,
    bid_order: Sequence[int] | None = None,
    track: Mapping[int, int] | None = None,
    last: bool = False,
    ending: str | None = None,
    round: int = 3,
    **turn: Any,
) -> dict[str, Any]:
    """Return a position document.

    - `tiles`: meeples by tile.
    - `kinds`: `FACES` by tile, or `red` and `blue` for any tile of that colour.
    - `free`: tiles that must stay empty.
    - `bag`: content of the bag; the meeples named nowhere then stand on the tiles of `heap`.
    - `deck`, `djinn_deck`: the top of the piles.
    - `other_cards`, `other_djinns`: place of those named nowhere (`deck`, `discard` or a seat).
    - `tents`: seats by tile.
    - `whims`: cards by city; `open` and `paid` are keys of seats.
    - `pile`: all the items left to draw; those named nowhere belong to the last seat.
    - `track`: markers by spot (from 1).
    - `last`: the acting marker is the last of the round.

    Other keywords are keys of `turn`, with `came` for `from`.
    """
    expansions = tuple(expansions)
    tiles, kinds, seats = dict(tiles or {}), dict(kinds or {}), {n: dict(s) for n, s in (seats or {}).items()}
    owners, palms, palaces, tents = dict(owners or {}), dict(palms or {}), dict(palaces or {}), dict(tents or {})
    turn = {{"came": "from"}.get(key, key): value for key, value in turn.items()}
    named = {*tiles, *kinds, *owners, *tents, *palms, *palaces, *free.split(), *heap.split()}
    named |= {turn[key] for key in ("at", "origin", "from", "target") if key in turn}
    faces = box.lay(expansions, kinds)
    spare = [name for name in reversed(box.names(expansions)) if name not in named and faces[name][1]]
    shown = [
        _seat(expansions, seats.get(number, {}), number, owners, tents, spare, CAMELS[players])
        for number in range(1, players + 1)
    ]
    if spare:
        _park(palms, palms_left, SUPPLY["palms"], spare[-1])
        _park(palaces, palaces_left, SUPPLY["palaces"], spare[-1])
    meeples = box.meeples(expansions)
    meeples.subtract("".join(tiles.values()).replace("-", ""))
    meeples.subtract(turn.get("hand", "").replace("-", "") + turn.get("lifted", ""))
    for letter, front in {"y": "viziers", "w": "elders", "p": "artisans"}.items():
        meeples.subtract({letter: sum(seat.get(front, 0) for seat in shown)})
    if bag is not None:
        meeples.subtract(bag.replace("-", ""))
        ground = heap.split()
        for place, letter in enumerate(sorted(meeples.elements())):
            tile = ground[place % len(ground)]
            tiles[tile] = tiles.get(tile, "") + letter
    bid_order, turn_track = _markers(players, phase, to_act, bid_order, track, last)
    drawn = turn.get("drawn", ())
    found: dict[str, Any] = {
        "format": "naqala/position/1",
        "players": players,
        "expansions": list(expansions),
        "round": round,
        "phase": phase,
        "to_act": None if phase == "over" else to_act,
        "ending": ending or ("camels" if phase == "over" else None),
        "board": {
            "columns": 7 if len(expansions) == 2 else 6,
            "rows": 6 if expansions else 5,
            "tiles": {
                name: _tile(
                    face, group(tiles.get(name, "")), owners.get(name), palms.get(name, 0), palaces.get(name, 0)
                )
                for name, face in faces.items()
            },
        },
        "bag": group(meeples if bag is None else bag),
        "resources": box.resources(row, deck, discard, other_cards, shown, drawn if phase == "horn" else ()),
        "djinns": box.djinns(expansions, djinn_row, djinn_deck, djinn_discard, other_djinns, shown, drawn),
        "supply": {
            "palms": SUPPLY["palms"] - sum(palms.values()),
            "palaces": SUPPLY["palaces"] - sum(palaces.values()),
        },
        "seats": shown,
        "bid_order": bid_order,
        "turn_track": turn_track,
        "turn": None if phase in ("bid", "over") else turn,
    }
    for name, number in tents.items():
        found["board"]["tiles"][name] |= {"owner": number, "tent": True}
    if "whims" in expansions:
        found["whims"] = box.whims(expansions, whims or {}, shown)
        for name, card in (whims or {}).items():
            found["board"]["tiles"][name]["whim"] = card
    if "artisans" in expansions:
        found["items"] = box.items(pile, items_discard, shown, drawn if phase == "item" else ())
    return found


def position(**parts: Any) -> State:
    """Return the state of `document(**parts)`."""
    return parse_position(document(**parts))


def _tile(face: box.Face, meeples: str, owner: int | None, palms: int, palaces: int) -> dict[str, Any]:
    kind, colour, value, mountains = face
    tile = {
        "kind": kind,
        "value": value,
        "colour": colour,
        "meeples": meeples,
        "owner": owner,
        "palms": palms,
        "palaces": palaces,
    }
    if mountains:
        tile["mountains"] = mountains
    return tile | ({"whim": None} if kind == "city" else {})


def _seat(
    expansions: Sequence[str],
    parts: dict[str, Any],
    number: int,
    owners: dict[str, int],
    tents: dict[str, int],
    spare: list[str],
    camels: int,
) -> dict[str, Any]:
    if "camels" in parts:
        for _ in range(camels - parts["camels"] - list(owners.values()).count(number)):
            owners[spare.pop(0)] = number
    if parts.get("tent") == 0 and number not in tents.values():
        tents[spare.pop(0)] = number
    owned = list(owners.values()).count(number)
    seat: dict[str, Any] = {"gold": 50, "camels": camels - owned, "viziers": 0, "elders": 0, "hand": {}, "djinns": []}
    seat["used"] = []
    if "artisans" in expansions:
        seat |= {"artisans": 0, "tent": int(number not in tents.values()), "items": []}
    if "whims" in expansions:
        seat["whims"] = {"open": list(parts.pop("open", [])), "paid": list(parts.pop("paid", []))}
    return {**seat, **parts}


def _park(pieces: dict[str, int], left: int | None, total: int, where: str) -> None:
    if left is not None and (used := total - left - sum(pieces.values())):
        pieces[where] = used


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
    spots = dict(track or {}) | dict(zip((4, 5, 6, 7), others, strict=False))
    return list(bid_order), [spots.get(spot) for spot in range(1, 13 if players == 5 else 10)]


# Questions of tests about a state.


def play(state: State, *texts: str) -> State:
    """Return the state after these actions and chance events. Each is checked first, and the document can be read
    back."""
    for text in texts:
        state = state.play(state.parse(text))
        if state.due is None:
            written = format_position(state)
            again = parse_position(written)
            assert format_position(again) == written
            assert legal(again) == legal(state)
    return state


def legal(state: State, verb: str = "") -> list[str]:
    """Return the texts of the legal actions; only those that begin with `verb` (one or more words) if it is given."""
    return [action.text for action in state.legal if f"{action.text} ".startswith(verb)]


_RULE = r"(?:R\d{1,2}|\d{1,2}(?:\.\d{1,2})?(?: (?:[TW]\d|[A-Z][\w-]+))?)"
RULES_NAMED = re.compile(rf"{_RULE}(?:, {_RULE})*|notation, [A-Z]\w+")
"""Citations in a refusal: numbers of the rules, with a step or a Djinn, or a heading of the notation."""


def refusal(state: State, text: str) -> str:
    """Return the reason code with which an action is refused. Fails if the action is legal, or is listed."""
    action = parse_action(text)
    assert text not in legal(state), f"{text!r} is listed as legal"
    assert action not in state.legal
    with pytest.raises(IllegalAction) as caught:
        state.check(action)
    refused = caught.value
    assert RULES_NAMED.fullmatch(refused.rule), f"{refused.code} names no rule: {refused.rule!r}"
    assert refused.message and str(refused).startswith(f"{refused.message} (")
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
    """Return the gold of all seats, seat 1 first."""
    return [shown.gold for shown in state.seats]


def before_last_drop(**parts: Any) -> State:
    """Return a state with one meeple in hand (a Vizier unless `hand` differs), on the way from C1 over C2 to C3."""
    usual = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2", "hand": "y"}
    return position(**{**usual, **parts})
