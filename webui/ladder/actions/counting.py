"""What the matches of an event have come to, as facts."""

from collections.abc import Sequence
from typing import Any

from arena.events import Event, Fact, FactKind
from webui.ladder.models import EventMatch, EventRow, MatchState, Participant

PLAYED = (MatchState.FINISHED, MatchState.VOID)


def count_results(row: EventRow, event: Event) -> list[Fact]:
    """The results of matches that have ended since, in the order of the tables; noted as counted.

    A void match counts if all its seats forfeited; what the arena voided is played again.
    """
    ended = EventMatch.objects.filter(event=row, is_counted=False, match__state__in=[str(state) for state in PLAYED])
    facts, counted = [], []
    for line in ended.select_related("match").order_by("round", "table", "game", "attempt"):
        key = (line.round, line.table, line.game)
        table = event.rounds[line.round - 1].tables[line.table - 1]
        if event.attempts.get(key, 0) != line.attempt or key in event.games or event.is_decided(line.round, table):
            counted.append(line.pk)  # played again, ruled on, or decided by absence meanwhile: it is of no account
            continue
        seats = list(Participant.objects.filter(match=line.match_id).order_by("seat"))
        if line.match.state == MatchState.VOID and not all(seat.forfeited_at is not None for seat in seats):
            continue
        facts.append(Fact(FactKind.RESULT, _result(line, event, seats)))
        counted.append(line.pk)
    EventMatch.objects.filter(pk__in=counted).update(is_counted=True)
    return facts


def _result(line: EventMatch, event: Event, seats: Sequence[Participant]) -> dict[str, Any]:
    data: dict[str, Any] = {"round": line.round, "table": line.table, "game": line.game, "match": line.match_id}
    if line.match.state == MatchState.VOID:
        table = event.rounds[line.round - 1].tables[line.table - 1]
        return data | {"placements": [1] * len(seats), "out": sorted(table.seats)}
    data["placements"] = [seat.placement for seat in seats]
    if all(seat.score is not None for seat in seats):
        data["scores"] = [seat.score for seat in seats]
    return data | ({"out": line.absent} if line.absent else {})
