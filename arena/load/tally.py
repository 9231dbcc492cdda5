"""The counts and measurements of a load test, and its report."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Final

from arena.load.quantiles import Quantiles

RECENT_S: Final = 10.0
"""Seconds that the rate in the live table covers."""


@dataclass
class LoadTally:
    """The counts of one load test. Times are those of a monotonic clock, in seconds."""

    bots: int = 0
    connected: int = 0
    refused_bots: Counter[str] = field(default_factory=Counter)
    """Bots that the gateway refused, by reason."""
    challenges: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """Challenges that were refused, or that ended without a match, by reason."""
    busy: int = 0
    """Requests that the site put off."""
    resting: int = 0
    """Tables that wait until their bots may make challenges again."""
    started: int = 0
    ended: int = 0
    void: Counter[str] = field(default_factory=Counter)
    """Matches that were void or aborted, by reason."""
    silent: int = 0
    """Matches without a message for too long."""
    unfinished: int = 0
    """Matches that were left before their end because the user stopped the test."""
    forfeits: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    """`Error` messages to bots, by reason."""
    reconnections: int = 0
    hurried: int = 0
    """Decisions with less time than the wanted thinking time."""
    requests: int = 0
    decisions: int = 0
    most_running: int = 0
    bytes_down: int = 0
    """Size of all messages to bots, as protobuf."""
    bytes_up: int = 0
    overhead: Quantiles = field(default_factory=Quantiles)
    """Times from an answer, as it is handed to the connection, to the next request of its match."""
    waiting: Quantiles = field(default_factory=Quantiles)
    """Times from a challenge to the first request of its match."""
    lag: Quantiles = field(default_factory=Quantiles)
    """Delays of this process itself, which are part of the overhead."""
    _recent: deque[tuple[float, int]] = field(default_factory=deque)

    @property
    def running(self) -> int:
        """Matches that have started and not ended, as far as this process knows."""
        return self.started - self.ended - self.void.total() - self.silent - self.unfinished

    def begin_match(self) -> None:
        """Record the start of a match."""
        self.started += 1
        self.most_running = max(self.most_running, self.running)

    def rate(self, now: float) -> float:
        """Return the decisions a second over the last seconds. Call it about once a second."""
        self._recent.append((now, self.decisions))
        while len(self._recent) > 2 and now - self._recent[1][0] > RECENT_S:
            self._recent.popleft()
        since, before = self._recent[0]
        return (self.decisions - before) / (now - since) if now > since else 0.0

    @property
    def losses(self) -> dict[str, int]:
        """Losses that an arena under a bearable load must not have; empty if there are none."""
        counts = {
            "bots refused": self.refused_bots.total(),
            "matches void": self.void.total(),
            "matches without an end": self.silent,
            "forfeits": self.forfeits.total(),
            "faults": self.faults.total(),
            "challenges without a match": self.refused.total(),
        }
        return {name: count for name, count in counts.items() if count}

    def document(self, seconds: float, processor_s: float) -> dict[str, Any]:
        """Return the report as JSON."""
        of_each = max(1, self.decisions)
        return {
            "bots": self.bots,
            "refused_bots": dict(self.refused_bots),
            "seconds": round(seconds, 1),
            "challenges": {"made": self.challenges, "without_match": dict(self.refused), "put_off": self.busy},
            "matches": {
                "started": self.started,
                "ended": self.ended,
                "void": dict(self.void),
                "silent": self.silent,
                "unfinished": self.unfinished,
                "most_at_once": self.most_running,
            },
            "decisions": self.decisions,
            "decisions_a_second": round(self.decisions / seconds, 1) if seconds else 0.0,
            "overhead_ms": self.overhead.document(),
            "wait_for_match_ms": self.waiting.document(),
            "forfeits": dict(self.forfeits),
            "faults": dict(self.faults),
            "errors": dict(self.errors),
            "reconnections": self.reconnections,
            "hurried": self.hurried,
            "bytes_a_decision": {
                "to_bots": round(self.bytes_down / of_each),
                "from_bots": round(self.bytes_up / of_each),
            },
            "generator": {"lag_ms": self.lag.document(), "processor_s": round(processor_s, 1)},
            "losses": self.losses,
        }
