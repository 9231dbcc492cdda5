"""Public events beside the game: the `incidents` of a record, from which its forfeits follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class MatchIncident:
    """A strike, an absence that used up grace, or a forfeit."""

    at: int
    """Index of the decision that was due."""
    seat: int
    kind: Literal["fault", "absence", "forfeit"]
    reason: str = ""
    """Reason of a fault or forfeit; empty for an absence."""
    ms: int = 0
    """Grace used up by an absence; 0 otherwise."""

    def document(self) -> dict[str, Any]:
        """Return the incident as it is written in a record."""
        details = {"ms": self.ms} if self.kind == "absence" else {"reason": self.reason}
        return {"at": self.at, "seat": self.seat, "kind": self.kind, **details}
