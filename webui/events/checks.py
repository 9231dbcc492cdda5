"""Check of the doctor for the tables of events."""

from collections.abc import Iterator

from arena.events import EventError, FactKind, commitment_of
from webui.events.facts import fold_event, read_facts
from webui.events.models import EventRow, EventSecret
from webui.matches.models import Participant


def events() -> Iterator[tuple[str, str]]:
    """Yield events with facts that do not follow, with a row or seed that contradicts them, or with wrong results."""
    seeds = dict(EventSecret.objects.values_list("event_id", "seed"))
    for row in EventRow.objects.order_by("pk"):
        try:
            event = fold_event(row)
        except EventError as error:
            yield row.slug, f"its facts are inconsistent: {error}"
            continue
        shown = (row.length, row.state, row.entrants, row.rounds, row.revealed)
        due = (event.length, str(event.state), len(event.present), len(event.rounds), event.revealed)
        if shown != due and EventRow.objects.filter(pk=row.pk, length=row.length).exists():
            yield row.slug, f"its row says {shown}, but its facts say {due}"
        seed = seeds.get(row.pk)
        if event.commitment and (seed is None or commitment_of(bytes.fromhex(seed)) != event.commitment):
            yield row.slug, "its seed does not match its commitment"
        yield from _results(row)


def _results(row: EventRow) -> Iterator[tuple[str, str]]:
    results = {
        str(fact.data["match"]): fact.data["placements"]
        for fact in read_facts(row.pk, row.length)
        if fact.kind is FactKind.RESULT and fact.data.get("match")
    }
    placed: dict[str, list[int | None]] = {}
    seats = Participant.objects.filter(match_id__in=results).order_by("match_id", "seat")
    for match, placement in seats.values_list("match_id", "placement"):
        placed.setdefault(match, []).append(placement)
    for match, placements in results.items():
        if any(placed.get(match, [])) and placed[match] != placements:
            yield row.slug, f"it counts {placements} for match {match}, which ended with {placed[match]}"
