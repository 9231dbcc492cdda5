"""Count matches as JSON. Two tallies can be added, so a month is the sum of its days.

`games`
    Number of records folded.
`seats`, `places`
    players → one row for each seat, or for each place in the first bidding: [games, games won, sum of scores, sum of
    squared scores]. A shared win counts as a fraction for each winner. Games with a forfeit or a shared deal are left
    out.
`bots`
    players → bot, tab, version → number of games in each seat. Games with a shared deal are left out.
`favourites`
    players → tenth → [games, sum of the favourites' chances, games they won, sum of the variances]. The tenth is that
    of the chance: 4 for .40 to .50. The same games are left out as for `seats`.
`ended`
    state → number of matches.
`aborted`, `void`
    reason → number of matches.
`faults`, `forfeits`
    reason → number of them.
`decisions`, `charged`
    Number of decisions of bots, and of those for which time was charged.
`proved`, `unchecked`
    Number of records proved, and of records that this version of the rules cannot prove.
`failures`
    match → the part of its record that did not follow.
`overcharges`
    match → the time charged, and the time that its log allows.
`round_trips`
    bot, tab, version → [answers while the bot had credit left, those credited with at least `FAR_MS`].
`hidden`
    Number of matches left out because their organisers have not revealed the round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from arena.referee import first_bids
from arena.referee.terms import MAX_CREDIT_MS

Tallies = dict[str, Any]
_COUNTERS = ("games", "decisions", "charged", "proved", "unchecked", "hidden")
_TABLES = (
    "seats", "places", "bots", "favourites", "ended", "aborted", "void", "faults", "forfeits", "failures",
    "overcharges", "round_trips",
)  # fmt: skip


def new_tallies() -> Tallies:
    """Return the tallies of no matches."""
    return {**dict.fromkeys(_COUNTERS, 0), **{name: {} for name in _TABLES}}


def add(one: Any, other: Any) -> Any:
    """Return the sum of two tallies, or of two parts of them.

    Numbers are added, lists item by item, objects key by key; a key may be missing on one side. Two strings give the
    first.
    """
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
    """Count how a match ended. `state` is `finished`, `aborted` or `void`; the last two need a `reason`."""
    _count(tallies["ended"], state)
    if state in ("aborted", "void"):
        _count(tallies[state], reason)


def fold_record(tallies: Tallies, document: Mapping[str, Any], chances: Sequence[float] | None = None) -> None:
    """Count the record of a match, or the replay of a game played outside a match.

    The record must have been proved, or come from a trusted store. Games of a block share a deal and rotate the seats,
    so they are not independent. Tests and intervals assume independence, so such games are left out of them.

    `chances` are the seats' probabilities to win by the ratings before the game; None if there are none.
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
    """Return the probability that each seat wins, by Plackett and Luce: 400 points are odds of 10 to 1.

    Places in the first bidding and ties are ignored.
    """
    most = max(points)
    weights = [10 ** ((point - most) / 400) for point in points]
    return [weight / sum(weights) for weight in weights]


def _shares(ranks: Sequence[int]) -> list[float]:
    """Return each seat's share of the win."""
    return [1 / ranks.count(1) if rank == 1 else 0 for rank in ranks]


def _fold_favourite(table: dict[str, Any], players: str, chances: Sequence[float], won: Sequence[float]) -> None:
    """Count the favourite's chance and result. Skip the game if several seats share the highest chance."""
    given = max(chances)
    if list(chances).count(given) == 1:
        row = [1, given, won[list(chances).index(given)], given * (1 - given)]
        _count(table.setdefault(players, {}), str(min(9, int(10 * given))), row)


FAR_MS = 200
"""Round trip in milliseconds that few honest bots never fall below. Whoever fakes one fakes as much as is credited."""


def fold_round_trips(
    tallies: Tallies, document: Mapping[str, Any], entries: Iterable[tuple[int, str, Mapping[str, Any]]]
) -> None:
    """Count the time of the network that each bot was not charged for.

    `entries` are (seat, kind, data) of the log, in order. Answers after a seat's credit for the match was used up say
    nothing, nor does the one that used it up.
    """
    noted, credited = 0, [0] * len(document["seats"])
    for seat, kind, data in entries:
        if kind == "note":
            noted = data.get("network_ms", 0)
        elif kind == "decision" and "ms" in data:
            ms, noted = noted, 0
            credited[seat - 1] += ms
            if credited[seat - 1] < MAX_CREDIT_MS and "default" not in data:
                bot = document["seats"][seat - 1]
                _count(tallies["round_trips"], f"{bot['name']}\t{bot['version']}", [1, int(ms >= FAR_MS)])


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
    """Yield the overcharges of a match. `entries` are (number, kind, data, time), in order and from the first.

    Charges come from the gateway's clock and times from the database's; nobody can set both together. A decision is
    asked for only when everything before it is stored, and it is stored only when it has been answered. The charge can
    therefore not be longer than the time between the two entries.
    """
    since: datetime | None = None
    for number, kind, data, at in entries:
        if kind == "decision" and since is not None and data and "ms" in data:
            most = round((at - since).total_seconds() * 1000)
            if data["ms"] > most + SLACK_MS:
                yield Overcharge(number, data["ms"], most)
        if kind in ("ready", "decision", "chance", "forfeit"):
            since = at
