"""A complete state to think in, made from a view by guessing what the seat cannot know."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable
from typing import Any

from arena.rules import Ruleset, State, Stream, parse_position
from arena.rules.components import DJINNS, ITEMS, RESOURCE_COPIES, RESOURCES, WHIMS

GUESSED_GOLD = 30
"""GC that a seat whose gold is hidden is taken to have; no choice of the house players rests on it."""


def imagine(view: dict[str, Any], stream: Stream) -> State:
    """A state that its seat's view fits: unseen cards and tokens are dealt at random to other seats and the decks."""
    document = copy.deepcopy(view)
    if document.pop("view", None) is None or document["phase"] == "over":
        return parse_position(document)
    ruleset = Ruleset(document["players"], tuple(document["expansions"]))
    seats, turn = document["seats"], document["turn"] or {}
    drawn = turn.get("drawn", [])
    seen_drawn = [] if isinstance(drawn, int) else drawn

    cards = document["resources"]
    known = [*cards["row"], *cards["discard"], *(seen_drawn if document["phase"] == "horn" else ())]
    known += [name for seat in seats for name, number in (seat["hand"] or {}).items() for _ in range(number)]
    box = [name for name, copies in zip(RESOURCES, RESOURCE_COPIES, strict=True) for _ in range(copies)]
    unseen = _unseen(box, known, stream)
    for seat in seats:
        held = seat.pop("cards", 0)
        if seat["hand"] is None:
            seat["hand"] = dict(Counter(_deal(unseen, held)))
            seat["gold"] = GUESSED_GOLD
    cards["deck"] = unseen

    spirits = document["djinns"]
    known = [*spirits["row"], *spirits["discard"], *(seen_drawn if document["phase"] == "choose" else ())]
    known += [djinn for seat in seats for djinn in seat["djinns"]]
    unseen = _unseen([DJINNS[number].id for number in ruleset.djinns], known, stream)
    if document["phase"] == "choose" and isinstance(drawn, int):
        turn["drawn"] = _deal(unseen, drawn)
    spirits["deck"] = unseen

    if ruleset.artisans:
        items = document["items"]
        known = [*items["discard"], *(seen_drawn if document["phase"] == "item" else ())]
        known += [item for seat in seats if isinstance(seat["items"], list) for item in seat["items"]]
        unseen = _unseen([ITEMS[number].id for number in ruleset.items], known, stream)
        for seat in seats:
            if isinstance(seat["items"], int):
                seat["items"] = _deal(unseen, seat["items"])
        if document["phase"] == "item" and isinstance(drawn, int):
            turn["drawn"] = _deal(unseen, drawn)
        items["pile"] = unseen

    if ruleset.whims:
        known = [tile["whim"] for tile in document["board"]["tiles"].values() if tile.get("whim")]
        known += [whim for seat in seats for whim in seat["whims"]["paid"]]
        known += [whim for seat in seats if isinstance(seat["whims"]["open"], list) for whim in seat["whims"]["open"]]
        unseen = _unseen([WHIMS[number].id for number in ruleset.whim_cards], known, stream)
        for seat in seats:
            if isinstance(seat["whims"]["open"], int):
                seat["whims"]["open"] = _deal(unseen, seat["whims"]["open"])
        document["whims"]["deck"] = unseen
    return parse_position(document)


def _unseen(box: Iterable[str], known: Iterable[str], stream: Stream) -> list[str]:
    """What is in the box and not known, in a random order."""
    return stream.shuffle(sorted((Counter(box) - Counter(known)).elements()))


def _deal(pile: list[str], number: int) -> list[str]:
    """Take the first so many off a pile."""
    dealt = pile[:number]
    del pile[:number]
    return dealt
