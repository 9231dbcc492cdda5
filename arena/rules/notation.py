"""Actions and chance events, and their text form (notation.md).

Three levels of trust: `parse_action` knows the syntax alone, `State.check` whether an action is legal in a position,
`State.play` trusts.

A tile has one number on every board: 6 · column + row, so that ascending numbers are the byte order of the names,
which is the order in which actions are listed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from typing import Final, Literal, get_args

from arena.rules.components import DJINN_NUMBER, DJINNS, GOODS, ITEM_NUMBER, ITEMS, RESOURCES, TRIBES, Piece
from arena.rules.errors import ActionSyntaxError
from arena.rules.groups import format_group, parse_group

COLUMNS: Final = 7
STRIDE: Final = 6
TILE_NAMES: Final = tuple(f"{chr(65 + n // STRIDE)}{n % STRIDE + 1}" for n in range(COLUMNS * STRIDE))
TILE_NUMBER: Final = {name: number for number, name in enumerate(TILE_NAMES)}
SEATS: Final = 5

# fmt: off
Verb = Literal[
    "bid", "take", "skip", "drop", "build", "kill", "spare", "palm", "palace", "buy", "summon", "pass", "use", "keep",
    "sell", "end", "camel", "tent", "craft", "item", "slay", "pull", "done", "next", "fly",
]
# fmt: on
ChanceVerb = Literal["!bag", "!shuffle"]
VERBS: Final[tuple[Verb, ...]] = get_args(Verb)
"""The verbs of decisions, in the order in which they are listed."""
VERB_RANK: Final[dict[str, int]] = {verb: rank for rank, verb in enumerate(VERBS)}
CHANCE_VERBS: Final[tuple[ChanceVerb, ...]] = get_args(ChanceVerb)
Pile = Literal["resources", "djinns", "items"]
"""The draw piles that are made from their discard pile when they are empty."""

RESOURCE_NUMBER: Final = {name: number for number, name in enumerate(RESOURCES)}
GOODS_BY_NAME: Final = tuple(sorted(range(len(GOODS)), key=GOODS.__getitem__))
"""The goods in alphabetical order, the order in which a sale names them."""
TRIBES_BY_LETTER: Final = tuple(sorted(range(len(TRIBES)), key=TRIBES.__getitem__))
"""The tribes in the byte order of their letters, the order in which drops and victims are listed."""
MAX_TEXT: Final = 1000


class Action:
    """One decision of a seat, or one chance event: a value, equal to another of the same text.

    `args` by verb (tiles, tribes, resources and Djinns by number, groups packed):
    `bid` (spot from 0, Fakirs) · `take` (tile) · `drop` (tile, tribe) · `build` (Fakirs) · `kill` (tile or -1, seat or
    0, group) · `palm` `palace` (tile, payment or "") · `buy` (places from 0 …) · `summon` (Djinn, payment) ·
    `keep` (id) · `sell` (goods …) · `use` (Djinn, payment, target or -1, payment of the diverting Djinn or "", its
    target or -1) · `craft` (payment) · `item` (item, words …) · `slay` `pull` `fly` (tile,
    tribe) · `next` (card) · `!bag` (tribes …) · `!shuffle` (pile, cards …); the others have none.
    """

    __slots__ = ("args", "text", "verb")

    def __init__(self, verb: Verb | ChanceVerb, args: tuple[int | str, ...], text: str) -> None:
        self.verb = verb
        self.args = args
        self.text = text

    @property
    def is_chance(self) -> bool:
        return self.verb[0] == "!"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Action) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"parse_action({self.text!r})"

    def __reduce__(self) -> tuple[Callable[[str], Action], tuple[str]]:
        return parse_action, (self.text,)


def listing_order(action: Action) -> tuple[int, str]:
    """The sort key of a list of legal actions: the verb's place in the table, then the text (ASCII)."""
    return VERB_RANK[action.verb], action.text


_ACTIONS: dict[str, Action] = {}
"""The actions made so far by text. Their number is finite, and equal actions are one object."""


def _action(verb: Verb, *args: int | str, words: str = "") -> Action:
    text = f"{verb} {words}" if words else verb
    action = _ACTIONS.get(text)
    if action is None:
        action = _ACTIONS[text] = Action(verb, args, text)
    return action


