"""Read users and bots for staff, with the matches and events that a lock would affect."""

from __future__ import annotations

from typing import Final

from django.db.models import Count, Q, QuerySet

from arena.events import EventState
from webui.accounts.models import AuditEntry, User
from webui.accounts.queries import audit_lines, has_verified_email, second_factors, sessions
from webui.accounts.values import STAFF_ACTS, Act, AuditLine
from webui.bots.models import Bot, BotState
from webui.bots.queries import bot_ref
from webui.challenges.models import Challenge, ChallengeState
from webui.core.errors import NotFound
from webui.events.facts import LIVE_STATES
from webui.events.models import EventRow
from webui.hosting.queries import published_sources
from webui.matches.conditions import is_waiting
from webui.matches.models import Match, MatchState
from webui.pairing.models import Exclusion
from webui.profiles.queries import bots
from webui.profiles.values import BotLine
from webui.staff.match_queries import IN_FLIGHT
from webui.staff.values import GRANTED, AuditSearch, InFlight, Right, Role, StaffBot, StaffUser, UserLine

# Search the audit log for staff.


OPERATOR_NAME: Final = "-"
"""Name that stands for the operator and the arena itself in a search."""


def search_audit(wanted: AuditSearch, *, first: int = 0, most: int = 50) -> list[AuditLine]:
    """Return at most `most` entries from number `first` on, latest first.

    Without a name, an act or `is_all`, only entries of staff are returned. A subject must match exactly.
    """
    rows = AuditEntry.objects.all()
    for field, name in (("actor", wanted.actor), ("account", wanted.account)):
        if name == OPERATOR_NAME:
            rows = rows.filter(**{field: None})
        elif name:
            # Look up the id first, so that the query uses an index.
            user_id = User.objects.filter(username__iexact=name).values_list("pk", flat=True).first()
            if user_id is None:
                return []
            rows = rows.filter(**{field: user_id})
    if wanted.act in Act.__members__:
        rows = rows.filter(act=wanted.act)
    elif not wanted.is_all:
        rows = rows.filter(act__in=[str(act) for act in STAFF_ACTS])
    if wanted.subject:
        rows = rows.filter(subject=wanted.subject)
    return audit_lines(rows, first=first, most=most)


def history_of(*subjects: str, acts: tuple[Act, ...], most: int = 20) -> list[AuditLine]:
    """Return what these acts did to the subjects with these names, latest first."""
    return audit_lines(AuditEntry.objects.filter(act__in=acts, subject__in=subjects), first=0, most=most)


MOST_NAMED: Final = 20
"""Maximum number of running matches that are named."""
BOTS_SHOWN: Final = 30


def search_users(search: str = "", kind: str = "", *, limit: int, offset: int = 0) -> list[UserLine]:
    """Return users, newest first, in one query.

    `search` is a part of the name, or the whole email address. `kind` is `locked`, `staff` or empty.
    """
    rows = User.objects.order_by("-pk")
    if search:
        rows = rows.filter(Q(username__icontains=search) | Q(email__iexact=search))
    if kind == "locked":
        rows = rows.filter(is_active=False)
    elif kind == "staff":
        rows = rows.filter(is_staff=True)
    return [_line(row, row.bot_count) for row in rows.annotate(bot_count=Count("bots"))[offset : offset + limit]]


def _line(user: User, bot_count: int) -> UserLine:
    return UserLine(
        id=user.pk,
        name=user.username,
        email=user.email,
        is_active=user.is_active,
        is_staff=user.is_staff,
        joined=user.date_joined,
        seen=user.last_login,
        bots=bot_count,
    )


def staff_user(name: str) -> StaffUser:
    """Return one user. Raise `NotFound`."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise NotFound(f"there is no user {name!r}")
    own = Bot.objects.filter(owner=user)
    return StaffUser(
        line=_line(user, own.count()),
        role=role_of(user),
        rights=rights_of(user),
        is_house=own.filter(is_house=True).exists(),
        is_erased=AuditEntry.objects.filter(account=user, act=Act.ACCOUNT_ERASED).exists(),
        has_verified_email=has_verified_email(user.pk),
        has_second_factor=second_factors(user.pk).are_on,
        sessions=len(sessions(user.pk)),
        bots=bots(ids=list(own.order_by("-pk").values_list("pk", flat=True)[:BOTS_SHOWN]), limit=BOTS_SHOWN),
        in_flight=_in_flight(own),
    )


def role_of(user: User) -> Role:
    """Return the role of a user."""
    if not user.is_staff:
        return Role.PLAYER
    return Role.ADMIN if user.is_superuser else Role.STAFF


def rights_of(user: User) -> list[Right]:
    """Return the rights that an admin gave a user, in the order of `Right`."""
    given = user.user_permissions.values_list("content_type__app_label", "codename")
    named = {f"{app}.{codename}" for app, codename in given}
    return [right for right in GRANTED if right in named]


def search_bots(search: str = "", kind: str = "", *, limit: int, offset: int = 0) -> list[BotLine]:
    """Return bots, newest first. `search` works as in `bots`; `kind` is `locked`, `paused`, `house` or empty."""
    states = {"locked": BotState.LOCKED, "paused": BotState.PAUSED}
    return bots(
        search=search,
        is_house=True if kind == "house" else None,
        state=str(states[kind]) if kind in states else None,
        limit=limit,
        offset=offset,
    )


def staff_bot(slug: str) -> StaffBot:
    """Return one bot. Raise `NotFound`."""
    bot = Bot.objects.filter(slug=slug).select_related("owner").first()
    if bot is None:
        raise NotFound(f"there is no bot {slug!r}")
    held = Exclusion.objects.filter(version__bot=bot, ended_at=None).order_by("-pk")
    return StaffBot(
        bot=bot_ref(bot),
        state=bot.state,
        description=bot.description,
        created_at=bot.created_at,
        owner_is_active=bot.owner.is_active,
        is_retired=bot.retired_at is not None,
        versions=bot.versions.count(),
        tokens=bot.tokens.filter(revoked_at=None).count(),
        taken_off=list(held.values_list("version__name", flat=True)[:MOST_NAMED]),
        sources=len(published_sources(bot.pk)),
        in_flight=_in_flight(Bot.objects.filter(pk=bot.pk)),
    )


def _in_flight(of_bots: QuerySet[Bot]) -> InFlight:
    """Return what these bots take part in now.

    The query starts from the matches in flight, which are few, and not from all seats that the bots ever had.
    """
    flying = Match.objects.filter(state__in=IN_FLIGHT, participants__version__bot__in=of_bots).distinct()
    begun = flying.exclude(is_waiting()).filter(state=MatchState.RUNNING)
    named = list(begun.order_by("pk").values_list("pk", flat=True)[: MOST_NAMED + 1])
    running = len(named) if len(named) <= MOST_NAMED else begun.count()
    events = EventRow.objects.filter(
        state__in=[str(state) for state in LIVE_STATES if state is not EventState.DRAFT],
        bots__bot__in=of_bots,
        bots__is_in=True,
    )
    waiting = Challenge.objects.filter(state=ChallengeState.WAITING, seats__bot__in=of_bots)
    return InFlight(
        running=named[:MOST_NAMED],
        running_count=running,
        waiting_count=flying.count() - running,
        events=list(events.distinct().order_by("pk").values_list("slug", "name")[:MOST_NAMED]),
        challenges=waiting.distinct().count(),
    )
