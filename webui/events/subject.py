"""The declaration of the subject of events."""

from collections.abc import Iterator
from typing import Final

from django.urls import reverse

from arena.events import EventError, commitment_of
from arena.events.facts import GameEnded
from webui.accounts.personal_data import time_text
from webui.core.subjects import ADD, ALL, CHANGE, READ, Check, Document, Subject
from webui.events.facts import fold_event, read_facts
from webui.events.models import EventBot, EventMatch, EventRow, EventSecret, FactRow
from webui.events.queries import organises_match, own_events, series_of
from webui.events.scheduling import awaited_among, entered_versions
from webui.hosting.values import versions_kept
from webui.matches import hooks as match_hooks
from webui.matches.ending import replaced_in
from webui.matches.hooks import match_replaced, plays_again_by_itself
from webui.matches.models import Match, Participant
from webui.pairing.hooks import bots_awaited
from webui.replays import onward

# Check of the doctor for the tables of events.


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
        fact.data.match: list(fact.data.placements)
        for fact in read_facts(row.pk, row.length)
        if isinstance(fact.data, GameEnded) and fact.data.match
    }
    placed: dict[str, list[int | None]] = {}
    seats = Participant.objects.filter(match_id__in=results).order_by("match_id", "seat")
    for match, placement in seats.values_list("match_id", "placement"):
        placed.setdefault(match, []).append(placement)
    for match, placements in results.items():
        if any(placed.get(match, [])) and placed[match] != placements:
            yield row.slug, f"it counts {placements} for match {match}, which ended with {placed[match]}"


MOST_PAGES = 1000
"""Maximum number of events that search engines are told of: the latest ones."""


def _personal_data(user_id: int) -> Document:
    entries = EventBot.objects.filter(bot__owner_id=user_id).order_by("pk")
    return {
        "events": {
            "organised": [
                {"event": line.slug, "name": line.name, "made": time_text(line.created_at)}
                for line in own_events(user_id)
            ],
            "entries": [
                {"event": event, "bot": bot, "number": number}
                for event, bot, number in entries.values_list("event__slug", "bot__name", "number")
            ],
        }
    }


def _plays_again(match: Match) -> bool:
    return EventMatch.objects.filter(match=match).exists()


def _pages() -> list[str]:
    public = EventRow.objects.exclude(state="draft").order_by("-created_at", "-pk")
    slugs = public.values_list("slug", flat=True)[:MOST_PAGES]
    return [reverse("events"), *(reverse("event", args=[slug]) for slug in slugs)]


SUBJECT: Final = Subject(
    site_rights={
        FactRow: ADD,
        EventMatch: READ,
        **dict.fromkeys((EventRow, EventBot), CHANGE),
        EventRow.helpers.through: ALL,
    },
    personal_data=_personal_data,
    pages=_pages,
    checks=(Check("events", lambda since: events()),),
    receives=(
        match_replaced.received_by(replaced_in(EventMatch)),
        plays_again_by_itself.received_by(_plays_again),
        match_hooks.organises_match.received_by(organises_match),
        bots_awaited.received_by(awaited_among),
        versions_kept.received_by(entered_versions),
        onward.series_of.received_by(series_of),
    ),
)
