"""Costs of a match, as measured by `python -m tests.bench.match_cost --write`.

The command writes this file and the tables of docs/scale.md. It plays matches of two bots that move at random, on
PostgreSQL.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """Costs of one match or of one of its decisions."""

    decisions: float
    """Decisions of a match: mean and standard deviation."""
    decisions_sd: float
    referee_ms: float
    """Processor time of a decision in each process, including its share of the start and end of the match."""
    gateway_ms: float
    database_ms: float
    redis_ms: float
    page_ms: float
    """Processor time of the site for a page."""
    page_database_ms: float
    transactions: float
    """Transactions committed for a decision."""
    redis_commands: float
    """Redis commands for a decision."""
    to_bot_bytes: float
    """Bytes of a decision, in protobuf."""
    from_bot_bytes: float
    redis_bytes: float
    """Bytes of a decision, in both directions."""
    record_bytes: float
    """Packed size of a match."""
    log_bytes: float
    """Log of a match with its index."""
    live_bytes: float
    """Bytes kept for spectators while a match runs."""
    kept_bytes: float
    """Bytes that a match leaves in all tables, with indexes."""


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
