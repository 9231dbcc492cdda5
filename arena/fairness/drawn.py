"""Error rates of `kingmaking`, by leans that are drawn: how often honest bots are flagged, and helpers found."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from arena.fairness.kingmaking import Help, pairs

BOTS = [f"B{number}" for number in range(8)]
HELPER, HELPED = BOTS[:2]
LEANS = (0.0, 0.2, 0.3, 0.4)
GAMES = (150, 300)


class Rates(NamedTuple):
    """Of worlds alike."""

    games: int
    """In each world; a pair meets in 3 of 14."""
    lean: float
    """How far the turns of one bot lean to another one; 0: all are honest."""
    found: float
    """The share of worlds in which that pair is flagged."""
    wrong: float
    """The share of worlds in which any honest pair is."""


def drawn_games(random: Random, number: int, lean: float = 0.0) -> list[list[Help]]:
    """Games of four of eight bots, each of which hurts leaders in a measure of its own; `HELPER` helps `HELPED`."""
    spite = {bot: random.uniform(0, 0.6) for bot in BOTS}
    return [_drawn_game(random, f"g{game}", spite, lean) for game in range(number)]


def _drawn_game(random: Random, game: str, spite: dict[str, float], lean: float) -> list[Help]:
    table = random.sample(BOTS, 4)
    leader = random.choice(table)
    rows = []
    for helper in table:
        for helped in table:
            if helper != helped:
                turns, leads = random.randint(1, 6), helped == leader
                mean = -spite[helper] * leads + lean * ((helper, helped) == (HELPER, HELPED))
                total = sum(max(-1.0, min(1.0, random.gauss(mean, 0.7))) for _ in range(turns))
                rows.append(Help(game, helper, helped, leads, turns, total))
    return rows


def error_rates(worlds: int, seed: int) -> Iterator[Rates]:
    """For each number of games and each lean, over so many worlds."""
    for games in GAMES:
        for lean in LEANS:
            random, found, wrong = Random(f"{seed} {games} {lean}"), 0, 0  # noqa: S311
            for _ in range(worlds):
                flagged = {pair[:2] for pair in pairs(drawn_games(random, games, lean)).pairs if pair.is_flagged}
                helps = lean > 0 and (HELPER, HELPED) in flagged
                found += helps
                wrong += len(flagged) > helps
            yield Rates(games, lean, found / worlds, wrong / worlds)
