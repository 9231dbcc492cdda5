"""The declaration of the subject of events."""

from typing import Final

from django.urls import reverse

from webui.accounts.personal_data import time_text
from webui.core.subjects import ADD, ALL, CHANGE, READ, Check, Document, Subject
from webui.events.checks import events
from webui.events.models import EventBot, EventMatch, EventRow, FactRow
from webui.events.queries import organises_match, own_events, series_of
from webui.events.scheduling import awaited_among
from webui.matches import hooks as match_hooks
from webui.matches.ending import replaced_in
from webui.matches.hooks import match_replaced, plays_again_by_itself
from webui.matches.models import Match
from webui.pairing.hooks import bots_awaited
from webui.replays import hooks as replay_hooks

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
        replay_hooks.series_of.received_by(series_of),
    ),
)