def bid(spot: int, fakirs: int = 0) -> Action:
    return _action("bid", spot, fakirs, words=f"{spot + 1} f {fakirs}" if fakirs else str(spot + 1))


def build(fakirs: int) -> Action:
    return _action("build", fakirs, words=str(fakirs))


def kill(tile: int, group: int) -> Action:
    return _action("kill", tile, 0, group, words=f"{TILE_NAMES[tile]} {format_group(group)}")


def kill_before(seat: int, group: int) -> Action:
    """Kill meeples that stand in front of a seat."""
    return _action("kill", -1, seat, group, words=f"@{seat} {format_group(group)}")


def place(piece: Piece, tile: int, payment: str = "") -> Action:
    """`palm` or `palace`, with the payment of the Djinn that diverts it, if any."""
    return _action(piece, tile, payment, words=f"{TILE_NAMES[tile]} {payment}".rstrip())


def buy(*places: int) -> Action:
    return _action("buy", *places, words=" ".join(str(place + 1) for place in places))


def summon(djinn: int, payment: str) -> Action:
    return _action("summon", djinn, payment, words=f"{DJINNS[djinn].id} {payment}")


def keep(djinn: int) -> Action:
    return _action("keep", DJINNS[djinn].id, words=DJINNS[djinn].id)


def keep_item(item: int) -> Action:
    return _action("keep", ITEMS[item].id, words=ITEMS[item].id)


def use(djinn: int, payment: str, target: int = -1, diverted: str = "", to: int = -1) -> Action:
    """A paid power: `diverted` and `to` are the payment and the tile of Hagis or Lamia."""
    words = [DJINNS[djinn].id, payment, *([TILE_NAMES[target]] if target >= 0 else [])]
    if to >= 0:
        words += [diverted, TILE_NAMES[to]]
    return _action("use", djinn, payment, target, diverted, to, words=" ".join(words))


def sell(goods: Iterable[int]) -> Action:
    """A sale of different goods, given in alphabetical order."""
    goods = tuple(goods)
    return _action("sell", *goods, words=" ".join(GOODS[good] for good in goods))


def craft(payment: str) -> Action:
    return _action("craft", payment, words=payment)


def item(number: int, *words: str) -> Action:
    """Use a magic item, on the Djinn, tiles or token that it needs."""
    return _action("item", number, *words, words=" ".join((ITEMS[number].id, *words)))


def slay(tile: int, tribe: int) -> Action:
    return _action("slay", tile, tribe, words=f"{TILE_NAMES[tile]} {TRIBES[tribe]}")


def pull(tile: int, tribe: int) -> Action:
    return _action("pull", tile, tribe, words=f"{TILE_NAMES[tile]} {TRIBES[tribe]}")


def fly(tile: int, tribe: int) -> Action:
    return _action("fly", tile, tribe, words=f"{TILE_NAMES[tile]} {TRIBES[tribe]}")


def next_card(card: int) -> Action:
    """The next card of a row that is being arranged."""
    return _action("next", card, words=RESOURCES[card])


TAKE: Final = tuple(_action("take", tile, words=name) for tile, name in enumerate(TILE_NAMES))
DROP: Final = tuple(
    tuple(_action("drop", tile, tribe, words=f"{name} {letter}") for tribe, letter in enumerate(TRIBES))
    for tile, name in enumerate(TILE_NAMES)
)
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
"""What the cards of each pile are called, by number."""
PILE_NUMBERS: Final[dict[Pile, dict[str, int]]] = {
    "resources": RESOURCE_NUMBER,
    "djinns": DJINN_NUMBER,
    "items": ITEM_NUMBER,
}


def bag_event(tribes: Iterable[int]) -> Action:
    """`!bag`: meeples drawn from the bag, in drawing order."""
    tribes = tuple(tribes)
    return Action("!bag", tribes, "!bag " + "".join(TRIBES[tribe] for tribe in tribes))


