"""Turn counts into figures for people: shares and means with 95 % intervals, tests of uniformity, calibration.

Shares have Wilson's interval (`figures`); means have that of the normal distribution. Pearson's chi-square test checks
whether a bot had all seats equally often, for each bot and number of players. The p-values are corrected by Benjamini
and Hochberg (1995, *Journal of the Royal Statistical Society* B 57). On average, at most one in twenty of the bots
named is named by chance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scipy.stats import chi2, false_discovery_control

from arena.fairness.figures import (
    Calibration,
    FairnessFigures,
    FarBot,
    Favourites,
    SeatTest,
    ShareLine,
    ShareTable,
    UnevenBot,
    Z,
    wilson,
)
from arena.fairness.tallies import Tallies

FEWEST = 5
"""Minimum expected count in each cell for Pearson's test."""
LEVEL = 0.05
MOST_NAMED = 10
FEWEST_ANSWERS = 20
"""Minimum number of answers before a bot counts as far away."""


def p_uniform(counts: Sequence[float]) -> float:
    """Return the p-value of Pearson's test that all cells are equally likely."""
    expected = sum(counts) / len(counts)
    return float(chi2.sf(sum((count - expected) ** 2 for count in counts) / expected, len(counts) - 1))


def summary(tallies: Tallies) -> FairnessFigures:
    """Return the figures of `tallies`."""
    plain = ("games", "decisions", "charged", "proved", "unchecked", "hidden", "ended", "aborted", "void", "faults",
             "forfeits", "failures", "overcharges")  # fmt: skip
    return FairnessFigures(
        **{name: tallies[name] for name in plain},
        seats={players: _table(rows) for players, rows in sorted(tallies["seats"].items())},
        places={players: _table(rows) for players, rows in sorted(tallies["places"].items())},
        turns=_turns(tallies["bots"]),
        far=tuple(
            FarBot(name.replace("\t", " "), answers)
            for name, (answers, far) in sorted(tallies["round_trips"].items())
            if answers == far and answers >= FEWEST_ANSWERS
        ),
        calibration={
            players: Calibration(
                _favourites([*tenths.values()]), tuple(_favourites([tenths[key]]) for key in sorted(tenths))
            )
            for players, tenths in sorted(tallies["favourites"].items())
        },
    )


def _table(rows: Sequence[Sequence[float]]) -> ShareTable:
    lines = []
    for games, won, total, squares in rows:
        variance = (squares - total * total / games) / (games - 1) if games > 1 else 0.0
        error = Z * math.sqrt(max(0.0, variance) / games) if games > 1 else None
        lines.append(ShareLine(*wilson(won, games), score=total / games, score_error=error))
    games = int(rows[0][0])
    p = p_uniform([row[1] for row in rows]) if games >= FEWEST * len(rows) else None
    return ShareTable(games, p, tuple(lines))


def _turns(bots: Mapping[str, Mapping[str, Sequence[int]]]) -> SeatTest:
    """Test whether each bot had all seats equally often. Name those with a corrected p-value of at most `LEVEL`."""
    tested = [
        (int(players), name, counts)
        for players, names in bots.items()
        for name, counts in names.items()
        if sum(counts) >= FEWEST * len(counts)
    ]
    values = false_discovery_control([p_uniform(counts) for _, _, counts in tested]) if tested else ()
    uneven = sorted(
        (
            UnevenBot(players, name.replace("\t", " "), tuple(counts), float(p))
            for (players, name, counts), p in zip(tested, values, strict=True)
            if p <= LEVEL
        ),
        key=lambda bot: bot.p,
    )
    return SeatTest(len(tested), len(uneven), tuple(uneven[:MOST_NAMED]))


def _favourites(rows: Sequence[Sequence[float]]) -> Favourites:
    games, given, won, variance = (sum(column) for column in zip(*rows, strict=True))
    return Favourites(int(games), given / games, won / games, Z * math.sqrt(variance) / games)
