"""Read actions: the syntax of each verb (notation.md, Actions).

There are three levels of trust. `parse_action` knows only the syntax, `State.check` checks that an action is legal in a
position, and `State.play` checks nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Final, cast

from arena.rules.components import DJINN_NUMBER, ITEM_NUMBER, TRIBES
from arena.rules.errors import ActionSyntaxError
from arena.rules.groups import parse_group
from arena.rules.notation import (
    ACTIONS,
    CAMEL,
    CHANCE_VERBS,
    DONE,
    DROP,
    END,
    PASS,
    PILE_NUMBERS,
    RESOURCE_NUMBER,
    SEATS,
    SKIP,
    SPARE,
    TAKE,
    TENT,
    TILE_NUMBER,
    VERBS,
    Action,
    Pile,
    bag_event,
    bid,
    build,
    buy,
    craft,
    fly,
    item,
    keep,
    keep_item,
    kill,
    kill_before,
    next_card,
    place,
    pull,
    sell,
    shuffle_event,
    slay,
    summon,
    use,
)

MAX_TEXT: Final = 1000
"""Maximum number of characters of an action."""

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
    """Return the action that a text names, by syntax alone (notation, Actions).

    Raise `ActionSyntaxError` if the text is not an action.

    >>> parse_action("kill @2 w").verb
    'kill'
    >>> parse_action("take Z9")
    Traceback (most recent call last):
    arena.rules.errors.ActionSyntaxError: 'take Z9' is not an action: write take A1 (notation, Actions)
    """
    known = ACTIONS.get(text)
    if known is not None:
        return known
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise ActionSyntaxError("BAD_SYNTAX", f"an action is a string of at most {MAX_TEXT} characters")
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
        raise _refuse(text, f"write {action.text!r}")
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
        raise ValueError("name different goods in alphabetical order")
    if "fakir" in names:
        raise ValueError("a Fakir cannot be sold")
    return sell(RESOURCE_NUMBER[name] for name in names)


def _read_shuffle(match: re.Match[str], rest: str) -> Action:
    pile = cast(Pile, match[1])
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
"""Kinds of words that each magic item is used with."""


def _read_item(match: re.Match[str], rest: str) -> Action:
    name, words = match[1], match[2].split()
    kinds = _ITEM_WORDS[name]
    if len(words) != len(kinds) or any(word not in kind for word, kind in zip(words, kinds, strict=True)):
        raise ValueError(f"the {name} needs other words")
    return item(ITEM_NUMBER[name], *words)


def _read_buy(match: re.Match[str], rest: str) -> Action:
    places = [int(place) - 1 for place in match.groups() if place]
    if any(left >= right for left, right in itertools.pairwise(places)):
        raise ValueError("name places in ascending order")
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
