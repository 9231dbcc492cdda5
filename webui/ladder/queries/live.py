"""Running matches as spectators may see them. Nothing else shows a match before its end."""

from collections import deque
from dataclasses import dataclass

from django.db.models import ExpressionWrapper, F, fields
from django.db.models.functions import Now

from arena.referee import Clock, Kind, LogError, Policy, Record, Terms
from arena.rules import RULES, Event, State, View, parse_ruleset, view, view_event
from webui.ladder.models import LogRow, Match
from webui.ladder.records import read_log
from webui.ladder.values import NotFound, SeenDecision

SPECTATOR = 0
"""The seat number of spectators, who see what is public."""


@dataclass(frozen=True)
class _Decision:
    """A decision with the chance that followed it and the state after both: everything, hidden things included."""

    index: int
    events: list[Event]
    state: State


class LiveGame:
    """Follows a running match: every `read` returns the decisions that are new to spectators.

    It holds the whole game, seed and hands included, so that nothing is folded twice. What it hands out is made by
    `_seen` alone, and is as many decisions behind as the ladder says.
    """

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.setup: View | None = None
        """The view before the first decision; None before every seat is ready."""
        self._record: Record | None = None
        self._held_back: deque[_Decision] = deque()

    def read(self) -> list[SeenDecision]:
        """The decisions that spectators may see since the last call; two queries, however long the match is.

        `NotFound` if there is no such match, `LogError` if its log does not follow from its seed.
        """
        row = Match.objects.select_related("secret", "ladder").filter(pk=self.match_id).first()
        if row is None:
            raise NotFound(f"there is no match {self.match_id!r}")
        if row.rules != RULES:
            # While an update runs, a match may be played by workers with other rules than the site has.
            return []
        self._record = self._record or Record(_terms(row))
        self._fold(self._record)
        delay = row.ladder.delay if row.ladder else 0
        return [_seen(self._held_back.popleft()) for _ in range(len(self._held_back) - delay)]

    def _fold(self, record: Record) -> None:
        """Apply the new entries of the log."""
        for entry in read_log(self.match_id, record.length):
            first = record.index
            record.apply(entry)
            if record.game is not None and self.setup is None:
                self.setup = view(record.game.setup, SPECTATOR)
            if record.game is not None and entry.kind == Kind.DECISION:
                # The game draws chance by itself, at once: these are all events of the decision.
                self._held_back.append(_Decision(first, record.game.events[first:], record.game.state))
        if record.recorded != record.index:
            raise LogError(f"the log ends at entry {record.length}, before the chance that its last decision caused")


def _seen(decision: _Decision) -> SeenDecision:
    """A decision as a spectator may see it."""
    made, *chance = (view_event(event, SPECTATOR) for event in decision.events)
    return SeenDecision(
        index=decision.index,
        seat=made.seat,
        text=made.text,
        chance=tuple(event.text for event in chance),
        view=view(decision.state, SPECTATOR),
    )


def _terms(row: Match) -> Terms:
    return Terms(
        match=row.id,
        ruleset=parse_ruleset(row.ruleset),
        server_seed=bytes.fromhex(row.secret.server_seed),
        clock=Clock.parse(row.clock),
        policy=Policy.parse(row.policy),
        deal=bytes.fromhex(row.secret.deal) if row.secret.deal else None,
    )


def decided_ago(match_id: str) -> float | None:
    """Seconds since the last event of a running match was written, and the next decision was asked for.

    None where spectators are held back, and would be told of a decision that they have not seen.
    """
    kinds = (Kind.READY, Kind.DECISION, Kind.CHANCE)
    rows = LogRow.objects.filter(match=match_id, kind__in=kinds).exclude(match__ladder__delay__gt=0)
    waited = (
        rows.annotate(waited=ExpressionWrapper(Now() - F("at"), output_field=fields.DurationField()))
        .order_by("-number")
        .values_list("waited", flat=True)
    )
    last = waited.first()
    return last.total_seconds() if last is not None else None
