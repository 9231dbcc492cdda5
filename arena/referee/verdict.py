"""The end of a match for the arena, which may differ from the end of its game by the rules."""

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
