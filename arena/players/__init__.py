"""House players. They decide by a seat's view and its legal actions alone. Pure: all chance comes from their seed.

`offers`, `picks`, `ahead` and `bids` show how the search players judge a position, for use by other players.
"""

from __future__ import annotations

from arena.players.auction import ahead, bids, picks
from arena.players.base import Player, Uniform
from arena.players.greedy import Greedy
from arena.players.outlook import offers
from arena.players.search import BUDGETS, Search
from arena.players.worth import VARIANTS
from arena.rules import RulesError, View

PLAYERS: dict[str, str] = {
    "random": "plays any legal action, each as likely",
    **{name: weights.about for name, weights in VARIANTS.items()},
    **{name: budget.about for name, budget in BUDGETS.items()},
}
"""Description of every house player, by name."""
VERSION = "1"
"""Version of every house player. A house player never changes its play: one that chooses otherwise gets a new name."""
GRADED = ("random", "greedy", "greedy-vizier", "greedy-trader", "greedy-rival", *BUDGETS)
"""House players of an arena with house bots, weakest first; some are about equally strong."""


def make_player(name: str, seed: bytes) -> Player:
    """Return the house player of that name. Its choices depend only on its 32-byte seed and on the views it gets.

    Raise `RulesError` (NO_SUCH_PLAYER) if there is no such player.
    """
    if name == "random":
        return Uniform(seed)
    if name in VARIANTS:
        return Greedy(seed, VARIANTS[name])
    if name in BUDGETS:
        return Search(seed, BUDGETS[name])
    raise RulesError("NO_SUCH_PLAYER", f"there is no house player {name!r}; there are {', '.join(PLAYERS)}")


def ask_house(name: str, seed: bytes, seen: View, legal: list[str]) -> str:
    """Return one decision of a new house player, for a seat whose bot did not decide.

    Records hold such decisions; they are proved by calling this again.
    """
    choice = make_player(name, seed).choose(seen, legal)
    return choice if isinstance(choice, str) else choice[0]


__all__ = ["GRADED", "PLAYERS", "VERSION", "Player", "ahead", "ask_house", "bids", "make_player", "offers", "picks"]
