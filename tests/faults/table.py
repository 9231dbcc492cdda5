"""The cost of faults as a table, printed at the end of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Row:
    """One fault on one database."""

    fault: str
    database: str
    tries: int = 0
    survived: int = 0
    recoveries: list[float] = field(default_factory=list)
    """Seconds from the fault to the next decision, or to the end."""
    decisions: int | None = None
    """Number of decisions, in any match, stored while the fault lasted."""
    note: str = ""

    def text(self) -> str:
        """Return one line of the table."""
        times = "-"
        decided = f"{self.decisions:9}" if self.decisions is not None else f"{'-':>9}"
        if self.recoveries:
            times = f"{median(self.recoveries):6.2f} {max(self.recoveries):6.2f}"
        counts = f"{self.fault:52} {self.database:9} {self.tries:5} {self.survived:8}"
        return f"{counts}  {times:15} {decided} {self.note}".rstrip()


ROWS: list[Row] = []
HEAD = f"{'fault':52} {'database':9} {'tries':>5} {'survived':>8}  {'recovery (s)':15} decisions\n{'':78}median   most"


def row(fault: str, database: str, *, tries: int = 0) -> Row:
    """Add and return a new row."""
    ROWS.append(Row(fault, database, tries))
    return ROWS[-1]
