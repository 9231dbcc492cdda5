"""The house players: they decide on a seat's view and its legal actions alone. Pure; chance comes from their seed.

How those that search judge a position is there for others, too: `offers`, `picks`, `ahead`, `bids`.
"""

from __future__ import annotations

from arena.players.auction import ahead, bids, picks
from arena.players.base import Player
from arena.players.greedy import Greedy
from arena.players.outlook import offers
from arena.players.search import BUDGETS, Search
from arena.players.uniform import Uniform
from arena.players.worth import VARIANTS
from arena.rules import RulesError, View

PLAYERS: dict[str, str] = {
    "random": "plays any legal action, each as likely",
    **{name: weights.about for name, weights in VARIANTS.items()},
    **{name: budget.about for name, budget in BUDGETS.items()},
}
"""Every house player by name, with what to expect of it."""
VERSION = "1"
"""Of every house player. None of them changes its play: a player that would choose otherwise gets another name."""
GRADED = ("random", "greedy", "greedy-vizier", "greedy-trader", "greedy-rival", *BUDGETS)
"""Those that play on an arena with house bots: from the weakest to the strongest, with some that are alike."""


def make_player(name: str, seed: bytes) -> Player:
    """The house player of that name; its choices follow from its 32-byte seed and what it is shown."""
    if name == "random":
        return Uniform(seed)
    if name in VARIANTS:
        return Greedy(seed, VARIANTS[name])
    if name in BUDGETS:
        return Search(seed, BUDGETS[name])
    raise RulesError("NO_SUCH_PLAYER", f"there is no house player {name!r}; there are {', '.join(PLAYERS)}")


def ask_house(name: str, seed: bytes, seen: View, legal: list[str]) -> str:
    """One decision of a house player for another's seat. Records hold it, and are proved by asking again."""
    choice = make_player(name, seed).choose(seen, legal)
    return choice if isinstance(choice, str) else choice[0]


__all__ = ["GRADED", "PLAYERS", "VERSION", "Player", "ahead", "ask_house", "bids", "make_player", "offers", "picks"]
