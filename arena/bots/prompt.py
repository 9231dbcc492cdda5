"""A person's choice among the legal actions: they are numbered, grouped by verb and filtered by typing."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from itertools import groupby

from arena.bots.drawing import text_of
from arena.bots.view import View

MOST = 120
"""Maximum number of actions listed at once; more are narrowed by typing."""
ASK = "number, or part of an action (? for help) > "
HELP = """\
Type the number of an action, or its whole text, to play it. Any other text lists the actions that contain all of its
words: `buy 1`, `C3`. An empty line draws the board again; Ctrl-C leaves the game.
Meeples: y Viziers, w Elders, g Merchants, b Builders, r Assassins, p Artisans. In payments f is a Fakir, w an Elder."""
VERBS = {
    "bid": "place your marker on this spot of the turn order track (spot 1 acts first) and pay its price",
    "take": "pick up the meeples of this tile, to sow them",
    "skip": "go on without moving",
    "drop": "drop a meeple of this colour on this tile",
    "build": "collect gold for the Builders and pay this many Fakirs",
    "kill": "kill a meeple on this tile, or in front of this seat (@2)",
    "spare": "kill nothing",
    "palm": "place a palm tree",
    "palace": "place a palace",
    "buy": "take the cards at these places of the market, counted from 1",
    "summon": "take this Djinn and pay these Elders and Fakirs",
    "pass": "leave the action of the tile undone",
    "use": "use the power of this Djinn and pay this",
    "keep": "keep this one of those drawn",
    "sell": "sell a set of different goods",
    "end": "end your turn",
    "camel": "control the tile with a camel",
    "tent": "control the tile with the tent",
    "craft": "craft an item and pay this",
    "item": "use this item",
    "slay": "slay this meeple with the scimitar",
    "pull": "pull this meeple with the flute",
    "done": "that is all",
    "next": "take this card next",
    "fly": "the last meeple flies there",
}


class Prompt:
    """Asks on the standard input and output. The end of the input counts as KeyboardInterrupt, too."""

    def ask(self, seen: View, legal: Sequence[str], names: Sequence[str]) -> str:
        """Return one of the legal actions."""
        print(f"\n{text_of(seen, names)}\n{listing(legal, legal)}")
        while True:
            typed = _read()
            if typed in legal:
                return typed
            if typed.isdecimal():
                if 1 <= int(typed) <= len(legal):
                    return legal[int(typed) - 1]
                print(f"The numbers go from 1 to {len(legal)}.")
            elif typed == "?":
                print(help_for(legal))
            elif not typed:
                print(f"{text_of(seen, names)}\n{listing(legal, legal)}")
            elif matches := matching(legal, typed):
                print(listing(legal, matches))
            else:
                print(f"No legal action contains {typed!r}.")


def _read() -> str:
    """Read a line, with single spaces."""
    try:
        return " ".join(input(ASK).split())
    except EOFError:
        raise KeyboardInterrupt from None


def matching(legal: Sequence[str], typed: str) -> list[str]:
    """Return the actions that contain each of the words, in any case."""
    words = typed.casefold().split()
    return [action for action in legal if all(word in action.casefold() for word in words)]


def listing(legal: Sequence[str], shown: Sequence[str]) -> str:
    """List the shown actions with their numbers among all legal ones, one paragraph for each verb."""
    numbers = {action: number for number, action in enumerate(legal, 1)}
    width = max(shutil.get_terminal_size().columns, 40)
    lines = []
    for verb, actions in groupby(shown[:MOST], lambda action: action.partition(" ")[0]):
        items = [f"{numbers[action]}: {action.removeprefix(verb).strip()}".rstrip(": ") for action in actions]
        joined = "   ".join(item.replace(" ", "\xa0") for item in items)  # no line break inside an action
        lines += textwrap.wrap(joined, width, initial_indent=f"{verb:8}", subsequent_indent=" " * 8)
    if len(shown) > MOST:
        lines.append(f"… and {len(shown) - MOST} more: type part of an action to see fewer")
    return "\n".join(lines).replace("\xa0", " ")


def help_for(legal: Sequence[str]) -> str:
    """Explain what to type, and the verbs that are legal now."""
    verbs = dict.fromkeys(action.partition(" ")[0] for action in legal)
    return "\n".join([HELP, *(f"{verb:8}{VERBS[verb]}" for verb in verbs)])
