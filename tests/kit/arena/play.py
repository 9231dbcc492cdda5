"""Matches of an arena of real processes: this module schedules them and reports their fate."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.bus import Bus, BusUnavailable
from arena.players import ask_house
from arena.referee import SIGNATURE, Clock, Kind, Policy, prove
from arena.rules import Ruleset
from tests.kit.arena.process import Process
from tests.kit.until import until
from webui.matches import ownership
from webui.matches import queries as match_queries
from webui.matches.models import ENDED, LogRow, Match, MatchState
from webui.matches.signing import check_record_signature
from webui.ratings.models import RatingEntry

SEED = bytes([228]) * 32
"""Seed of a short game of 188 events, with the nonces of "ada" and "bob" and their choices."""

PATIENT = Clock(bank_ms=600_000, cap_ms=300_000)
"""A clock with which a bot can wait at its gate for the other matches of the trial without a fault."""


@dataclass(frozen=True)
class Bots:
    """The bots of one table, with one process each."""

    versions: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Fate:
    """The result of a match."""

    state: str
    record: bytes
    """The canonical record: its content must be the same however often the arena broke."""
    charged_ms: dict[int, int]
    """The time charged for each answer, by its index."""
    kinds: tuple[str, ...]
    epochs: int


class Play:
    """The common part of `Arena` and a cluster: bots, their gates, and matches."""

    def __init__(self, *, think_s: float = 0) -> None:
        self.think_s = think_s
        """Minimum seconds that a bot takes for an answer."""
        self.directory = Path(tempfile.mkdtemp(prefix="arena-kit-"))
        self.gates = self.directory / "gates"
        self.gates.mkdir()
        self.bots: dict[str, Process] = {}

    @property
    def redis_url(self) -> str:
        """Address of the bus for this process."""
        raise NotImplementedError

    def present(self) -> set[int]:
        """Return the versions that have a stream somewhere."""
        try:
            with Bus(self.redis_url) as bus:
                return {one.bot_version for one in bus.presences() if one.connected}
        except BusUnavailable:
            return set()

    def announced(self) -> set[str]:
        """Return the matches that gateways hold."""
        with Bus(self.redis_url) as bus:
            return {match for one in bus.presences() for match in one.matches}

    def has_heard(self, bot: str, event: str, match: str) -> bool:
        """Return whether the bot's process has logged this event of the match."""
        lines = self.bots[bot].log.read_text(errors="replace").splitlines()
        return any(f'"{event}"' in line and f'"{match}"' in line for line in lines)

    def log_texts(self) -> str:
        """Return the logs of all processes, one after the other."""
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')}" for path in self._logs())

    def _logs(self) -> list[Path]:
        return sorted(self.directory.glob("*.log"))

    # Matches

    def schedule(self, bots: Bots, name: str, *, gates: Sequence[int] = (), **more: Any) -> str:
        """Schedule a match of this id, always with the same seed.

        The first bot that is asked at the index of a gate, or beyond, waits there for `open`.
        """
        if gates:
            (self.gates / name).write_text(" ".join(map(str, gates)))
        clock, policy = more.pop("clock", PATIENT), more.pop("policy", Policy())
        return ownership.schedule_match(
            Ruleset(len(bots.versions)), list(bots.versions), clock, policy, True,
            match_id=name, server_seed=SEED, **more,
        )  # fmt: skip

    def who_waits(self, match: str, gate: int) -> str:
        """Return the name of the bot that waits at the gate; empty if there is none."""
        try:
            return (self.gates / f"{match}.{gate}.asked").read_text()
        except FileNotFoundError:
            return ""

    def open(self, *matches: str) -> None:
        """Let the bots at the gates answer."""
        for match in matches:
            for asked in self.gates.glob(f"{match}.*.asked"):
                if not (go := asked.with_suffix(".go")).exists():
                    go.touch()

    def longest_wait_s(self, match: str) -> float:
        """Return the longest time for which a bot waited at a gate of the match; that time is its own."""
        waits = [
            asked.with_suffix(".go").stat().st_mtime - asked.stat().st_mtime
            for asked in self.gates.glob(f"{match}.*.asked")
        ]
        return max(waits, default=0.0)

    def has_ended(self, match: str) -> bool:
        """Return whether the match has ended in any way."""
        return Match.objects.filter(pk=match, state__in=ENDED).exists()

    def running(self, matches: Sequence[str]) -> int:
        """Return how many of these matches have an owner."""
        return Match.objects.filter(pk__in=matches, state=MatchState.RUNNING).count()

    def finish(self, *matches: str, timeout: float = 300) -> None:
        """Wait until all of these have ended."""
        left = set(matches)

        def look() -> bool:
            left.difference_update(Match.objects.filter(pk__in=left, state__in=ENDED).values_list("id", flat=True))
            return not left

        try:
            until(look, "the end of all matches", timeout, every=0.02)
        except AssertionError as error:
            raise AssertionError(f"{error}: {sorted(left)} go on\n{self.log_texts()[-20_000:]}") from None

    def fate(self, match: str) -> Fate:
        """Return the result of a match, after checking the invariants of every finished match."""
        row = Match.objects.get(pk=match)
        record = match_queries.match_record(match)
        entries = match_queries.match_log(match)
        if record is None:
            return Fate(row.state, b"", {}, tuple(entry.kind for entry in entries), row.epoch)
        prove(record, ask_house)
        assert SIGNATURE in record
        check_record_signature(record)
        rated = list(RatingEntry.objects.filter(match_id=match).order_by("seat").values_list("seat", flat=True))
        assert rated == list(range(1, len(record["seats"]) + 1)), "one rating entry a seat"
        numbers = LogRow.objects.filter(match_id=match).order_by("number").values_list("number", flat=True)
        assert list(numbers) == list(range(row.length))
        decided = [entry for entry in entries if entry.kind in ("decision", "chance")]
        charged = {index: entry.data["ms"] for index, entry in enumerate(decided) if entry.data and "ms" in entry.data}
        return Fate(row.state, canonical(record), charged, tuple(e.kind for e in entries), row.epoch)

    def went_on_after(self, match: str, moment: float) -> float:
        """Return the seconds from a moment (wall clock) to the match's next decision, or to its end if there is
        none."""
        at = datetime.fromtimestamp(moment, UTC)
        row = LogRow.objects.filter(match_id=match, kind=Kind.DECISION, at__gt=at).order_by("number").first()
        then = row.at if row is not None else Match.objects.get(pk=match).finished_at
        return max(0.0, (then - at).total_seconds()) if then is not None else 0.0


def canonical(record: dict[str, Any]) -> bytes:
    """Return a record without the parts that may differ between two plays of the same game.

    These are its id, its signature, times, a bot's absences, and facts about how an ask went (`ms`; `forced` and
    `default` stay).
    """
    kept = {key: value for key, value in record.items() if key not in ("match", "events", SIGNATURE)}
    events = [_event(*event) for event in record["events"]]
    incidents = [incident for incident in record.get("incidents", []) if incident["kind"] != "absence"]
    document = {**kept, "events": events, "incidents": incidents}
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def _event(seat: int, text: str, facts: dict[str, Any] | None = None) -> list[Any]:
    kept = {key: value for key, value in (facts or {}).items() if key != "ms"}
    return [seat, text, kept] if kept else [seat, text]
