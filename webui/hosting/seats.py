"""Reports of runners on the seats that they have played."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from msgspec.structs import astuple

from arena.hosting.messages import SeatReport
from webui.core.errors import BadRequest
from webui.hosting.models import HostedSeat
from webui.matches.models import Participant

LONGEST_OUTPUT: Final = 70_000
"""Maximum number of characters of an output: 64 KB, and a line about what is left out."""
MOST_REPORTS: Final = 50
"""Maximum number of reports kept for a seat. A runner starts a bot a few times, and a match moves now and then."""
MOST_DECISIONS: Final = 5000
_LARGEST: Final = 2**31 - 1


def record_seat(runner_id: int, report: SeatReport) -> None:
    """Store a runner's report on a seat. A repeated report changes nothing.

    Raise `BadRequest` if this version has no such seat in the match, or if a value is out of range.
    """
    seats = Participant.objects.filter(match=report.match, seat=report.seat, version=report.version)
    if not seats.filter(version__hosted__isnull=False).exists():
        raise BadRequest(f"no hosted version {report.version} has seat {report.seat} in match {report.match!r}")
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
                fault_text=_text(report.fault_text),
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


def _time(ns: int) -> datetime:
    try:
        return datetime.fromtimestamp(ns // 1000 / 1_000_000, UTC)
    except (OverflowError, ValueError, OSError):
        raise BadRequest(f"{ns} is no time in nanoseconds") from None


def _number(value: int, largest: int = _LARGEST) -> int:
    return max(0, min(value, largest))


def _text(text: str) -> str:
    """Return text that a database can store. Control characters and escape sequences are shown as such."""
    return text[:LONGEST_OUTPUT].replace("\0", "�").encode("utf-8", "replace").decode()
