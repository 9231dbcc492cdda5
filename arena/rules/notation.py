"""Actions and chance events as values, and their text (notation.md); syntax.py reads them.

A tile has one number on every board: 6 · column + row. Ascending numbers are therefore the byte order of the names,
which is the order in which actions are listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from operator import attrgetter
from typing import Final, Literal, get_args

from arena.rules.components import (
    DJINN_NUMBER,
    DJINNS,
    GOODS,
    ITEM_NUMBER,
    ITEMS,
    RESOURCES,
    TRACK,
    TRACK_OF_FIVE,
    TRIBES,
    Piece,
)
from arena.rules.groups import UNITS, format_group

COLUMNS: Final = 7
STRIDE: Final = 6
TILE_NAMES: Final = tuple(f"{chr(65 + n // STRIDE)}{n % STRIDE + 1}" for n in range(COLUMNS * STRIDE))
"""Names of the tiles; a tile's number is its place here."""
TILE_NUMBER: Final = {name: number for number, name in enumerate(TILE_NAMES)}
SEATS: Final = 5
SPOTS: Final = max(len(TRACK.costs), len(TRACK_OF_FIVE.costs))

# fmt: off
Verb = Literal[
    "bid", "take", "skip", "drop", "build", "kill", "spare", "palm", "palace", "buy", "summon", "pass", "use", "keep",
    "sell", "end", "camel", "tent", "craft", "item", "slay", "pull", "done", "next", "fly",
]
# fmt: on
ChanceVerb = Literal["!bag", "!shuffle"]
VERBS: Final[tuple[Verb, ...]] = get_args(Verb)
"""Verbs of decisions, in the order in which they are listed."""
CHANCE_VERBS: Final[tuple[ChanceVerb, ...]] = get_args(ChanceVerb)
Pile = Literal["resources", "djinns", "items"]
"""Draw piles that are made from their discard pile when they are empty."""

RESOURCE_NUMBER: Final = {name: number for number, name in enumerate(RESOURCES)}
GOODS_BY_NAME: Final = tuple(sorted(range(len(GOODS)), key=GOODS.__getitem__))
"""Goods in alphabetical order, the order in which a sale names them."""
TRIBES_BY_LETTER: Final = tuple(sorted(range(len(TRIBES)), key=TRIBES.__getitem__))
"""Tribes in the byte order of their letters, the order in which drops and victims are listed."""


class Action:
    """One decision of a seat, or one chance event. Two actions with the same text are equal (notation, Actions).

    >>> action = parse_action("drop A2 r")
    >>> action.verb, action.args, action.text, action.is_chance
    ('drop', (1, 4), 'drop A2 r', False)

    `args` by verb (tiles, tribes, resources and Djinns by number, groups packed): `bid` (spot from 0, Fakirs) · `take`
    (tile) · `drop` (tile, tribe) · `build` (Fakirs) · `kill` (tile or -1, seat or 0, group) · `palm` `palace` (tile,
    payment or "") · `buy` (places from 0 …) · `summon` (Djinn, payment) · `keep` (id) · `sell` (goods …) · `use`
    (Djinn, payment, target or -1, payment of the diverting Djinn or "", its target or -1) · `craft` (payment) · `item`
    (item, words …) · `slay` `pull` `fly` (tile, tribe) · `next` (card) · `!bag` (tribes …) · `!shuffle` (pile, cards
    …). Other verbs have none.
    """

    __slots__ = ("args", "text", "verb")

    def __init__(self, verb: Verb | ChanceVerb, args: tuple[int | str, ...], text: str) -> None:
        self.verb = verb
        self.args = args
        self.text = text

    @property
    def is_chance(self) -> bool:
        """Whether this is a chance event, which no seat decides."""
        return self.verb[0] == "!"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Action) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"parse_action({self.text!r})"

    def __reduce__(self) -> tuple[type[Action], tuple[Verb | ChanceVerb, tuple[int | str, ...], str]]:
        return Action, (self.verb, self.args, self.text)


listing_order: Final = attrgetter("text")
"""Sort key of the legal actions of one verb (ASCII). Verbs come in the order of the table."""


ACTIONS: dict[str, Action] = {}
"""Actions made so far, by text. Their number is finite, and equal actions are one object."""


def _action(verb: Verb, *args: int | str, words: str = "") -> Action:
    text = f"{verb} {words}" if words else verb
    action = ACTIONS.get(text)
    if action is None:
        action = ACTIONS[text] = Action(verb, args, text)
    return action


@cache
def bid(spot: int, fakirs: int = 0) -> Action:
    """Return `bid 3`, or `bid 3 f 2` with Fakirs for Kumarbi. Spots count from 0."""
    return _action("bid", spot, fakirs, words=f"{spot + 1} f {fakirs}" if fakirs else str(spot + 1))


@cache
def build(fakirs: int) -> Action:
    """Return `build 2`: the Builders act, with this number of Fakirs."""
    return _action("build", fakirs, words=str(fakirs))


@cache
def kill(tile: int, group: int) -> Action:
    """Return `kill C3 wr`: kill a group of one or two meeples on a tile."""
    return _action("kill", tile, 0, group, words=f"{TILE_NAMES[tile]} {format_group(group)}")


