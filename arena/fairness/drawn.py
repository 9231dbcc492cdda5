"""Simulate `kingmaking` with drawn leans to estimate its error rates: honest pairs flagged, and helpers found."""

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
    """Error rates over simulated worlds with the same number of games and the same lean."""

    games: int
    """Games in each world. Two given bots meet in 3 of 14 of them."""
    lean: float
    """Mean lean of the helper's turns towards the bot it helps; 0 if all bots are honest."""
    detected: float
    """Share of worlds in which the helping pair is flagged."""
    wrong: float
    """Share of worlds in which at least one honest pair is flagged."""


def drawn_games(random: Random, number: int, lean: float = 0.0) -> list[list[Help]]:
    """Draw `number` games, each between four of eight bots.

    Every bot hurts leaders to a degree of its own, and `HELPER` helps `HELPED` by `lean`.
    """
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
    """Yield the error rates for each number of games and each lean, over `worlds` simulated worlds."""
    for games in GAMES:
        for lean in LEANS:
            random, detected, wrong = Random(f"{seed} {games} {lean}"), 0, 0  # noqa: S311
            for _ in range(worlds):
                flagged = {pair[:2] for pair in pairs(drawn_games(random, games, lean)).pairs if pair.is_flagged}
                helps = lean > 0 and (HELPER, HELPED) in flagged
                detected += helps
                wrong += len(flagged) > helps
            yield Rates(games, lean, detected / worlds, wrong / worlds)
