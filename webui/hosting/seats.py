"""Reports of runners on the seats that they have played."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from django.db.models import Q
from msgspec.structs import astuple

from arena.hosting.messages import SeatReport
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest
from webui.hosting.models import HostedSeat
from webui.matches.models import Participant

LONGEST_OUTPUT: Final = 64 * 1024 + 256
"""Maximum number of bytes of an output: 64 KB, and a line about what is left out."""
REPORTS_S: Final = 3600.0
"""Seconds after the end of a match in which runners may report on it. One that was restarted reports late."""
MOST_REPORTS: Final = 50
"""Maximum number of reports kept for a seat. A runner starts a bot a few times, and a match moves now and then."""
MOST_DECISIONS: Final = 5000
OUTPUTS_OF_BOT: Final = 100
"""Seats of a bot whose outputs are kept: the newest. Retention deletes those that reports have missed."""
LONGEST_FAULT_TEXT: Final = 4000
OMITTED: Final = "\n[...]\n"
_LARGEST: Final = 2**31 - 1


def record_seat(runner_id: int, report: SeatReport) -> None:
    """Store a runner's report on a seat. A repeated report changes nothing.

    Outputs of the bot's oldest seats are deleted (`OUTPUTS_OF_BOT`). Raise `BadRequest` if this version has no such
    seat in the match, if the match ended long ago, or if a value is out of range.
    """
    seats = Participant.objects.filter(
        Q(match__finished_at=None) | Q(match__finished_at__gt=before_now(REPORTS_S)),
        match=report.match,
        seat=report.seat,
        version=report.version,
    )
    if not seats.filter(version__hosted__isnull=False).exists():
        raise BadRequest(
            f"no hosted version {report.version} has seat {report.seat} in match {report.match!r}, or it ended long ago"
        )
    if HostedSeat.objects.filter(match=report.match, seat=report.seat).count() >= MOST_REPORTS:
        raise BadRequest(f"seat {report.seat} of match {report.match!r} has {MOST_REPORTS} reports already")
    HostedSeat.objects.bulk_create(
        [
            HostedSeat(
                match_id=report.match,
                seat=report.seat,
                runner_id=runner_id,
                started_at=_time(report.started_at_ns),
                ended_at=_time(report.ended_at_ns),
                version_id=report.version,
                end=str(report.end),
                limit=str(report.limit or ""),
                exit_code=report.exit_code,
                signal=report.signal,
                fault=report.fault[:32],
                fault_text=_text(report.fault_text)[:LONGEST_FAULT_TEXT],
                decision=report.decision,
                peak_memory_bytes=_number(report.peak_memory_bytes, 2**60),
                processor_s=report.processor_s,
                wall_s=report.wall_s,
                stdout=_text(report.stdout),
                stderr=_text(report.stderr),
                decisions=[[_number(cost) for cost in astuple(costs)] for costs in report.decisions[:MOST_DECISIONS]],
            )
        ],
        ignore_conflicts=True,
    )
    of_bot = HostedSeat.objects.filter(version__bot__versions=report.version).order_by("-pk")
    past = of_bot.values_list("pk", flat=True)[OUTPUTS_OF_BOT : OUTPUTS_OF_BOT + 1]
    HostedSeat.objects.filter(pk__in=list(past)).update(stdout="", stderr="")


def _time(ns: int) -> datetime:
    try:
        return datetime.fromtimestamp(ns // 1000 / 1_000_000, UTC)
    except (OverflowError, ValueError, OSError):
        raise BadRequest(f"{ns} is no time in nanoseconds") from None


def _number(value: int, largest: int = _LARGEST) -> int:
    return max(0, min(value, largest))


def _text(text: str) -> str:
    """Return text that a database can store, without its middle if it is long."""
    data = text.replace("\0", "�").encode("utf-8", "replace")
    if len(data) <= LONGEST_OUTPUT:
        return data.decode()
    half = (LONGEST_OUTPUT - len(OMITTED)) // 2
    return data[:half].decode(errors="ignore") + OMITTED + data[-half:].decode(errors="ignore")
