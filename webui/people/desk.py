"""The people whom a gateway holds, and their answers. The gateway's side is `arena.gateway.people`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from webui.challenges.models import ChallengeSeat, ChallengeState
from webui.core.dbtime import after_now, before_now
from webui.matches.models import Participant
from webui.pairing.sessions import IN_FLIGHT_STATES
from webui.people.models import Person, PersonAnswer

HELD_S: Final = 10.0
"""Seconds after which another gateway takes the people of one that no longer looks."""
LONGEST_TABLE_S: Final = 86400.0
"""Seconds after which nobody sits at a table any more, so that old people need not be looked at."""
LEFT_WAITING_S: Final = 60.0
"""Seconds without a sign of the browser after which a person no longer waits for a table."""
GONE_S: Final = 600.0
"""Seconds without a sign of the browser after which a person has given up the game. It would hold bots for nobody."""


GIVEN_UP: Final = ""
"""Answer of a person who has left the match, to each decision until the seat has forfeited."""


class HeldPerson(NamedTuple):
    """A person whom a gateway holds."""

    version_id: int
    bot_id: int
    owner_id: int
    nonce_key: str


Decision = tuple[str, int, int]
"""A decision that a person is asked for: match, seat and index."""


def look(
    gateway: str, asked: Collection[Decision], forfeited: Iterable[tuple[int, str]] = ()
) -> tuple[list[HeldPerson], dict[Decision, str]]:
    """Take the people who sit at a table and whom no other gateway holds.

    Return all people of this gateway, and the answers that have come to what they are asked. `forfeited`: versions of
    people, each with the match in which it has just forfeited.
    """
    for version, match in forfeited:
        Person.objects.filter(pk=version).update(left=match)
    in_flight = Participant.objects.filter(version=OuterRef("pk"), match__state__in=IN_FLIGHT_STATES)
    waiting = ChallengeSeat.objects.filter(version=OuterRef("pk"), challenge__state=ChallengeState.WAITING)
    waits = Exists(waiting) & Q(seen_at__gt=before_now(LEFT_WAITING_S))
    seated = Person.objects.filter(Exists(in_flight) | waits, seen_at__gt=before_now(LONGEST_TABLE_S))
    is_free = Q(held_until=None) | Q(held_until__lt=Now())
    is_due = Q(held_by=gateway, held_until__lt=after_now(HELD_S / 2))
    if due := list(seated.filter(is_free | is_due).values_list("pk", flat=True)):
        taken = Person.objects.filter(is_free | Q(held_by=gateway), pk__in=due)
        taken.update(held_by=gateway, held_until=after_now(HELD_S))
    held = seated.filter(held_by=gateway, held_until__gt=Now())
    people = held.values_list("pk", "version__bot", "version__bot__owner", "nonce_key")
    return [HeldPerson(*person) for person in people], _answers(asked)


def leave(gateway: str) -> None:
    """Give up all people of this gateway."""
    Person.objects.filter(held_by=gateway).update(held_by="", held_until=None)


def _answers(asked: Collection[Decision]) -> dict[Decision, str]:
    if not asked:
        return {}
    rows = PersonAnswer.objects.filter(match__in={match for match, _, _ in asked})
    rows = rows.filter(index__in={index for _, _, index in asked})
    found = {row[:3]: row[3] for row in rows.values_list("match_id", "seat", "index", "action")}
    seats = Participant.objects.filter(match__in={match for match, _, _ in asked})
    gone = seats.filter(version__person__seen_at__lt=before_now(GONE_S)).exclude(version__person__left=F("match"))
    for match, version in gone.values_list("match_id", "version"):
        Person.objects.filter(pk=version, seen_at__lt=before_now(GONE_S)).update(left=match)
    left = seats.filter(version__person__left=F("match"))
    given_up = {(match, seat) for match, seat in left.values_list("match_id", "seat")}
    # A decision that was made earlier is played, because the site has accepted it.
    return {decision: GIVEN_UP for decision in asked if decision[:2] in given_up} | {
        decision: found[decision] for decision in asked if decision in found
    }
