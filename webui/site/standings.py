"""The standings of a ladder: ranks with the range that the intervals allow, filtered and sorted."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from webui.ladder.values import LadderRow

PAGE = 50


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
    mus = sorted(rated.mu for rated in settled)
    lows = sorted(rated.low for rated in settled)
    highs = sorted(rated.high for rated in settled)
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
                rank=1 + len(settled) - bisect_right(mus, rated.mu),
                best=1 + len(settled) - bisect_right(lows, rated.high),
                worst=len(settled) - bisect_left(highs, rated.low),
                win_share=share,
            )
        )
    return lines


SORTS = {
    "rating": lambda line: (-line.row.rated.mu,),
    "bot": lambda line: (line.row.version.bot.name.casefold(),),
    "games": lambda line: (-line.row.rated.games,),
    "won": lambda line: (-line.win_share, -line.row.rated.games),
}
KINDS = ("all", "house", "guests")


@dataclass(frozen=True)
class Filters:
    """The filters and the order that a visitor asked for."""

    search: str = ""
    kind: str = "all"
    """All bots, those of the house, or those of everybody else."""
    is_online: bool = False
    is_settled: bool = False
    sort: str = "rating"

    @classmethod
    def of(cls, asked: QueryDict) -> "Filters":
        """From the query string; unknown values are ignored."""
        kind, sort = asked.get("kind", "all"), asked.get("sort", "rating")
        return cls(
            search=" ".join(asked.get("q", "").split())[:40],
            kind=kind if kind in KINDS else "all",
            is_online=asked.get("online") == "1",
            is_settled=asked.get("settled") == "1",
            sort=sort if sort in SORTS else "rating",
        )

    @property
    def is_plain(self) -> bool:
        """Whether no filter is set."""
        return self == Filters(sort=self.sort)

    def apply(self, lines: Sequence[RankedRow], online: Collection[int]) -> list[RankedRow]:
        """The lines that pass, in order. `online`: ids of the bots that are online."""
        found = []
        words = self.search.casefold()
        for line in lines:
            bot = line.row.version.bot
            if words and words not in bot.name.casefold() and words not in bot.owner.casefold():
                continue
            if self.kind != "all" and bot.is_house != (self.kind == "house"):
                continue
            if self.is_online and bot.id not in online:
                continue
            if self.is_settled and line.rank is None:
                continue
            found.append(line)
        return sorted(found, key=SORTS[self.sort])
