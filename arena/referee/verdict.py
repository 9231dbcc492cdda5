"""The end of a match for the arena, which may differ from the end of its game by the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

VerdictKind = Literal["completed", "forfeit", "void"]


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat that its bot no longer plays."""

    seat: int
    at: int
    """Index of the first decision that the bot does not make."""
    reason: str

    def document(self) -> dict[str, Any]:
        """Return the forfeit as an item of `forfeits` in a replay's verdict."""
        return {"seat": self.seat, "at": self.at, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The `verdict` of a replay."""

    kind: VerdictKind
    placements: tuple[int, ...]
    """Placements by seat, seat 1 first, 1 is best; empty if void."""
    forfeits: tuple[Forfeit, ...]
    """Forfeits in the order in which they happened."""

    def document(self) -> dict[str, Any]:
        """Return the verdict as JSON."""
        return {
            "kind": self.kind,
            "placements": list(self.placements),
            "forfeits": [forfeit.document() for forfeit in self.forfeits],
        }

    @classmethod
    def parse(cls, document: Mapping[str, Any]) -> Verdict:
        """Return the verdict of a proved replay.

        >>> Verdict.parse({"kind": "completed", "placements": [2, 1], "forfeits": []})
        Verdict(kind='completed', placements=(2, 1), forfeits=())
        """
        forfeits = tuple(Forfeit(**one) for one in document["forfeits"])
        return cls(document["kind"], tuple(document["placements"]), forfeits)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of one seat, as the record of its match states it."""

    seat: int
    first_bid: int
    """Place in the first bidding, from 1."""
    placement: int | None
    """Placement in the match; None if the match is void."""
    rank: int | None
    """Rank by the rules; None if the game was not played to its end."""
    points: Mapping[str, int]
    """Points by source, and `total`; empty if the game was not played to its end."""
    forfeit: Forfeit | None

    @property
    def score(self) -> int | None:
        """Total points; None if the game was not played to its end."""
        return self.points.get("total")


def seat_results(document: Mapping[str, Any]) -> list[SeatResult]:
    """Return the results of the seats of a match by its record, which has been proved."""
    verdict, result = Verdict.parse(document["verdict"]), document["result"]
    forfeits = {forfeit.seat: forfeit for forfeit in verdict.forfeits}
    return [
        SeatResult(
            seat,
            first_bid,
            verdict.placements[seat - 1] if verdict.placements else None,
            result["ranks"][seat - 1] if result else None,
            result["scores"][seat - 1] if result else {},
            forfeits.get(seat),
        )
        for seat, first_bid in enumerate(first_bids(document["setup"]["bid_order"]), 1)
    ]


def first_bids(bid_order: Sequence[int]) -> list[int]:
    """Return each seat's place in the first bidding, from 1, by the `bid_order` of the set-up.

    Two players have two markers each; the place is that of the first one.
    """
    order = list(dict.fromkeys(bid_order))
    return [order.index(seat) + 1 for seat in sorted(order)]


def judge(players: int, forfeits: Sequence[Forfeit], ranks: Sequence[int] | None) -> Verdict | None:
    """Return the verdict of a match; None while it is not over.

    `ranks` are those of the game, or None while the game is not over. Seats that forfeited are placed below all
    others, the later forfeit higher. With one seat left the match is over; with none it is void.
    """
    forfeited = [forfeit.seat for forfeit in forfeits]
    playing = [seat for seat in range(1, players + 1) if seat not in forfeited]
    if not playing:
        return Verdict("void", (), tuple(forfeits))
    if ranks is None:
        if len(playing) > 1:
            return None
        ranks = [1] * players  # one seat is left: there is nobody to compare it with
    place = {seat: 1 + sum(ranks[other - 1] < ranks[seat - 1] for other in playing) for seat in playing}
    place |= {seat: players - order for order, seat in enumerate(forfeited)}
    placements = tuple(place[seat] for seat in range(1, players + 1))
    return Verdict("forfeit" if forfeits else "completed", placements, tuple(forfeits))
