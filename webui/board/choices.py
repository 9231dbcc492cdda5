"""The legal actions of a decision in a form that a page can offer: on the board, as buttons, and in sentences.

`choices` is the one place that makes it. The script `viewer/choosing.js` shows it, wherever its actions are sent.

An action is chosen step by step, and its **path** names the steps: `tile-A2` and `meeples-r` for `drop A2 r`. Steps
that have a place on the table are lit there. All others are buttons, with the label and the drawings of a `ChoiceStep`.
Cards and goods are picked in any order, so `buy 1 4` has the path `card-1`, `card-4`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NotRequired, TypedDict

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from arena.rules import Ruleset, View
from arena.rules.components import DJINN_NUMBER
from webui.words.cards import djinn_name, item_name
from webui.words.decisions import decision_words
from webui.words.questions import question_words
from webui.words.vocabulary import RESOURCES, coins, counts, fakirs, group_words, payment

Path = list[str]


class ChoiceStep(TypedDict):
    """A step of a path: its label and the names of its drawings."""

    label: str
    short: NotRequired[str]
    """Text of its button beside the drawings, if that is not the label."""
    drawings: list[str]


class LegalAction(TypedDict):
    """A legal action."""

    text: str
    """The action in the notation."""
    words: str
    """Its sentence without a subject: `drops an assassin on A2`."""
    group: str
    """Title of its group in a list of all actions."""
    path: Path
    gain: int | None
    """Points that the seat has more right after it. None if that is not known."""
    goes_on: bool
    """Whether a sowing goes on after it: it can be tried out, and taken back until the last drop."""


class LegalChoices(TypedDict):
    """All legal actions of one decision, in the order of the notation."""

    seat: int
    """Seat that decides."""
    question: str
    held: ChoiceStep | None
    """The meeples in hand or lifted, if there are any."""
    actions: list[LegalAction]
    steps: dict[str, ChoiceStep]
    """The steps of all paths, by name."""


def path_of(text: str) -> Path:
    """Return the path of an action in the notation."""
    verb, *words = text.split(" ")
    return _PATHS.get(verb, _button)(verb, words)


def choices(
    seen: View, legal: Sequence[str], names: Sequence[str], gains: Mapping[str, int] | None = None
) -> LegalChoices:
    """Return the legal actions of a decision, in the active language.

    `seen`: the position, or the view of the seat that decides. Nothing else is shown, so nothing hidden can leak.
    `legal`: the legal actions in the notation.
    `names`: the names of the seats, seat 1 first.
    `gains`: the points that each action brings at once, as far as they are known.
    """
    ruleset = Ruleset(seen.players, seen.expansions)
    actions: list[LegalAction] = []
    steps: dict[str, ChoiceStep] = {}
    for text in legal:
        sentence, path = decision_words(text, names, ruleset, seen), path_of(text)
        actions.append(
            {
                "text": text,
                "words": sentence,
                "group": str(_GROUPS.get(text.partition(" ")[0], _TURN)),
                "path": path,
                "gain": gains.get(text) if gains else None,
                "goes_on": _goes_on(text, seen),
            }
        )
        for name in path:
            if name not in steps:
                steps[name] = _step(name, seen, names, sentence)
    group = seen.turn.hand or seen.turn.lifted
    return {
        "seat": seen.to_act or 0,
        "question": question_words(seen, legal),
        "held": _meeples(group) if group else None,
        "actions": actions,
        "steps": steps,
    }


def _goes_on(text: str, seen: View) -> bool:
    """Return whether meeples are in hand after an action, so that the same seat drops the next one."""
    verb = text.partition(" ")[0]
    return verb == "take" or (verb == "drop" and len(seen.turn.hand or "") > 1)


# The path of an action, by its verb.


def _button(verb: str, words: Sequence[str]) -> Path:
    """Return the path of an action that has no place on the table."""
    return [f"do-{'-'.join((verb, *words))}"]


def _bid(_verb: str, words: Sequence[str]) -> Path:
    return [f"spot-{words[0]}", f"fakirs-{words[2] if len(words) > 1 else 0}"]


def _on_tile(_verb: str, words: Sequence[str]) -> Path:
    """Return the path of an action on one tile, with the meeples that it names."""
    return [f"tile-{words[0]}", *(f"meeples-{word}" for word in words[1:])]


def _placed(_verb: str, words: Sequence[str]) -> Path:
    return [f"tile-{words[0]}", *(f"pay-{word}" for word in words[1:])]


def _kill(_verb: str, words: Sequence[str]) -> Path:
    where, group = words
    return [f"seat-{where[1:]}" if where.startswith("@") else f"tile-{where}", f"meeples-{group}"]


def _use(_verb: str, words: Sequence[str]) -> Path:
    djinn, price, *rest = words
    path = [f"own-{djinn}", *(f"tile-{tile}" for tile in rest[::2]), f"pay-{price}"]
    return [*path, f"again-{rest[1]}"] if len(rest) > 1 else path


def _item(verb: str, words: Sequence[str]) -> Path:
    item, *rest = words
    kind = {"lamp": "djinn", "ring": "kept"}.get(item, "tile")
    return [f"item-{item}", *([f"{kind}-{word}" for word in rest] or _button(verb, words))]


_PATHS: Final[dict[str, Callable[[str, Sequence[str]], Path]]] = {
    "bid": _bid,
    "take": _on_tile,
    "drop": _on_tile,
    "fly": lambda verb, words: ["item-carpet", *_on_tile(verb, words)],
    "slay": _on_tile,
    "pull": _on_tile,
    "kill": _kill,
    "palm": _placed,
    "palace": _placed,
    "build": lambda _verb, words: [f"fakirs-{words[0]}"],
    "buy": lambda _verb, words: [f"card-{word}" for word in words],
    "sell": lambda _verb, words: [f"good-{word}" for word in words],
    "summon": lambda _verb, words: [f"djinn-{words[0]}", f"pay-{words[1]}"],
    "keep": lambda _verb, words: [f"kept-{words[0]}"],
    "next": lambda _verb, words: [f"next-{words[0]}"],
    "craft": lambda _verb, words: [f"pay-{words[0]}"],
    "use": _use,
    "item": _item,
}


# The label and the drawings of a step.


def _step(name: str, seen: View, names: Sequence[str], sentence: str) -> ChoiceStep:
    """Return what the button of a step shows. `sentence`: that of the action, for a button without a place."""
    kind, _, what = name.partition("-")
    match kind:
        case "tile":
            return {"label": what, "drawings": []}
        case "spot":
            price = Ruleset(seen.players, seen.expansions).track.costs[int(what) - 1]
            return {"label": coins(price), "short": str(price), "drawings": ["coin"]}
        case "fakirs":
            return {"label": fakirs(int(what)), "drawings": ["i-fakir"]}
        case "meeples":
            return _meeples(what)
        case "pay" | "again":
            return {"label": payment(what), "drawings": [_COINAGE[letter] for letter in what]}
        case "seat":
            return {"label": names[int(what) - 1], "drawings": []}
        case "card":
            return _resource(seen.market[int(what) - 1])
        case "good" | "next":
            return _resource(what)
        case "djinn" | "own":
            return {"label": djinn_name(what), "drawings": [f"d-{what}"]}
        case "item":
            return {"label": item_name(what), "drawings": [f"x-{what}"]}
        case "kept":
            is_djinn = what in DJINN_NUMBER
            label = djinn_name(what) if is_djinn else item_name(what)
            return {"label": label, "drawings": [f"d-{what}" if is_djinn else f"x-{what}"]}
    return {"label": sentence, "drawings": [what] if what in ("camel", "tent") else []}


def _meeples(group: str) -> ChoiceStep:
    drawings = [f"m-{tribe}" for tribe, number in counts(group) for _ in range(number)]
    return {"label": group_words(group), "drawings": drawings}


def _resource(name: str) -> ChoiceStep:
    return {"label": str(RESOURCES[name]), "drawings": [f"i-{name}"]}


_COINAGE: Final = {"w": "m-w", "f": "i-fakir", "p": "m-p"}
"""Drawing of each letter of a payment."""


# Titles of the groups of a list, by verb.


_TURN: Final = gettext_lazy("The turn")
_GROUPS: Final[dict[str, Promise]] = {
    "bid": gettext_lazy("Bids"),
    "take": gettext_lazy("Moves"),
    "drop": gettext_lazy("Moves"),
    "fly": gettext_lazy("Moves"),
    "kill": gettext_lazy("Assassins"),
    "build": gettext_lazy("Builders"),
    "buy": gettext_lazy("Market"),
    "summon": gettext_lazy("Djinns"),
    "keep": gettext_lazy("Cards to choose from"),
    "next": gettext_lazy("Market"),
    "use": gettext_lazy("Powers of Djinns"),
    "item": gettext_lazy("Items"),
    "craft": gettext_lazy("Items"),
    "sell": gettext_lazy("Sale"),
    "palm": gettext_lazy("Tiles"),
    "palace": gettext_lazy("Tiles"),
    "slay": gettext_lazy("Tiles"),
    "pull": gettext_lazy("Tiles"),
}
"""Other verbs end the turn, or leave something undone."""
