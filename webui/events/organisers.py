"""Organisers of an event, and the limits on what they do.

Any user can be an organiser. Their actions are kept permanently, are public, and notify others, so they are limited.
"""

from typing import Final

from django.db import transaction

from arena.events import EventState, FactKind
from arena.events.facts import FactData, MessageSent
from webui.accounts.actions import record_act
from webui.accounts.models import AuditEntry, User
from webui.accounts.values import Act, Actor
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, Forbidden, NotFound, TooMany
from webui.events.facts import find_event
from webui.events.models import EventRow, FactRow
from webui.events.values import EventRefusal

MAX_EVENTS: Final = 20
"""Maximum number of unfinished events that one user has created, or that one user owns."""
MAX_NEW_EVENTS: Final = 50
"""Maximum number of events that one user creates within a day."""
MOST_MESSAGES: Final = 10
"""Maximum number of messages to the entrants of an event within a day. Each is an email to all of them."""
MAX_FACT: Final = 200_000
"""Maximum size of the data in one organiser's fact, in characters."""
MAX_FACTS: Final = 2_000_000
"""Maximum size of the data in all organisers' facts of an event, in characters. Every reader of the event reads them
all."""
MOST_DECISIONS: Final = 500
"""Maximum number of decisions of the kinds in `COUNTED` in an event."""
MOST_A_MINUTE: Final = 30
"""Maximum number of these decisions within a minute."""
COUNTED: Final = frozenset(
    {FactKind.CHANGED, FactKind.AGAIN, FactKind.RULED, FactKind.PAUSED, FactKind.EXTENDED, FactKind.TOLD}
)
"""Kinds of decisions that can be repeated without limit. The others are limited by the number of entrants and
rounds."""
MOST_SHARED: Final = 4
"""Maximum number of times within a day that a user makes somebody a co-organiser, or removes them. Each is an entry in
the other user's history."""
_ENDED: Final = tuple(map(str, (EventState.FINISHED, EventState.ARCHIVED, EventState.CANCELLED)))


def check_may_create(user_id: int) -> None:
    """Raise `BadRequest` or `TooMany` if a user may not create another event now. Events handed over to others still
    count."""
    created = EventRow.objects.filter(facts__number=0, facts__by=user_id)
    if created.filter(created_at__gt=before_now(86400)).count() >= MAX_NEW_EVENTS:
        raise TooMany(f"an organiser may create at most {MAX_NEW_EVENTS} events a day: wait")
    if created.exclude(state__in=_ENDED).count() >= MAX_EVENTS:
        raise EventRefusal(
            "TOO_MANY_EVENTS", "an organiser may have at most {n} events that have not ended", n=MAX_EVENTS
        )


def check_decision(row: EventRow, data: FactData) -> None:
    """Raise `BadRequest` or `TooMany` if the organisers of an event have reached a limit."""
    size = len(str(data.document()))
    if size > MAX_FACT:
        raise BadRequest(f"that is more than {MAX_FACT} characters")
    if data.KIND not in COUNTED:
        return
    decided = FactRow.objects.filter(event=row, kind__in=map(str, COUNTED))
    if isinstance(data, MessageSent):
        messages = decided.filter(kind=str(data.KIND), at__gt=before_now(86400))
        if messages.count() >= MOST_MESSAGES:
            raise TooMany(f"the entrants of an event get at most {MOST_MESSAGES} messages a day: wait")
    if decided.filter(at__gt=before_now(60)).count() >= MOST_A_MINUTE:
        raise TooMany(f"the organisers of an event make at most {MOST_A_MINUTE} decisions a minute: wait")
    sizes = [len(str(stored)) for stored in decided.values_list("data", flat=True)]
    if len(sizes) >= MOST_DECISIONS or sum(sizes) + size > MAX_FACTS:
        raise EventRefusal(
            "TOO_MANY_DECISIONS", "organisers may make at most {n} decisions in an event", n=MOST_DECISIONS
        )


def organised(slug: str, user_id: int) -> EventRow:
    """Return the event for an organiser or staff. Raise `Forbidden` for others, and `NotFound` if it is a draft."""
    row = find_event(slug)
    user = User.objects.get(pk=user_id)
    if not (user.is_staff or row.owner_id == user_id or row.helpers.filter(pk=user_id).exists()):
        if row.state == EventState.DRAFT:
            raise NotFound(f"there is no event {slug!r}")
        raise Forbidden(f"only the organisers of {row.name} can do that")
    return row


@transaction.atomic
def share_event(slug: str, user_id: int, name: str, *, with_user: bool = True) -> None:
    """Make somebody a co-organiser, or remove them. Co-organisers can remove themselves."""
    row = organised(slug, user_id)
    other = _user(name)
    if row.helpers.filter(pk=other.pk).exists() == with_user:
        return
    acts = (Act.EVENT_SHARED, Act.EVENT_UNSHARED)
    shared = AuditEntry.objects.filter(account=other, actor=user_id, act__in=acts, at__gt=before_now(86400))
    if with_user and shared.count() >= MOST_SHARED:
        raise TooMany(f"you may share events with {name} at most {MOST_SHARED} times a day: wait")
    (row.helpers.add if with_user else row.helpers.remove)(other)
    record_act(acts[0] if with_user else acts[1], other.pk, by=Actor(user_id), subject=row.name)


@transaction.atomic
def hand_over_event(slug: str, user_id: int, name: str) -> None:
    """Make a co-organiser the organiser. Only the organiser and staff can do this."""
    row = organised(slug, user_id)
    if row.owner_id != user_id and not User.objects.filter(pk=user_id, is_staff=True).exists():
        raise Forbidden(f"only {row.owner.username} can hand {row.name} over")
    other = User.objects.select_for_update().get(pk=_user(name).pk)
    if not row.helpers.filter(pk=other.pk).exists():
        raise EventRefusal("NO_CO_ORGANISER", "an event can only be handed over to a co-organiser: share it first")
    if EventRow.objects.filter(owner=other).exclude(state__in=_ENDED).count() >= MAX_EVENTS:
        raise EventRefusal(
            "TOO_MANY_EVENTS", "an organiser may have at most {n} events that have not ended", n=MAX_EVENTS
        )
    EventRow.objects.filter(pk=row.pk).update(owner=other)
    row.helpers.remove(other)
    record_act(Act.EVENT_HANDED_OVER, other.pk, by=Actor(user_id), subject=row.name)


def _user(name: str) -> User:
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise NotFound(f"there is no user {name!r}")
    return user
