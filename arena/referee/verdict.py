"""How a match ends for the arena, which is not always how its game ends by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

VerdictKind = Literal["completed", "forfeit", "void"]


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat that its bot no longer plays."""

    seat: int
    at: int
    """The first decision that is not the bot's."""
    reason: str

    def document(self) -> dict[str, Any]:
        """As an item of `forfeits` in a replay's verdict."""
        return {"seat": self.seat, "at": self.at, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The `verdict` of a replay."""

    kind: VerdictKind
    placements: tuple[int, ...]
    """Seat 1 first, 1 is best; empty if void."""
    forfeits: tuple[Forfeit, ...]
    """In the order in which they happened."""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "kind": self.kind,
            "placements": list(self.placements),
            "forfeits": [forfeit.document() for forfeit in self.forfeits],
        }


def judge(players: int, forfeits: Sequence[Forfeit], ranks: Sequence[int] | None) -> Verdict | None:
    """The verdict over a match so far; None while it goes on. `ranks` are the game's, None while that goes on.

    Seats that forfeited stand below all others, the later forfeit higher. With one seat left the match is over; with
    none it is void.
    """
    forfeited = [forfeit.seat for forfeit in forfeits]
    playing = [seat for seat in range(1, players + 1) if seat not in forfeited]
    if not playing:
        return Verdict("void", (), tuple(forfeits))
    if ranks is None:
        if len(playing) > 1:
            return None
        ranks = [1] * players  # a single seat is left: nobody to compare it with
    place = {seat: 1 + sum(ranks[other - 1] < ranks[seat - 1] for other in playing) for seat in playing}
    place |= {seat: players - order for order, seat in enumerate(forfeited)}
    placements = tuple(place[seat] for seat in range(1, players + 1))
    return Verdict("forfeit" if forfeits else "completed", placements, tuple(forfeits))
