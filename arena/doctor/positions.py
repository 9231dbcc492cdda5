"""Changes of position documents (notation.md, Position). A seat gets a piece that is taken from elsewhere in the box.

Raises `LookupError` if there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from arena.rules.components import TRIBES

Document = dict[str, Any]
T = TypeVar("T")


def give_djinn(document: Document, seat: int, djinn: str) -> None:
    """Give a Djinn to a seat."""
    for other in document["seats"]:
        if djinn in other["djinns"]:
            other["djinns"].remove(djinn)
            other["used"] = [used for used in other["used"] if used != djinn]
    djinns = document["djinns"]
    for pile in ("deck", "discard", "row"):
        if djinn in djinns[pile]:
            djinns[pile].remove(djinn)
            if pile == "row" and djinns["deck"]:
                djinns["row"].append(djinns["deck"].pop(0))
    document["seats"][seat - 1]["djinns"].append(djinn)


def give_cards(document: Document, seat: int, card: str, number: int) -> None:
    """Give a seat at least `number` cards of a kind."""
    hand, resources = document["seats"][seat - 1]["hand"], document["resources"]
    while hand.get(card, 0) < number:
        for pile in ("deck", "discard"):
            if card in resources[pile]:
                resources[pile].remove(card)
                break
        else:
            _take_card(document, seat, card)
        hand[card] = hand.get(card, 0) + 1


def _take_card(document: Document, seat: int, card: str) -> None:
    """Take a card from another hand."""
    mine = document["seats"][seat - 1]
    holder = _any_of(other["hand"] for other in document["seats"] if other is not mine and card in other["hand"])
    holder[card] -= 1
    if not holder[card]:
        del holder[card]


def give_elders(document: Document, seat: int, number: int) -> None:
    """Give a seat at least `number` Elders."""
    mine = document["seats"][seat - 1]
    while mine["elders"] < number:
        place: Document = document
        key = "bag"
        if "w" not in document["bag"]:
            place = _any_of(tile for tile in document["board"]["tiles"].values() if "w" in tile["meeples"])
            key = "meeples"
        place[key] = place[key].replace("w", "", 1) or "-"
        mine["elders"] += 1


def give_item(document: Document, seat: int, item: str) -> None:
    """Give an item to a seat."""
    piles = [document["items"]["pile"], document["items"]["discard"], *(other["items"] for other in document["seats"])]
    _any_of(pile for pile in piles if item in pile).remove(item)
    document["seats"][seat - 1]["items"].append(item)


def give_whim(document: Document, seat: int, whim: str) -> None:
    """Give a seat a whim that it has not fulfilled."""
    places = [document["whims"]["deck"]]
    for other in document["seats"]:
        places += [other["whims"]["open"], other["whims"]["paid"]]
    for place in places:
        if whim in place:
            place.remove(whim)
    for tile in document["board"]["tiles"].values():
        if tile.get("whim") == whim:
            tile["whim"] = document["whims"]["deck"].pop(0)
    document["seats"][seat - 1]["whims"]["open"].append(whim)


def give_gold(document: Document, seat: int, gold: int) -> None:
    """Set the coins of a seat."""
    document["seats"][seat - 1]["gold"] = gold


def heap(document: Document, tile: str, number: int) -> None:
    """Put `number` meeples on a tile. They are taken one by one from the tile with the most."""
    tiles = document["board"]["tiles"]
    while len(tiles[tile]["meeples"].strip("-")) < number:
        largest = max((name for name in tiles if name != tile), key=lambda name: len(tiles[name]["meeples"]))
        moved = tiles[largest]["meeples"][0]
        tiles[largest]["meeples"] = tiles[largest]["meeples"][1:] or "-"
        tiles[tile]["meeples"] = _group(tiles[tile]["meeples"] + moved)


def _group(letters: str) -> str:
    return "".join(sorted(letters.strip("-"), key=TRIBES.index)) or "-"


def _any_of(places: Iterable[T]) -> T:
    for place in places:
        return place
    raise LookupError
