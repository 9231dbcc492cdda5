"""Matches of an arena of real processes: they are scheduled here, and what became of them is said here."""

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
"""With the nonces of "ada" and "bob" and their choices, a short game: 188 events."""

PATIENT = Clock(bank_ms=600_000, cap_ms=300_000)
"""A bot waits at its gate until the other matches of the trial have come to theirs: no fault of its own."""


@dataclass(frozen=True)
class Bots:
    """The bots of one table: a process each."""

    versions: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Fate:
    """What became of a match."""

    state: str
    record: bytes
    """The canonical record: what is in it must be the same however often the arena broke."""
    charged_ms: dict[int, int]
    """What each answer was charged, by its index."""
    kinds: tuple[str, ...]
    epochs: int


class Play:
    """What `Arena` and a cluster have in common: bots, their gates, and matches."""

    def __init__(self, *, think_s: float = 0) -> None:
        self.think_s = think_s
        """How long a bot takes for an answer, at least."""
        self.directory = Path(tempfile.mkdtemp(prefix="arena-kit-"))
        self.gates = self.directory / "gates"
        self.gates.mkdir()
        self.bots: dict[str, Process] = {}

    @property
    def redis_url(self) -> str:
        """Where the bus is, for a look at it from here."""
        raise NotImplementedError

    def present(self) -> set[int]:
        """The versions that have a stream somewhere."""
        try:
            with Bus(self.redis_url) as bus:
                return {one.bot_version for one in bus.presences() if one.connected}
        except BusUnavailable:
            return set()

    def announced(self) -> set[str]:
        """The matches that gateways hold."""
        with Bus(self.redis_url) as bus:
            return {match for one in bus.presences() for match in one.matches}

    def has_heard(self, bot: str, event: str, match: str) -> bool:
        """Whether the bot's process has logged this event of the match."""
        lines = self.bots[bot].log.read_text(errors="replace").splitlines()
        return any(f'"{event}"' in line and f'"{match}"' in line for line in lines)

    def log_texts(self) -> str:
        """The logs of all processes, one after the other."""
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')}" for path in self._logs())

    def _logs(self) -> list[Path]:
        return sorted(self.directory.glob("*.log"))

    # Matches

    def schedule(self, bots: Bots, name: str, *, gates: Sequence[int] = (), **more: Any) -> str:
        """A match of this id, always with the same seed. The first bot that is asked at the index of a gate, or beyond,
        waits there for `open`."""
        if gates:
            (self.gates / name).write_text(" ".join(map(str, gates)))
        clock, policy = more.pop("clock", PATIENT), more.pop("policy", Policy())
        return ownership.schedule_match(
            Ruleset(len(bots.versions)), list(bots.versions), clock.document(), policy.document(), True,
            match_id=name, server_seed=SEED, **more,
        )  # fmt: skip

    def who_waits(self, match: str, gate: int) -> str:
        """The name of the bot that has come to the gate; empty if none has."""
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
        """The longest time for which a bot waited at a gate of the match: that is its own time."""
        waits = [
            asked.with_suffix(".go").stat().st_mtime - asked.stat().st_mtime
            for asked in self.gates.glob(f"{match}.*.asked")
        ]
        return max(waits, default=0.0)

    def has_ended(self, match: str) -> bool:
        """Whether the match has ended, in whatever way."""
        return Match.objects.filter(pk=match, state__in=ENDED).exists()

    def running(self, matches: Sequence[str]) -> int:
        """How many of these have an owner."""
        return Match.objects.filter(pk__in=matches, state=MatchState.RUNNING).count()

    def finish(self, *matches: str, timeout: float = 300) -> None:
        """Wait until all have ended."""
        left = set(matches)

        def look() -> bool:
            left.difference_update(Match.objects.filter(pk__in=left, state__in=ENDED).values_list("id", flat=True))
            return not left

        try:
            until(look, "the end of all matches", timeout, every=0.02)
        except AssertionError as error:
            raise AssertionError(f"{error}: {sorted(left)} go on\n{self.log_texts()[-20_000:]}") from None

    def fate(self, match: str) -> Fate:
        """What became of it; checks what must hold for every finished match."""
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
        """Seconds from a moment (wall clock) to the match's next decision, or to its end if there is none."""
        at = datetime.fromtimestamp(moment, UTC)
        row = LogRow.objects.filter(match_id=match, kind=Kind.DECISION, at__gt=at).order_by("number").first()
        then = row.at if row is not None else Match.objects.get(pk=match).finished_at
        return max(0.0, (then - at).total_seconds()) if then is not None else 0.0


def canonical(record: dict[str, Any]) -> bytes:
    """A record without what may differ between two plays of the same game: its id, its signature, times, when a
    bot was away, and the facts of decisions that only say how an ask went (`ms`; `forced` and `default` stay)."""
    kept = {key: value for key, value in record.items() if key not in ("match", "events", SIGNATURE)}
    events = [_event(*event) for event in record["events"]]
    incidents = [incident for incident in record.get("incidents", []) if incident["kind"] != "absence"]
    document = {**kept, "events": events, "incidents": incidents}
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def _event(seat: int, text: str, facts: dict[str, Any] | None = None) -> list[Any]:
    kept = {key: value for key, value in (facts or {}).items() if key != "ms"}
    return [seat, text, kept] if kept else [seat, text]
