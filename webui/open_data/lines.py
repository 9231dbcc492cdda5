"""Names of the open data files, and the content of a day's file: one match a line."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import zstandard
from django.db.models import Exists, OuterRef, Q

from webui.challenges.models import ChallengeMatch
from webui.events.models import FactRow
from webui.matches.conditions import is_hidden
from webui.matches.models import Match, Participant
from webui.matches.record_store import packed_of
from webui.matches.records import record_text
from webui.open_data.models import DataKind, HeldMatch

FORMAT: Final = "naqala/match/1"
CHUNK: Final = 50
"""Number of matches in memory at a time."""
LEVEL: Final = 9
"""Compression level of zstd. It shrinks the text to a seventh, in one or two milliseconds a match."""


def file_name(kind: str, day: date) -> str:
    """Return the public name of a file."""
    if kind == DataKind.REPLAYS:
        return f"replays-{day:%Y-%m-%d}.jsonl.zst"
    return f"{kind}-{day:%Y-%m}.parquet"


def is_withheld(prefix: str = "") -> Q:
    """Return the condition that the match at `prefix` must not be published yet.

    Either its result is hidden, or it was revealed so recently that the advancer has not yet seen that and rated it.
    """
    event = f"{prefix}event_match__event"
    later_facts = FactRow.objects.filter(event=OuterRef(event), at__gt=OuterRef(f"{event}__advanced_at"))
    return is_hidden(prefix) | (Q(**{f"{event}__hidden": True}) & Q(Exists(later_facts)))


@dataclass
class DayFile:
    """The file of a day.

    It starts with the matches that were withheld from earlier files and have since been revealed. The matches that
    ended on the day follow, except those withheld now. A lost file is made again with the matches that it had.
    """

    day: date
    is_new: bool
    late: list[str] = field(default_factory=list)
    """Ids of the matches in this file that were withheld from earlier files."""
    held: list[str] = field(default_factory=list)
    """Ids of the day's matches that are withheld from this file."""
    rows: int = 0

    def write(self, path: Path, go_on: Callable[[], None]) -> None:
        """Write the whole file to a new path. `go_on` is called after every `CHUNK` matches; it may raise to abort."""
        with path.open("xb") as file, zstandard.ZstdCompressor(LEVEL).stream_writer(file, closefd=False) as packed:
            for matches in self._matches():
                lines = _lines(matches)
                packed.write("".join(lines).encode())
                self.rows += len(lines)
                go_on()

    def _matches(self) -> Iterator[list[Match]]:
        """Yield the matches in the order of their ends, at most `CHUNK` at a time."""
        file = None if self.is_new else file_name(DataKind.REPLAYS, self.day)
        late = HeldMatch.objects.filter(file=file).exclude(is_withheld("match__"))
        self.late = list(late.order_by("match__finished_at", "match_id").values_list("match_id", flat=True))
        for first in range(0, len(self.late), CHUNK):
            yield list(_ended().filter(pk__in=self.late[first : first + CHUNK]))
        begin = datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC)
        of_day = _ended().filter(finished_at__gte=begin, finished_at__lt=begin + timedelta(days=1), held_back=None)
        after = Q()
        while chunk := list(of_day.filter(after).annotate(withheld=is_withheld())[:CHUNK]):
            self.held += [match.id for match in chunk if vars(match)["withheld"]]
            yield [match for match in chunk if not vars(match)["withheld"]]
            last = chunk[-1]
            after = Q(finished_at__gt=last.finished_at) | Q(finished_at=last.finished_at, id__gt=last.id)


def _ended() -> Any:
    """Return the matches that have a record, joined with everything that a line needs."""
    with_record = Match.objects.filter(record__isnull=False).select_related("record", "ladder", "event_match__event")
    of_challenge = Exists(ChallengeMatch.objects.filter(match=OuterRef("pk")))
    return with_record.annotate(is_challenge=of_challenge).order_by("finished_at", "id")


def _lines(matches: Sequence[Match]) -> list[str]:
    house: dict[str, list[bool]] = defaultdict(list)
    seats = Participant.objects.filter(match__in=matches).order_by("match_id", "seat")
    for match_id, is_house in seats.values_list("match_id", "version__bot__is_house"):
        house[match_id].append(is_house)
    return [_line(match, house[match.id]) for match in matches]


def _line(match: Match, house: list[bool]) -> str:
    """Return the line of a match: the replay exactly as it was signed, and the public facts about the match."""
    place = getattr(match, "event_match", None)
    about = {
        "format": FORMAT,
        "match": match.id,
        "ladder": match.ladder.slug if match.ladder else None,
        "rated": match.rated,
        "challenge": bool(vars(match)["is_challenge"]),
        "event": place.event.slug if place else None,
        "round": place.round if place else None,
        "started_at": _time(match.started_at),
        "finished_at": _time(match.finished_at),
        "house": house,
    }
    record = record_text(packed_of(match.record))
    return f'{json.dumps(about, separators=(",", ":"))[:-1]},"replay":{record}}}\n'


def _time(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat(timespec="milliseconds") if at else None


def read_day(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a day's file as documents."""
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as packed:
        for line in io.TextIOWrapper(packed, encoding="utf-8"):
            yield json.loads(line)