@cache
def kill_before(seat: int, group: int) -> Action:
    """Return `kill @2 w`: kill meeples in front of a seat."""
    return _action("kill", -1, seat, group, words=f"@{seat} {format_group(group)}")


@cache
def place(piece: Piece, tile: int, payment: str = "") -> Action:
    """Return `palm C3` or `palace C3`, with the payment of the Djinn that diverts the piece, if any."""
    return _action(piece, tile, payment, words=f"{TILE_NAMES[tile]} {payment}".rstrip())


@cache
def buy(*places: int) -> Action:
    """Return `buy 1 4`: take cards of the row. Places count from 0, ascending."""
    return _action("buy", *places, words=" ".join(str(place + 1) for place in places))


@cache
def summon(djinn: int, payment: str) -> Action:
    """Return `summon enki wf`: take a Djinn of the row."""
    return _action("summon", djinn, payment, words=f"{DJINNS[djinn].id} {payment}")


@cache
def keep(djinn: int) -> Action:
    """Return `keep enki`: keep one of the Djinns that Sibittis drew."""
    return _action("keep", DJINNS[djinn].id, words=DJINNS[djinn].id)


@cache
def keep_item(item: int) -> Action:
    """Return `keep crown`: keep one of the items that were drawn."""
    return _action("keep", ITEMS[item].id, words=ITEMS[item].id)


@cache
def use(djinn: int, payment: str, target: int = -1, diverted: str = "", to: int = -1) -> Action:
    """Return `use enki w A1`: a paid power. `diverted` and `to` are the payment and the tile of Hagis or Lamia."""
    words = [DJINNS[djinn].id, payment, *([TILE_NAMES[target]] if target >= 0 else [])]
    if to >= 0:
        words += [diverted, TILE_NAMES[to]]
    return _action("use", djinn, payment, target, diverted, to, words=" ".join(words))


def sell(goods: Iterable[int]) -> Action:
    """Return `sell fish ivory`: a sale of different goods, given in alphabetical order."""
    goods = tuple(goods)
    return _action("sell", *goods, words=" ".join(GOODS[good] for good in goods))


@cache
def craft(payment: str) -> Action:
    """Return `craft ff`: pay for an item at a workshop."""
    return _action("craft", payment, words=payment)


@cache
def item(number: int, *words: str) -> Action:
    """Return `item ring crown`: use a magic item, on the Djinn, tiles or token that it needs."""
    return _action("item", number, *words, words=" ".join((ITEMS[number].id, *words)))


@cache
def slay(tile: int, tribe: int) -> Action:
    """Return `slay C3 r`: one victim of the scimitar."""
    return _action("slay", tile, tribe, words=f"{TILE_NAMES[tile]} {TRIBES[tribe]}")


@cache
def pull(tile: int, tribe: int) -> Action:
    """Return `pull C3 r`: one meeple that the flute calls."""
    return _action("pull", tile, tribe, words=f"{TILE_NAMES[tile]} {TRIBES[tribe]}")


@cache
def fly(tile: int, tribe: int) -> Action:
    """Return `fly C3 r`: the last drop, with the carpet."""
    return _action("fly", tile, tribe, words=f"{TILE_NAMES[tile]} {TRIBES[tribe]}")


@cache
def next_card(card: int) -> Action:
    """Return `next fish`: the next card of a row that is being arranged."""
    return _action("next", card, words=RESOURCES[card])


BID: Final = tuple(bid(spot) for spot in range(SPOTS))
TAKE: Final = tuple(_action("take", tile, words=name) for tile, name in enumerate(TILE_NAMES))
DROP: Final = tuple(
    tuple(_action("drop", tile, tribe, words=f"{name} {letter}") for tribe, letter in enumerate(TRIBES))
    for tile, name in enumerate(TILE_NAMES)
)
KILL: Final = tuple(tuple(kill(tile, unit) for unit in UNITS) for tile in range(len(TILE_NAMES)))
"""Killings of one meeple, by tile and tribe."""
SKIP: Final = _action("skip")
SPARE: Final = _action("spare")
PASS: Final = _action("pass")
END: Final = _action("end")
CAMEL: Final = _action("camel")
TENT: Final = _action("tent")
DONE: Final = _action("done")


PILES: Final[dict[Pile, tuple[str, ...]]] = {
    "resources": RESOURCES,
    "djinns": tuple(djinn.id for djinn in DJINNS),
    "items": tuple(item.id for item in ITEMS),
}
"""Names of the cards of each pile, by number."""
PILE_NUMBERS: Final[dict[Pile, dict[str, int]]] = {
    "resources": RESOURCE_NUMBER,
    "djinns": DJINN_NUMBER,
    "items": ITEM_NUMBER,
}


def bag_event(tribes: Iterable[int]) -> Action:
    """Return `!bag wrr`: meeples drawn from the bag, in the order of drawing."""
    tribes = tuple(tribes)
    return Action("!bag", tribes, "!bag " + "".join(TRIBES[tribe] for tribe in tribes))


def shuffle_event(pile: Pile, cards: Iterable[int]) -> Action:
    """Return `!shuffle`: a discard pile becomes the draw pile. `cards` are its cards, top first."""
    cards = tuple(cards)
    names = [PILES[pile][card] for card in cards]
    return Action("!shuffle", (pile, *cards), " ".join(["!shuffle", pile, *names]))
