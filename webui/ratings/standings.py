"""The lines of a ladder, filtered and sorted."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from webui.matches.values import SeatRating
from webui.ratings.values import LadderRow, Rated

PAGE = 50
VERSIONS = 20
"""Maximum number of other versions listed with a bot. The bot's page lists all."""

SORTS: dict[str, Callable[[LadderRow], tuple[Any, ...]]] = {
    "rating": lambda row: (),
    "bot": lambda row: (row.version.bot.name.casefold(),),
    "games": lambda row: (-row.games,),
    "won": lambda row: (-row.win_share, -row.games),
}
KINDS = ("all", "house", "guests", "hosted")


def front_rows(rows: Sequence[LadderRow]) -> list[LadderRow]:
    """Return one row for each bot: its ranked version, or the newest version that is not rated yet.

    Bots whose versions have all been idle for two weeks are left out.
    """
    front: dict[int, LadderRow] = {}
    for row in rows:
        if not row.is_in_front:
            continue
        other = front.get(row.version.bot.id)
        if other is None or (row.rated is not None, row.version.id) > (other.rated is not None, other.version.id):
            front[row.version.bot.id] = row
    return [row for row in rows if front.get(row.version.bot.id) is row]


def other_versions(rows: Sequence[LadderRow], shown: Sequence[LadderRow]) -> dict[int, list[LadderRow]]:
    """Return the other versions of each shown bot, newest first, by bot id. At most `VERSIONS` for each bot."""
    versions: dict[int, list[LadderRow]] = {row.version.bot.id: [] for row in shown}
    front = {row.version.id for row in shown}
    for row in sorted(rows, key=lambda row: -row.version.id):
        others = versions.get(row.version.bot.id)
        if others is not None and row.version.id not in front and len(others) < VERSIONS:
            others.append(row)
    return versions


@dataclass(frozen=True)
class Filters:
    """The filters and the order that a visitor has requested."""

    search: str = ""
    kind: str = "all"
    """Kind of bots shown: all, house bots only, guests only, or versions that the arena runs."""
    is_online: bool = False
    is_settled: bool = False
    is_whole: bool = False
    """Whether all versions are shown, instead of the front view."""
    sort: str = "rating"

    @classmethod
    def of(cls, query: QueryDict) -> "Filters":
        """Read the filters from a query string. Unknown values are ignored."""
        kind, sort = query.get("kind", "all"), query.get("sort", "rating")
        return cls(
            search=" ".join(query.get("q", "").split())[:40],
            kind=kind if kind in KINDS else "all",
            is_online=query.get("online") == "1",
            is_settled=query.get("settled") == "1",
            is_whole=query.get("versions") == "all",
            sort=sort if sort in SORTS else "rating",
        )

    @property
    def is_plain(self) -> bool:
        """Whether no filter is set."""
        return self == Filters(sort=self.sort)

    def apply(self, rows: Sequence[LadderRow], online: Collection[int]) -> list[LadderRow]:
        """Return the rows that pass, in the requested order. `online`: ids of the bots that are online."""
        passing = []
        words = self.search.casefold()
        for row in rows if self.is_whole else front_rows(rows):
            bot = row.version.bot
            if words and words not in bot.name.casefold() and words not in bot.owner.casefold():
                continue
            is_of_kind = row.version.is_hosted if self.kind == "hosted" else bot.is_house == (self.kind == "house")
            if self.kind != "all" and not is_of_kind:
                continue
            if self.is_online and bot.id not in online:
                continue
            if self.is_settled and not (row.rated and row.rated.is_settled):
                continue
            passing.append(row)
        return sorted(passing, key=SORTS[self.sort])


def half(rated: Rated | SeatRating) -> int:
    """Return half the width of the interval, to be shown after ±."""
    return round((rated.high - rated.low) / 2)
