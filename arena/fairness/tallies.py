"""Counts of many matches, as JSON: two of them are added up into one, so that a month is the sum of its days.

========================  ======================================================================================
`games`                   records folded
`seats`, `places`         players → for each seat, or place in the first bidding: [games, games won, sum of
                          scores, sum of squared scores]. A win that several share counts in parts. Only games
                          without a forfeit and with a deal of their own count here
`bots`                    players → bot, tab, version → how often it had each seat, in games with a deal of their own
`favourites`              players → tenth → [games, sum of the chances given to the favourite, games that it won,
                          sum of the variances of these]; the tenth is that of the chance, 4 for .40 to .50.
                          Only games that count for `seats`
`ended`                   state → matches
`aborted`, `void`         reason → matches
`faults`, `forfeits`      reason → how many
`decisions`, `charged`    decisions of bots, and those for which time was charged
`proved`, `unchecked`     records that were proved; those that this version of the rules cannot prove
`failures`                match → what did not follow
`overcharges`             match → what was charged, and what its log allows
`hidden`                  matches of rounds that organisers have not revealed, which are left out
========================  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.referee import first_bids

Tallies = dict[str, Any]
_COUNTERS = ("games", "decisions", "charged", "proved", "unchecked", "hidden")
_TABLES = (
    "seats", "places", "bots", "favourites", "ended", "aborted", "void", "faults", "forfeits", "failures", "overcharges"
)  # fmt: skip


def new_tallies() -> Tallies:
    """Of no match."""
    return {**dict.fromkeys(_COUNTERS, 0), **{name: {} for name in _TABLES}}


def add(one: Any, other: Any) -> Any:
    """The sum of two tallies, and of their parts: numbers are added, lists item by item, objects key by key, where a
    key may be missing. Of two texts the first."""
    if isinstance(one, dict):
        return {
            key: add(one[key], other[key]) if key in one and key in other else one.get(key, other.get(key))
            for key in {**one, **other}
        }
    if isinstance(one, list):
        return [add(left, right) for left, right in zip(one, other, strict=True)]
    return one if isinstance(one, str) else one + other


def _count(table: dict[str, Any], key: str, row: Any = 1) -> None:
    table[key] = add(table[key], row) if key in table else row


def fold_end(tallies: Tallies, state: str, reason: str = "") -> None:
    """Count how a match ended: `finished`, `aborted` or `void`, the latter two with the reason."""
    _count(tallies["ended"], state)
    if state in ("aborted", "void"):
        _count(tallies[state], reason)


def fold_record(tallies: Tallies, document: Mapping[str, Any], chances: Sequence[float] | None = None) -> None:
    """Count the record of a match, or the replay of a game without one. It must have been proved, or come from where
    records are. The games of a block have one deal and turned seats, so they are not independent, as tests and
    intervals take games to be: no test counts them.

    `chances`: for each seat the probability to win that the ratings before the game gave it, if they gave any.
    """
    tallies["games"] += 1
    players = str(len(document["seats"]))
    is_independent = document.get("deal") is None
    for seat, bot in enumerate(document["seats"] if is_independent else ()):
        row = [int(seat == other) for other in range(len(document["seats"]))]
        _count(tallies["bots"].setdefault(players, {}), f"{bot['name']}\t{bot['version']}", row)
    for event in document["events"]:
        if event[0]:
            facts = event[2] if len(event) > 2 else {}
            tallies["decisions"] += "house" not in facts and "forced" not in facts
            tallies["charged"] += "ms" in facts
    for incident in document.get("incidents", ()):
        if incident["kind"] != "absence":
            _count(tallies[f"{incident['kind']}s"], incident["reason"])
    is_completed = document.get("verdict", {"kind": "completed"})["kind"] == "completed"
    if not is_independent or not is_completed or document["result"] is None:
        return
    won = _shares(document["result"]["ranks"])
    scores = [score["total"] for score in document["result"]["scores"]]
    rows = [[1, share, score, score * score] for share, score in zip(won, scores, strict=True)]
    _count(tallies["seats"], players, rows)
    bids = first_bids(document["setup"]["bid_order"])
    _count(tallies["places"], players, [rows[bids.index(place)] for place in range(1, len(rows) + 1)])
    if chances is not None:
        _fold_favourite(tallies["favourites"], players, chances, won)


def win_chances(points: Sequence[float]) -> list[float]:
    """The probability that each seat wins, by Plackett and Luce: 400 points are odds of 10 to 1. Places in the first
    bidding and ties are left aside."""
    most = max(points)
    weights = [10 ** ((point - most) / 400) for point in points]
    return [weight / sum(weights) for weight in weights]


def _shares(ranks: Sequence[int]) -> list[float]:
    """The part of the win that each seat has."""
    return [1 / ranks.count(1) if rank == 1 else 0 for rank in ranks]


def _fold_favourite(table: dict[str, Any], players: str, chances: Sequence[float], won: Sequence[float]) -> None:
    """Where several seats have the highest chance there is no favourite, and the game says nothing."""
    given = max(chances)
    if list(chances).count(given) == 1:
        row = [1, given, won[list(chances).index(given)], given * (1 - given)]
        _count(table.setdefault(players, {}), str(min(9, int(10 * given))), row)
