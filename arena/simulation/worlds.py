"""Worlds of bots with known strengths, in points. The mean of a world has no meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from arena.ratings.choices import Floats


@dataclass(frozen=True)
class World:
    """The bots 0, 1, …, each with an owner of its own. Time goes from 0 to 1, the length of the simulation."""

    strengths: Floats
    """Points at the start."""
    groups: tuple[str, ...]
    """Group of every bot. Errors within a group may have a common cause."""
    arrivals: Floats
    """Time at which each bot begins to play."""
    drifts: Floats
    """Points gained until time 1."""
    helps: Mapping[int, int] = field(default_factory=dict)
    """Helpers and the bots they help. A helper places itself last if the bot it helps is at its table."""

    def at(self, time: float) -> Floats:
        """Return the strengths at a time."""
        return self.strengths + time * self.drifts

    @property
    def judged(self) -> tuple[int, ...]:
        """Bots whose intervals count: neither helpers nor those they help, whose strengths are not defined."""
        return tuple(
            bot for bot in range(len(self.strengths)) if bot not in self.helps and bot not in self.helps.values()
        )


def _world(strengths: Floats, groups: list[str], arrivals: Floats | None = None, drifts: Floats | None = None) -> World:
    still = np.zeros(len(strengths))
    return World(strengths, tuple(groups), still if arrivals is None else arrivals, still if drifts is None else drifts)


def _thirds(bots: int, *names: str) -> list[str]:
    return [names[len(names) * bot // bots] for bot in range(bots)]


def _even(bots: int, chance: np.random.Generator) -> World:
    return _world(np.linspace(-400, 400, bots), _thirds(bots, "weak", "middle", "strong"))


def _clusters(bots: int, chance: np.random.Generator) -> World:
    centres = np.array([-300, -100, 100, 300])[[4 * bot // bots for bot in range(bots)]]
    return _world(centres + chance.normal(0, 10, bots), _thirds(bots, "lowest", "low", "high", "highest"))


def _far(bots: int, chance: np.random.Generator) -> World:
    strengths = np.append(np.sort(chance.normal(0, 100, bots - 1)), 600.0)
    return _world(strengths, [*["rest"] * (bots - 1), "far"])


def _drift(bots: int, chance: np.random.Generator) -> World:
    drifts = chance.normal(0, 100, bots)
    groups = ["rising" if drift > 0 else "falling" for drift in drifts]
    return _world(chance.normal(0, 200, bots), groups, drifts=drifts)


def _arrivals(bots: int, chance: np.random.Generator) -> World:
    groups = _thirds(bots, "first", "second", "third")
    arrivals = np.array([{"first": 0, "second": 1, "third": 2}[group] / 3 for group in groups])
    return _world(chance.normal(0, 200, bots) + 150 * arrivals, groups, arrivals)


def _boosted(bots: int, chance: np.random.Generator, helpers: int) -> World:
    """Return a world in which an average bot with helpers, and two strong bots, arrive after half the time."""
    old = bots - helpers - 3
    strengths = np.concatenate([chance.normal(0, 200, old), np.zeros(1 + helpers), [300.0, 300]])
    groups = (*["rest"] * old, "boosted", *["helper"] * helpers, *["strong"] * 2)
    arrivals = np.concatenate([np.zeros(old), np.full(helpers + 3, 0.5)])
    return World(strengths, groups, arrivals, np.zeros(bots), {old + number: old for number in range(1, 1 + helpers)})


def _helper(bots: int, chance: np.random.Generator) -> World:
    return _boosted(bots, chance, 1)


def _helpers(bots: int, chance: np.random.Generator) -> World:
    return _boosted(bots, chance, 3)


WORLDS: Final[Mapping[str, Callable[[int, np.random.Generator], World]]] = {
    "even": _even,
    "clusters": _clusters,
    "far": _far,
    "drift": _drift,
    "arrivals": _arrivals,
    "helper": _helper,
    "helpers": _helpers,
}
