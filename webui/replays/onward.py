"""Suggestions after a match: the next matches of its event, its ladder and its bots."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db.models import OuterRef, Q, Subquery

from webui.core.subjects import Hook
from webui.matches.conditions import is_hidden, is_waiting
from webui.matches.models import Match, Participant
from webui.matches.queries import matches_by_id
from webui.matches.values import MatchLine

# Values of the page of a match.


@dataclass(frozen=True)
class Series:
    """A series of matches, such as an event, that a match is part of."""

    slug: str
    """Name in addresses."""
    name: str
    following: str | None
    """Id of the next visible match of the series. None if there is none yet."""


@dataclass(frozen=True)
class Onward:
    """The matches suggested after a match."""

    event_slug: str
    """Name of the match's event in addresses. Empty if it has no event, like `event_name`."""
    event_name: str
    event: MatchLine | None
    ladder: MatchLine | None
    bots: dict[str, MatchLine]
    """Next match of each bot, by its name. Bots without one are left out, and matches that `event` or `ladder` has."""


# Hooks of the page of a match: its questions to later subjects.


offers_rematch: Final = Hook[[str, int], bool]()
"""Question: may this user ask for a rematch of this match?"""
series_of: Final = Hook[[str], Series | None]()
"""Question: of which series of matches, such as an event, is this match a part?"""


def onward(line: MatchLine) -> Onward:
    """Return the next visible match of the event, of the ladder, and of each bot with the same version.

    "Next" is by the order in which matches were created. A match is None if there is none yet. Each query uses an
    index.
    """
    series = next((place for place in series_of(line.id) if place is not None), None)
    event = series.following if series else None
    ladder = None
    if line.ladder is not None:
        made = Match.objects.filter(pk=line.id).values("created_at")[:1]
        after = Q(created_at__gt=made) | Q(created_at=made, pk__gt=line.id)
        rows = Match.objects.filter(~is_hidden(), ~is_waiting(), after, ladder=line.ladder.id, created_at__gte=made)
        rows = rows.order_by("created_at", "pk")
        ladder = rows.values_list("pk", flat=True).first()
    of_bots = {bot: match_id for bot, match_id in _of_bots(line) if match_id not in (event, ladder)}
    matches = matches_by_id([each for each in (event, ladder, *of_bots.values()) if each])
    lines = {each.id: each for each in matches}
    return Onward(
        event_slug=series.slug if series else "",
        event_name=series.name if series else "",
        event=lines.get(event or ""),
        ladder=lines.get(ladder or ""),
        bots={bot: lines[match_id] for bot, match_id in of_bots.items()},
    )


def _of_bots(line: MatchLine) -> Iterator[tuple[str, str]]:
    later = Participant.objects.filter(
        ~is_hidden("match__"), ~is_waiting("match__"), version=OuterRef("version"), pk__gt=OuterRef("pk")
    )
    seats = Participant.objects.filter(match=line.id).annotate(later=Subquery(later.order_by("pk").values("match")[:1]))
    names = {seat.seat: seat.version.bot.name for seat in line.seats}
    for seat, match_id in seats.order_by("seat").values_list("seat", "later"):
        if match_id is not None:
            yield names[seat], match_id
