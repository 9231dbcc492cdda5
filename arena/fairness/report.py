"""Turn counts into figures for people: shares and means with 95 % intervals, tests of uniformity, calibration.

Shares have Wilson's interval (`shares`); means have that of the normal distribution. Pearson's chi-square test checks
whether a bot had all seats equally often, for each bot and number of players. The p-values are corrected by Benjamini
and Hochberg (1995, *Journal of the Royal Statistical Society* B 57). On average, at most one in twenty of the bots
named is named by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from scipy.stats import chi2, false_discovery_control

from arena.fairness.shares import Z, wilson

# Find decisions that were charged more thinking time than the log's times allow.
#
# Charges come from the gateway's clock and times from the database's; nobody can set both together. A decision is
# asked for only when everything before it is stored, and it is stored only when it has been answered. The charge can
# therefore not be longer than the time between the two entries.


SLACK_MS = 50
"""Tolerance in milliseconds: two clocks run at different rates, and stored times are cut to milliseconds."""


class Overcharge(NamedTuple):
    """A decision that was charged more time than had passed."""

    number: int
    """Number of the decision's entry in the log."""
    ms: int
    """Milliseconds charged."""
    most: int
    """Milliseconds that passed since the previous entry."""


def overcharges(entries: Iterable[tuple[int, str, Any, datetime]]) -> Iterator[Overcharge]:
    """Yield the overcharges of a match. `entries` are (number, kind, data, time), in order and from the first."""
    since: datetime | None = None
    for number, kind, data, at in entries:
        if kind == "decision" and since is not None and data and "ms" in data:
            most = round((at - since).total_seconds() * 1000)
            if data["ms"] > most + SLACK_MS:
                yield Overcharge(number, data["ms"], most)
        if kind in ("ready", "decision", "chance", "forfeit"):
            since = at


FEWEST = 5
"""Minimum expected count in each cell for Pearson's test."""
LEVEL = 0.05
MOST_NAMED = 10


def p_uniform(counts: Sequence[float]) -> float:
    """Return the p-value of Pearson's test that all cells are equally likely."""
    expected = sum(counts) / len(counts)
    return float(chi2.sf(sum((count - expected) ** 2 for count in counts) / expected, len(counts) - 1))


def summary(tallies: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report of `tallies` as a JSON object. Shares, probabilities and p-values are from 0 to 1."""
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
    """Return the number of games, one line for each seat or place, and the p-value of equal shares of wins.

    A line has the `share` of wins with its interval from `low` to `high`, and the mean `score` with `score_error`, half
    its interval. The p-value is None if there are too few games for the test.
    """
    lines = []
    for games, won, total, squares in rows:
        variance = (squares - total * total / games) / (games - 1) if games > 1 else 0.0
        error = Z * math.sqrt(max(0.0, variance) / games) if games > 1 else None
        lines.append({**wilson(won, games)._asdict(), "score": total / games, "score_error": error})
    games = rows[0][0]
    p = p_uniform([row[1] for row in rows]) if games >= FEWEST * len(rows) else None
    return {"games": games, "p": p, "lines": lines}


def _turns(bots: Mapping[str, Mapping[str, Sequence[int]]]) -> dict[str, Any]:
    """Test whether each bot had all seats equally often.

    Return how many bots were tested, how many have a corrected p-value of at most `LEVEL`, and the worst of these by
    name.
    """
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
    """Return the calibration of favourites for each number of players, overall and for each tenth of chance.

    Each entry has the mean chance given to favourites, the share they won, and 1.96 standard errors as their chances
    imply.
    """
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
