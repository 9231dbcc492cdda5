"""Versions that play in an event. Before its field is frozen, these are the versions that would play if it were frozen
now."""

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
    """Return the ids of the versions that are online and play this game. The set is empty while that is not known."""
    sessions = chain.from_iterable((presence.online() or {}).values())
    return frozenset(Online.of(sessions, ruleset.players, ruleset.expansions).room)


def is_fixed(page: EventPage) -> bool:
    """Return whether the versions are fixed, permanently or until the next round is drawn."""
    return page.event.state not in (EventState.DRAFT, EventState.OPEN)


def event_mark(slug: str, *, sees_all: bool) -> EventMark:
    """Return the mark of the event, which also depends on the versions that would play."""
    found = queries.event_mark(slug, sees_all=sees_all)
    if found.open_for is None:
        return found
    versions = sorted(eligibility.versions_to_play(slug, online_versions(found.open_for)).items())
    return replace(found, mark=sha256(f"{found.mark} {versions}".encode()).hexdigest()[:16])


def playing(page: EventPage) -> Mapping[int, str]:
    """Return the name of the version of each entrant in the event, by number."""
    if is_fixed(page):
        return {entrant.number: entrant.version for entrant in page.event.entrants if entrant.version}
    return eligibility.versions_to_play(page.line.slug, online_versions(page.event.terms.ruleset))
