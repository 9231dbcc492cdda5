"""What a match costs, as `python -m tests.bench.match_cost --write` has measured it, which writes this file and the
tables of docs/scale.md. Matches of two bots that choose at random, on PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """Of one match, or of one of its decisions."""

    decisions: float
    """Of a match; mean and standard deviation."""
    decisions_sd: float
    referee_ms: float
    """Processor time of a decision in each process, with its share of the begin and the end of the match."""
    gateway_ms: float
    database_ms: float
    redis_ms: float
    page_ms: float
    """Processor time of the site for a page."""
    page_database_ms: float
    transactions: float
    """Committed for a decision."""
    redis_commands: float
    """Of a decision."""
    to_bot_bytes: float
    """Of a decision, protobuf."""
    from_bot_bytes: float
    redis_bytes: float
    """Of a decision, both ways."""
    record_bytes: float
    """Of a match, packed."""
    log_bytes: float
    """Of a match: its log with the index."""
    live_bytes: float
    """What is kept for spectators while a match runs."""
    kept_bytes: float
    """What a match leaves in all tables, with indexes."""


MEASURED = Costs(
    decisions=170.0,
    decisions_sd=11.0,
    referee_ms=3.4,
    gateway_ms=1.7,
    database_ms=1.6,
    redis_ms=0.23,
    page_ms=120.0,
    page_database_ms=16.0,
    transactions=1.3,
    redis_commands=11.0,
    to_bot_bytes=860.0,
    from_bot_bytes=31.0,
    redis_bytes=4600.0,
    record_bytes=2600.0,
    log_bytes=72000.0,
    live_bytes=210000.0,
    kept_bytes=160000.0,
)