def shuffle_event(pile: Pile, cards: Iterable[int]) -> Action:
    """`!shuffle`: a discard pile becomes the draw pile; its cards, top first."""
    cards = tuple(cards)
    names = [PILES[pile][card] for card in cards]
    return Action("!shuffle", (pile, *cards), " ".join(["!shuffle", pile, *names]))


_TILE = r"([A-G][1-6])"
_DJINN = r"([a-z-]+)"
_SYNTAX: Final = {
    "bid": r"([1-9]|1[0-2])(?: f ([1-9]|1[0-9]))?",
    "take": _TILE,
    "drop": rf"{_TILE} ([{TRIBES}])",
    "build": r"(0|[1-9]|1[0-8])",
    "kill": rf"(?:{_TILE}|@([1-{SEATS}])) ([{TRIBES}]{{1,2}})",
    "palm": rf"{_TILE}(?: ([wf]))?",
    "palace": rf"{_TILE}(?: ([wf]))?",
    "buy": r"([1-9])(?: ([1-9]))?",
    "summon": rf"{_DJINN} (ww|wf)",
    "keep": _DJINN,
    "use": rf"{_DJINN} (w|f|ww|wf)(?: {_TILE}(?: ([wf]) {_TILE})?)?",
    "sell": r"[a-z]+(?: [a-z]+){0,8}",
    "craft": "(p|ff)",
    "item": r"([a-z]+)((?: [A-Za-z0-9-]+){0,2})",
    "slay": rf"{_TILE} ([{TRIBES}])",
    "pull": rf"{_TILE} ([{TRIBES}])",
    "fly": rf"{_TILE} ([{TRIBES}])",
    "next": r"([a-z]+)",
    "camel": "",
    "tent": "",
    "done": "",
    "skip": "",
    "spare": "",
    "pass": "",
    "end": "",
    "!bag": rf"([{TRIBES}]{{1,3}})",
    "!shuffle": r"(resources|djinns|items)((?: [a-z-]+)+)",
}
_PATTERNS: Final = {verb: re.compile(syntax) for verb, syntax in _SYNTAX.items()}
_FORMS: Final = {
    "bid": "bid N, or bid N f K",
    "take": "take A1",
    "drop": "drop A2 r",
    "build": "build K",
    "kill": "kill A1 r, kill A1 wr, kill @2 w or kill @2 yw",
    "palm": "palm A1, or palm A2 w",
    "palace": "palace A1, or palace A2 w",
    "buy": "buy 2, or buy 1 4",
    "summon": "summon enki ww, or summon enki wf",
    "keep": "keep enki, or keep crown",
    "craft": "craft p, or craft ff",
    "item": "item lamp enki, item talisman A1 B2, item ring crown, item scimitar, item flute A1 or item horn",
    "slay": "slay A1 r",
    "pull": "pull A1 r",
    "fly": "fly A1 r",
    "next": "next fish",
    "use": "use enki w A1, use enki w A1 f A2, use leta ww A1 or use sloar f",
    "sell": "sell fish ivory wheat (different goods in alphabetical order)",
    "!bag": "!bag wrr",
    "!shuffle": "!shuffle resources fish fakir …, or !shuffle djinns enki …",
}


def _refuse(text: str, why: str) -> ActionSyntaxError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    return ActionSyntaxError("BAD_SYNTAX", f"{shown!r} is not an action: {why}", "notation, Actions")


def parse_action(text: str) -> Action:
    """The action that a text names, by syntax alone; `ActionSyntaxError` for any other text."""
    known = _ACTIONS.get(text)
    if known is not None:
        return known
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise ActionSyntaxError("BAD_SYNTAX", f"an action is a text of at most {MAX_TEXT} characters")
    verb, _, rest = text.partition(" ")
    pattern = _PATTERNS.get(verb)
    if pattern is None:
        raise _refuse(text, f"the verbs are {', '.join(VERBS)} (and {', '.join(CHANCE_VERBS)} for chance)")
    match = pattern.fullmatch(rest)
    if match is None:
        raise _refuse(text, f"write {_FORMS.get(verb, verb)}")
    try:
        action = _READERS[verb](match, rest)
    except (KeyError, ValueError) as error:
        raise _refuse(text, f"write {_FORMS.get(verb, verb)} ({error})") from None
    if action.text != text:
        raise _refuse(text, f"it is written {action.text!r}")
    return action


