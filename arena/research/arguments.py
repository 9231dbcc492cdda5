"""Checks of the environments' arguments, and the one error that they raise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import TypeGuard

import numpy as np

from arena.players import PLAYERS, Player, make_player
from arena.rules import Ruleset
from arena.rules.chance import SEED_BYTES
from arena.rules.components import CAMELS, EXPANSIONS


class ArgumentError(ValueError):
    """Raised for an argument that cannot be used.

    `argument` is its name. The message says what was expected and what was given.

    >>> ruleset_of(7, ())
    Traceback (most recent call last):
    arena.research.arguments.ArgumentError: players: expected a number from 2 to 5, not 7
    """

    def __init__(self, argument: str, expected: str, given: object) -> None:
        super().__init__(f"{argument}: expected {expected}, not {given!r}")
        self.argument = argument


def ruleset_of(players: object, expansions: object) -> Ruleset:
    """Return the ruleset of these players and expansions, in any order. Raises `ArgumentError` if there is none.

    >>> ruleset_of(5, ["whims", "artisans"])
    Ruleset(players=5, expansions=('artisans', 'whims'))
    """
    if not _is_integer(players) or players not in CAMELS:
        raise ArgumentError("players", f"a number from {min(CAMELS)} to {max(CAMELS)}", players)
    given = None if isinstance(expansions, str) or not isinstance(expansions, Iterable) else list(expansions)
    names = tuple(expansion for expansion in EXPANSIONS if expansion in (given or ()))
    if given is None or len(names) != len(given):
        raise ArgumentError("expansions", f"a list of {', '.join(EXPANSIONS)} or some of them, each once", expansions)
    if players == max(CAMELS) and not names:
        raise ArgumentError("expansions", f"at least one of {', '.join(EXPANSIONS)} with five players", expansions)
    return Ruleset(int(players), names)


def seeds_of(seed: object) -> np.random.Generator:
    """Return the source of the games' seeds. Equal numbers give equal seeds; without a number it is random.

    >>> seeds_of(1).bytes(32) == seeds_of(1).bytes(32)
    True
    """
    if seed is not None and (not _is_integer(seed) or seed < 0):
        raise ArgumentError("seed", "None or a number from 0 on", seed)
    return np.random.default_rng(None if seed is None else int(seed))


def action_of(action: object, size: int, argument: str = "action") -> int:
    """Return the index of an action in an action space of this size. The action may still be illegal."""
    if not _is_integer(action) or not 0 <= action < size:
        raise ArgumentError(argument, f"a number from 0 to {size - 1}", action)
    return int(action)


def count_of(count: object) -> int:
    """Return a number of games, at least one."""
    if not _is_integer(count) or count < 1:
        raise ArgumentError("count", "a number of games from 1 on", count)
    return int(count)


def opponents_of(opponents: object) -> tuple[str, ...]:
    """Return the names of house players, one to four."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence) or len(opponents) + 1 not in CAMELS:
        raise ArgumentError("opponents", "a list of 1 to 4 names of house players, one for each other seat", opponents)
    for name in opponents:
        if not isinstance(name, str) or name not in PLAYERS:
            raise ArgumentError("opponents", f"names of house players ({', '.join(PLAYERS)})", name)
    return tuple(opponents)


def player_of(name: str, seeds: np.random.Generator) -> Player:
    """Return the house player of that name, with its own seed."""
    return make_player(name, seeds.bytes(SEED_BYTES))


def render_mode_of(mode: object) -> str | None:
    """Return how an environment is drawn: as text, or not at all."""
    if mode is None or mode == "ansi":
        return mode
    raise ArgumentError("render_mode", "None or 'ansi'", mode)


def _is_integer(number: object) -> TypeGuard[int]:
    return isinstance(number, Integral) and not isinstance(number, bool)
