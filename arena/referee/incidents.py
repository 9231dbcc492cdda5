"""What the public log says beside the game: the `incidents` of a record, of which its forfeits follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Incident:
    """A strike, an absence that used up grace, or a forfeit."""

    at: int
    """The index of the decision that was due."""
    seat: int
    kind: Literal["fault", "absence", "forfeit"]
    reason: str = ""
    """Of a fault or forfeit; empty for an absence."""
    ms: int = 0
    """Grace that an absence used up; 0 for the others."""

    def document(self) -> dict[str, Any]:
        """As it stands in a record."""
        what = {"ms": self.ms} if self.kind == "absence" else {"reason": self.reason}
        return {"at": self.at, "seat": self.seat, "kind": self.kind, **what}
