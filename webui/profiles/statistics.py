"""Statistics of a bot's latest matches: wins by seat and by number of players, opponents, faults."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from webui.profiles.values import PastSeat

OPPONENTS_SHOWN = 12
TINTED_FROM = 10
"""Minimum number of games for which a share is coloured."""


@dataclass(frozen=True)
class WinShare:
    """A share of wins, in percent."""

    number: int
    """The seat, or the number of players."""
    games: int
    wins: int
    percent: int
    low: int
    """Lower end of the 95 % confidence interval."""
    high: int
    equal: int
    """Share that bots of equal strength would have."""

    @property
    def width(self) -> int:
        """Return the width of the interval, in percent."""
        return self.high - self.low


@dataclass(frozen=True)
class Meetings:
    """Games with an opponent, with one number of players."""

    players: int
    games: int
    percent: int
    """Share of these games in which the bot placed above it. Ties count half."""

    @property
    def tint(self) -> str:
        """Return the class of the cell, which is empty for few games and for an equal share."""
        if self.games < TINTED_FROM or self.percent == 50:
            return ""
        return "is-high" if self.percent > 50 else "is-low"


@dataclass(frozen=True)
class Rival:
    """An opponent, with a meeting for each number of players in `BotStatistics.counts`. None: no games."""

    name: str
    slug: str
    meetings: list[Meetings | None]


@dataclass(frozen=True)
class Faults:
    """Matches with a fault."""

    reason: str
    matches: int
    latest: str


@dataclass(frozen=True)
class BotStatistics:
    """Counts over the latest matches of a bot."""

    games: int
    """Number of matches with a result."""
    counts: list[int]
    """Numbers of players that occur."""
    by_players: list[WinShare]
    by_seat: list[WinShare]
    rivals: list[Rival]
    forfeits: list[Faults]
    declined: Faults | None

    @classmethod
    def of(cls, past: Sequence[PastSeat]) -> "BotStatistics":
        """Count the latest seats, which are given newest first."""
        played = [seat for seat in past if seat.placement is not None]
        return cls(
            games=len(played),
            counts=sorted({_players(seat) for seat in played}),
            by_players=_shares((_players(seat), seat) for seat in played),
            by_seat=_shares((seat.seat, seat) for seat in played),
            rivals=_rivals(played),
            forfeits=_forfeits(played),
            declined=_declined(past),
        )


def _players(seat: PastSeat) -> int:
    return len(seat.opponents) + 1


def _shares(games: Iterable[tuple[int, PastSeat]]) -> list[WinShare]:
    by_number: dict[int, list[PastSeat]] = {}
    for number, seat in games:
        by_number.setdefault(number, []).append(seat)
    return [_share(number, seats) for number, seats in sorted(by_number.items())]


def _share(number: int, seats: Sequence[PastSeat]) -> WinShare:
    count, wins = len(seats), sum(seat.placement == 1 for seat in seats)
    middle, z = wins / count, 1.96  # Wilson's interval
    centre = (middle + z * z / (2 * count)) / (1 + z * z / count)
    half = z * sqrt(middle * (1 - middle) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return WinShare(
        number=number,
        games=count,
        wins=wins,
        percent=round(100 * middle),
        low=round(100 * max(0, centre - half)),
        high=round(100 * min(1, centre + half)),
        equal=round(100 * sum(1 / _players(seat) for seat in seats) / count),
    )


def _rivals(played: Sequence[PastSeat]) -> list[Rival]:
    games: Counter[tuple[str, int]] = Counter()
    above: dict[tuple[str, int], float] = {}
    names: dict[str, str] = {}
    met: Counter[str] = Counter()
    for seat in played:
        assert seat.placement is not None  # it has a result
        for other in seat.opponents:
            key = other.slug, _players(seat)
            names[other.slug] = other.name
            met[other.slug] += 1
            games[key] += 1
            better = (seat.placement < other.placement) + (seat.placement == other.placement) / 2
            above[key] = above.get(key, 0) + better
    counts = sorted({_players(seat) for seat in played})
    return [
        Rival(
            names[slug],
            slug,
            [_meetings(count, games[slug, count], above.get((slug, count), 0)) for count in counts],
        )
        for slug, _ in met.most_common(OPPONENTS_SHOWN)
    ]


def _meetings(players: int, games: int, above: float) -> Meetings | None:
    return Meetings(players, games, round(100 * above / games)) if games else None


def _forfeits(played: Sequence[PastSeat]) -> list[Faults]:
    counts = Counter(seat.forfeit_reason for seat in played if seat.forfeit_reason)
    latest = {seat.forfeit_reason: seat.match_id for seat in reversed(played)}
    return [Faults(reason, count, latest[reason]) for reason, count in counts.most_common()]


def _declined(past: Sequence[PastSeat]) -> Faults | None:
    declined = [seat for seat in past if seat.has_declined]
    return Faults("", len(declined), declined[0].match_id) if declined else None
