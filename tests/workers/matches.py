"""A match for a worker to play, and its visible results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.players import ask_house
from arena.referee import Clock, Policy, prove
from arena.rules import Ruleset
from arena.wire.v1.bot_pb2 import DecisionRequest
from tests.workers.bus_bots import pick
from webui.matches import ownership
from webui.matches import queries as match_queries
from webui.matches.models import Match

SEED = bytes(range(32))


def schedule(versions: list[int], *, clock: Clock | None = None, policy: Policy | None = None, **more: Any) -> str:
    clock, policy = clock or Clock(), policy or Policy()
    ruleset = Ruleset(len(versions))
    return ownership.schedule_match(ruleset, versions, clock, policy, rated=True, **more)


def state(match_id: str) -> str:
    return str(Match.objects.values_list("state", flat=True).get(pk=match_id))


def canonical(match_id: str) -> list[Any]:
    """Return the part of the record that must not depend on what broke: everything except facts about decisions."""
    record = match_queries.match_record(match_id)
    assert record is not None
    prove(record, ask_house)
    return [record["seed"], [event[:2] for event in record["events"]], record["result"], record["verdict"]]


def charged(match_id: str) -> int:
    """Return all milliseconds that were charged in a match."""
    return sum(
        (entry.data or {}).get("ms", 0) for entry in match_queries.match_log(match_id) if entry.kind == "decision"
    )


def kinds(match_id: str) -> list[str]:
    return [entry.kind for entry in match_queries.match_log(match_id)]


class Trigger:
    """A bot like the others that does something once, at a given index."""

    def __init__(self, at: int, act: Callable[[DecisionRequest], list[str] | None]) -> None:
        self.at, self.act, self.is_done = at, act, False

    def __call__(self, request: DecisionRequest) -> list[str] | None:
        if request.index >= self.at and not self.is_done:
            self.is_done = True
            return self.act(request)
        return pick(request)
