"""The house players: they decide on a seat's view and its legal actions alone. Pure; chance comes from their seed."""

from __future__ import annotations

from arena.players.base import Player
from arena.players.greedy import Greedy
from arena.players.uniform import Uniform
from arena.players.worth import VARIANTS
from arena.rules import RulesError

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


__all__ = ["PLAYERS", "Player", "make_player"]
