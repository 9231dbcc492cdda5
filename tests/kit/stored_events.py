"""Events that were played out in memory (`tests/kit/events.py`), as database rows: for pages of large ones."""

from __future__ import annotations

from arena.events import FactKind
from tests.kit.events import Played
from webui.bots import actions as bot_actions
from webui.bots.models import BotVersion
from webui.events.facts import append_facts
from webui.events.models import EventBot, EventRow


def store(played: Played, owner: int, slug: str, versions: list[int]) -> EventRow:
    """Store an event. Entrant 1 plays with the first of `versions`, and so on; none of its games has a match."""
    terms = played.event.terms
    row = EventRow.objects.create(
        slug=slug,
        owner_id=owner,
        name=terms.name,
        format=terms.format.kind,
        players=terms.ruleset.players,
    )
    append_facts(row, [(fact, owner if fact.kind is FactKind.CREATED else None) for fact in played.facts])
    bots = dict(BotVersion.objects.filter(pk__in=versions).values_list("pk", "bot_id"))
    EventBot.objects.bulk_create(
        EventBot(event=row, number=entrant.number, bot_id=bots[version])
        for entrant, version in zip(played.event.entrants, versions, strict=False)
    )
    return row


def bots(owner: int, names: list[str], version: str = "1.0") -> list[int]:
    """Return a version of a new bot for each name."""
    return [bot_actions.register_version(bot_actions.register_bot(owner, name), version) for name in names]
