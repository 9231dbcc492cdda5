"""The house players: they decide on a seat's view and its legal actions alone. Pure; chance comes from their seed."""

from __future__ import annotations

from arena.players.base import Player
from arena.players.greedy import Greedy
from arena.players.uniform import Uniform
from arena.players.worth import VARIANTS
from arena.rules import RulesError, View

PLAYERS: dict[str, str] = {
    "random": "plays any legal action, each as likely",
    **{name: weights.about for name, weights in VARIANTS.items()},
}
"""Every house player by name, with what to expect of it."""


def make_player(name: str, seed: bytes) -> Player:
    """The house player of that name; its choices follow from its 32-byte seed and what it is shown."""
    if name == "random":
        return Uniform(seed)
    if name in VARIANTS:
        return Greedy(seed, VARIANTS[name])
    raise RulesError("NO_SUCH_PLAYER", f"there is no house player {name!r}; there are {', '.join(PLAYERS)}")


def ask_house(name: str, seed: bytes, seen: View, legal: list[str]) -> str:
    """One decision of a house player for another's seat. Records hold it, and are proved by asking again: a player that
    would choose otherwise gets another name."""
    choice = make_player(name, seed).choose(seen, legal)
    return choice if isinstance(choice, str) else choice[0]


__all__ = ["PLAYERS", "Player", "ask_house", "make_player"]
