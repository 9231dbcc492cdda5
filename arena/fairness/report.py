"""From counts to what people read: shares and means with 95 % intervals, tests of uniformity, calibration.

Shares have Wilson's interval (`shares`), means that of the normal distribution. Whether a bot had all seats equally
often is Pearson's chi-square test, for each bot and number of players; so many tests are corrected by Benjamini and
Hochberg (1995, *Journal of the Royal Statistical Society* B 57): on average at most one in twenty of the bots that are
named is named by chance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scipy.stats import chi2, false_discovery_control

from arena.fairness.shares import Z, wilson

FEWEST = 5
"""Pearson's test needs so many expected in each cell."""
LEVEL = 0.05
MOST_NAMED = 10


def p_uniform(counts: Sequence[float]) -> float:
    """The probability that cells as likely as each other differ by as much as these."""
    expected = sum(counts) / len(counts)
    return float(chi2.sf(sum((count - expected) ** 2 for count in counts) / expected, len(counts) - 1))


def summary(tallies: Mapping[str, Any]) -> dict[str, Any]:
    """The report of these counts, as JSON. Shares and probabilities are from 0 to 1, p-values too."""
    plain = ("games", "decisions", "charged", "proved", "unchecked", "hidden", "ended", "aborted", "void", "faults",
             "forfeits", "failures", "overcharges")  # fmt: skip
    return {
        **{name: tallies[name] for name in plain},
        "seats": {players: _table(rows) for players, rows in sorted(tallies["seats"].items())},
        "places": {players: _table(rows) for players, rows in sorted(tallies["places"].items())},
        "turns": _turns(tallies["bots"]),
        "calibration": _calibration(tallies["favourites"]),
    }


def _table(rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    """By seat or place: `share` of wins with `low` and `high`, mean `score` with `score_error` (half the interval); and
    the p-value of all having the same share, None if there are too few games for it."""
    lines = []
    for games, won, total, squares in rows:
        variance = (squares - total * total / games) / (games - 1) if games > 1 else 0.0
        error = Z * math.sqrt(max(0.0, variance) / games) if games > 1 else None
        lines.append({**wilson(won, games)._asdict(), "score": total / games, "score_error": error})
    games = rows[0][0]
    p = p_uniform([row[1] for row in rows]) if games >= FEWEST * len(rows) else None
    return {"games": games, "p": p, "lines": lines}


def _turns(bots: Mapping[str, Mapping[str, Sequence[int]]]) -> dict[str, Any]:
    """Of bots with enough games: how many were tested, and those whose seats are least even, the corrected p-value of
    whom is at most `LEVEL`."""
    tested = [
        (int(players), name, counts)
        for players, names in bots.items()
        for name, counts in names.items()
        if sum(counts) >= FEWEST * len(counts)
    ]
    found: list[dict[str, Any]] = []
    if tested:
        values = false_discovery_control([p_uniform(counts) for _, _, counts in tested])
        for (players, name, counts), p in zip(tested, values, strict=True):
            if p <= LEVEL:
                found.append(
                    {"players": players, "bot": name.replace("\t", " "), "counts": list(counts), "p": float(p)}
                )
    found.sort(key=lambda line: line["p"])
    return {"tested": len(tested), "uneven": len(found), "named": found[:MOST_NAMED]}


def _calibration(favourites: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, Any]:
    """For each number of players and for each tenth of chance: what favourites were given and what they won, with the
    standard error times 1.96 that their chances imply."""
    return {
        players: {
            "all": _favourites([*tenths.values()]),
            "tenths": [_favourites([tenths[key]]) for key in sorted(tenths)],
        }
        for players, tenths in sorted(favourites.items())
    }


def _favourites(rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    games, given, won, variance = (sum(column) for column in zip(*rows, strict=True))
    return {"games": games, "given": given / games, "won": won / games, "error": Z * math.sqrt(variance) / games}