def _tile(name: str | None) -> int:
    return TILE_NUMBER[name] if name else -1


def _read_kill(match: re.Match[str], rest: str) -> Action:
    tile, seat, letters = match.groups()
    group = parse_group(letters)
    return kill_before(int(seat), group) if seat else kill(_tile(tile), group)


def _read_use(match: re.Match[str], rest: str) -> Action:
    djinn, payment, target, diverted, to = match.groups()
    return use(DJINN_NUMBER[djinn], payment, _tile(target), diverted or "", _tile(to))


def _read_sell(match: re.Match[str], rest: str) -> Action:
    names = rest.split(" ")
    if any(left >= right for left, right in itertools.pairwise(names)):
        raise ValueError("different goods in alphabetical order")
    if "fakir" in names:
        raise ValueError("a Fakir cannot be sold")
    return sell(RESOURCE_NUMBER[name] for name in names)


def _read_shuffle(match: re.Match[str], rest: str) -> Action:
    pile: Pile = match[1]  # type: ignore[assignment]
    names = match[2].split()
    return shuffle_event(pile, [PILE_NUMBERS[pile][name] for name in names])


def _read_keep(match: re.Match[str], rest: str) -> Action:
    return keep_item(ITEM_NUMBER[rest]) if rest in ITEM_NUMBER else keep(DJINN_NUMBER[rest])


_ITEM_WORDS: Final = {
    "lamp": (DJINN_NUMBER,),
    "talisman": (TILE_NUMBER, TILE_NUMBER),
    "ring": (ITEM_NUMBER,),
    "scimitar": (),
    "flute": (TILE_NUMBER,),
    "horn": (),
}
"""What each magic item is used on."""


def _read_item(match: re.Match[str], rest: str) -> Action:
    name, words = match[1], match[2].split()
    kinds = _ITEM_WORDS[name]
    if len(words) != len(kinds) or any(word not in kind for word, kind in zip(words, kinds, strict=True)):
        raise ValueError(f"the {name} takes other words")
    return item(ITEM_NUMBER[name], *words)


def _read_buy(match: re.Match[str], rest: str) -> Action:
    places = [int(place) - 1 for place in match.groups() if place]
    if any(left >= right for left, right in itertools.pairwise(places)):
        raise ValueError("places in ascending order")
    return buy(*places)


_READERS: Final[dict[str, Callable[[re.Match[str], str], Action]]] = {
    "bid": lambda match, rest: bid(int(match[1]) - 1, int(match[2] or 0)),
    "take": lambda match, rest: TAKE[_tile(match[1])],
    "drop": lambda match, rest: DROP[_tile(match[1])][TRIBES.index(match[2])],
    "build": lambda match, rest: build(int(match[1])),
    "kill": _read_kill,
    "palm": lambda match, rest: place("palm", _tile(match[1]), match[2] or ""),
    "palace": lambda match, rest: place("palace", _tile(match[1]), match[2] or ""),
    "buy": _read_buy,
    "summon": lambda match, rest: summon(DJINN_NUMBER[match[1]], match[2]),
    "keep": _read_keep,
    "craft": lambda match, rest: craft(match[1]),
    "item": _read_item,
    "slay": lambda match, rest: slay(_tile(match[1]), TRIBES.index(match[2])),
    "pull": lambda match, rest: pull(_tile(match[1]), TRIBES.index(match[2])),
    "fly": lambda match, rest: fly(_tile(match[1]), TRIBES.index(match[2])),
    "next": lambda match, rest: next_card(RESOURCE_NUMBER[match[1]]),
    "camel": lambda match, rest: CAMEL,
    "tent": lambda match, rest: TENT,
    "done": lambda match, rest: DONE,
    "use": _read_use,
    "sell": _read_sell,
    "skip": lambda match, rest: SKIP,
    "spare": lambda match, rest: SPARE,
    "pass": lambda match, rest: PASS,
    "end": lambda match, rest: END,
    "!bag": lambda match, rest: bag_event(TRIBES.index(letter) for letter in rest),
    "!shuffle": _read_shuffle,
}
