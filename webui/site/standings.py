"""A ladder as it is read: ranks with the range that the intervals allow."""

from collections.abc import Sequence
from dataclasses import dataclass

from webui.ladder.values import LadderRow


@dataclass(frozen=True)
class RankedRow:
    """A line of a ladder; a provisional version has no rank yet."""

    row: LadderRow
    rank: int | None
    best: int | None
    worst: int | None
    win_share: int
    """Percent of its games that it won."""


def ranked(rows: Sequence[LadderRow]) -> list[RankedRow]:
    """Ranks count settled versions alone. Two whose intervals overlap may well be equal, so a rank has a range."""
    settled = [row.rated for row in rows if not row.rated.is_provisional]
    lines = []
    for row in rows:
        rated = row.rated
        share = round(100 * row.wins / rated.games) if rated.games else 0
        if rated.is_provisional:
            lines.append(RankedRow(row, None, None, None, share))
            continue
        lines.append(
            RankedRow(
                row,
                rank=1 + sum(other.mu > rated.mu for other in settled),
                best=1 + sum(other.low > rated.high for other in settled),
                worst=sum(other.high >= rated.low for other in settled),
                win_share=share,
            )
        )
    return lines
