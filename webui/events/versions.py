"""Which versions play in an event: before its field is frozen, those that would play if that were done now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import chain

from arena.events import EventState
from arena.rules import Ruleset
from webui.bots import presence
from webui.events import eligibility, queries
from webui.events.values import EventMark, EventPage
from webui.pairing.sessions import Online


def online_versions(ruleset: Ruleset) -> frozenset[int]:
    """The ids of the versions that are online and play this game; none while that is not known."""
    sessions = chain.from_iterable((presence.online() or {}).values())
    return frozenset(Online.of(sessions, ruleset.players, ruleset.expansions).room)


def is_fixed(page: EventPage) -> bool:
    """Whether the versions stand, for good or until the next round is drawn."""
    return page.event.state not in (EventState.DRAFT, EventState.OPEN)


def event_mark(slug: str, *, sees_all: bool) -> EventMark:
    """The mark of the event with the versions that would play."""
    found = queries.event_mark(slug, sees_all=sees_all)
    if found.open_for is None:
        return found
    versions = sorted(eligibility.versions_to_play(slug, online_versions(found.open_for)).items())
    return replace(found, mark=sha256(f"{found.mark} {versions}".encode()).hexdigest()[:16])


def playing(page: EventPage) -> Mapping[int, str]:
    """The name of the version of each entrant who is in the event, by number."""
    if is_fixed(page):
        return {entrant.number: entrant.version for entrant in page.event.entrants if entrant.version}
    return eligibility.versions_to_play(page.line.slug, online_versions(page.event.terms.ruleset))
