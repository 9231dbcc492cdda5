"""Actions of organisers and bot owners on events.

Each action appends facts. The advancer (`advancing`) draws and reveals the seeds: it alone knows them.
"""

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from arena.events import Course, Event, EventState, Fact, FactKind, Terms, TermsError
from arena.events.facts import (
    BotCheckedIn,
    BotDisqualified,
    BotEntered,
    BotWithdrawn,
    CourseChanged,
    EventCreated,
    FieldFrozen,
    TermsChanged,
)
from webui.accounts.models import User
from webui.bots.models import Bot
from webui.core.errors import BadRequest, Forbidden, NotFound
from webui.events.eligibility import LATE_STATES, check_eligible, strength_of, version_to_play, versions_to_play
from webui.events.facts import absences, append_facts, check_in_opens, decided, find_event, fold_event, repeated
from webui.events.hooks import asking_bot_ids, entry_answered, entry_asked
from webui.events.models import EventBot, EventRow, FactRow
from webui.events.organisers import check_decision, check_may_create, organised
from webui.events.values import EventRefusal, check_times, read_terms
from webui.matches.ownership import ID_LETTERS

LONGEST_WHY = 500
"""Maximum length of a reason, in characters."""
MAX_ENTRIES = 3
"""Maximum number of times that a bot may enter one event."""
DECISIONS = frozenset(
    {
        FactKind.CHANGED, FactKind.WITHDRAWN, FactKind.DISQUALIFIED, FactKind.AGAIN, FactKind.RULED, FactKind.PAUSED,
        FactKind.RESUMED, FactKind.EXTENDED, FactKind.REVEALED, FactKind.TOLD, FactKind.ARCHIVED,
    }
)  # fmt: skip
"""Kinds of facts with which an organiser decides something."""
ON_WHAT_IS_THERE = frozenset({FactKind.CHANGED, FactKind.AGAIN, FactKind.RULED})
"""Decisions that change facts appended by others. They are not retried: the organiser must see the new facts first."""


def _check_rated(terms: Terms, user: User) -> None:
    """Raise `Forbidden` for rated events of anybody but staff. Their organiser decides who plays whom for ratings."""
    if terms.rated and not user.is_staff:
        raise Forbidden("only staff hold rated events: whoever pairs bots decides about their ratings")


@transaction.atomic
def create_event(user_id: int, document: Any) -> str:
    """Create an event as a draft, and return its slug."""
    terms = read_terms(document)
    user = User.objects.select_for_update().get(pk=user_id)
    _check_rated(terms, user)
    check_may_create(user_id)
    end = "".join(secrets.choice(ID_LETTERS) for _ in range(4))
    row = EventRow.objects.create(
        slug=f"{slugify(terms.name)[:50] or 'event'}-{end}",
        owner=user,
        name=terms.name,
        format=terms.format.kind,
        players=terms.ruleset.players,
    )
    append_facts(row, [(Fact(EventCreated(terms)), user_id)])
    return row.slug


def decide(slug: str, user_id: int, kind: FactKind, data: Mapping[str, Any] | None = None, why: str = "") -> None:
    """Append a fact of a kind in `DECISIONS`, with its data in JSON. Raise `BadRequest` if it is not possible."""
    if kind not in DECISIONS:
        raise BadRequest(f"`{kind}` is not decided by an organiser")
    append_decision(slug, user_id, decided(kind, data or {}, why))


def append_decision(slug: str, user_id: int, fact: Fact) -> None:
    """Append what an organiser decided. Raise `BadRequest` with the reason if it is not possible."""
    act = _decide if fact.kind in ON_WHAT_IS_THERE else repeated(_decide)
    act(slug, user_id, replace(fact, why=fact.why[:LONGEST_WHY]))


def _decide(slug: str, user_id: int, fact: Fact) -> None:
    row = organised(slug, user_id)
    check_decision(row, fact.data)
    if isinstance(fact.data, CourseChanged):
        _check_course(fact.data.course)
    if isinstance(fact.data, TermsChanged):
        terms = read_terms(fact.data.terms.document())
        _check_rated(terms, User.objects.get(pk=user_id))
        fact = replace(fact, data=TermsChanged(terms))
    with transaction.atomic():
        facts: list[tuple[Fact, int | None]] = [(fact, user_id)]
        if isinstance(fact.data, BotWithdrawn | BotDisqualified):
            facts += _absences(row, fact.data.entrant, user_id)
            EventBot.objects.filter(event=row, number=fact.data.entrant).update(is_in=False)
        append_facts(row, facts)
        if isinstance(fact.data, TermsChanged):
            terms = fold_event(row).terms
            EventRow.objects.filter(pk=row.pk).update(format=terms.format.kind, players=terms.ruleset.players)


def invite(slug: str, bot_slug: str, user_id: int) -> None:
    """Invite a bot before the start, and notify its owner."""
    row = organised(slug, user_id)
    if not Bot.objects.filter(slug=bot_slug).exists():
        raise NotFound(f"there is no bot {bot_slug!r}")
    terms = fold_event(row).terms
    invited = dict.fromkeys([*terms.entry.invited, bot_slug])
    entry = {**terms.entry.document(), "invited": list(invited)}
    decide(slug, user_id, FactKind.CHANGED, {"terms": {**terms.document(), "entry": entry}})


def _check_course(course: Course) -> None:
    try:
        check_times(course)
    except TermsError as error:
        raise BadRequest(str(error)) from error


def _absences(row: EventRow, number: int, user_id: int | None) -> list[tuple[Fact, int | None]]:
    return [(fact, user_id) for fact in absences(fold_event(row), number)]


def ask_event(slug: str, user_id: int, asked: str, why: str = "") -> None:
    """Ask the advancer to publish (`publish`) or cancel (`cancel`) an event. It does so within seconds."""
    row = organised(slug, user_id)
    allowed = (EventState.DRAFT,) if asked == "publish" else tuple(EventState)[:5]
    if row.state not in [str(state) for state in allowed]:
        raise EventRefusal("BAD_STATE", "an event that is {state} cannot be {asked}ed", state=row.state, asked=asked)
    EventRow.objects.filter(pk=row.pk).update(asked=asked, asked_by=user_id, asked_why=why[:LONGEST_WHY])


@repeated
@transaction.atomic
def enter_event(slug: str, bot_slug: str, user_id: int, online: Collection[int] = ()) -> int:
    """Enter a bot in an event, and return its number as an entrant.

    Owners enter their own bots, organisers enter bots of the house, and staff enter any bot. `online` holds the ids of
    the versions that are online; a late entry plays with one of them. Raise `BadRequest` with the requirement that the
    bot does not meet.
    """
    row = find_event(slug)
    if row.state == EventState.DRAFT:
        row = organised(slug, user_id)
    bot = Bot.objects.select_related("owner").filter(slug=bot_slug).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_slug!r}")
    if bot.owner_id != user_id:
        try:
            organised(slug, user_id)
        except Forbidden as error:
            if bot.is_house:
                raise
            raise Forbidden(f"only {bot.owner.username} can enter {bot.name}") from error
        if (
            not bot.is_house
            and bot.pk not in asking_bot_ids(row)
            and not User.objects.filter(pk=user_id, is_staff=True).exists()
        ):
            raise Forbidden(f"only {bot.owner.username} can enter {bot.name}: invite it")
    event = fold_event(row)
    check_eligible(row, event.terms, bot)
    entries = FactRow.objects.filter(event=row, kind=str(FactKind.ENTERED), data__name=bot.name)
    if entries.count() >= MAX_ENTRIES:
        raise EventRefusal("ENTRIES", "{bot} has entered and left {n} times", bot=bot.name, n=MAX_ENTRIES)
    number = event.number_of_next(bot.name, bot.owner.username)
    entered = BotEntered(bot.name, bot.owner.username)
    if event.state is not EventState.OPEN:
        try:
            organised(slug, user_id)  # the organiser decides on late entries
        except Forbidden as error:
            raise EventRefusal("CLOSED", "the event takes no more bots") from error
        strength = strength_of(bot, event.terms)
        version = version_to_play(bot, online, hosted_only=event.terms.entry.hosted_bots_only)
        entered = replace(entered, version=version, strength=strength)
    append_facts(row, [(Fact(entered), user_id)])
    EventBot.objects.update_or_create(
        {"bot": bot, "is_in": True, "away_since": None, "is_awaited": False}, event=row, number=number
    )
    entry_answered(row, bot)  # the request allowed this one entry
    return number


@transaction.atomic
def ask_to_enter(slug: str, bot_slug: str, user_id: int) -> None:
    """Ask the organiser, as the bot's owner, to let a bot in late. The organiser accepts with `enter_event`."""
    row = find_event(slug)
    bot = Bot.objects.select_related("owner").filter(slug=bot_slug, owner=user_id).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_slug!r} of yours")
    if row.state not in [str(state) for state in LATE_STATES]:
        raise EventRefusal("NOT_LATE", "an event that is {state} accepts no late entries", state=row.state)
    check_eligible(row, fold_event(row).terms, bot)
    entry_asked(row, bot)


@transaction.atomic
def ask_no_more(slug: str, bot_slug: str, user_id: int) -> None:
    """Withdraw a request made with `ask_to_enter`, as the bot's owner."""
    row = find_event(slug)
    bot = Bot.objects.filter(slug=bot_slug, owner=user_id).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_slug!r} of yours")
    entry_answered(row, bot)


def freeze_event(row: EventRow, event: Event, online: Collection[int], by: int | None = None) -> None:
    """Freeze the field with its versions (`version_to_play`) and strengths. The advancer then starts the event."""
    bots = {entry.number: entry.bot for entry in EventBot.objects.filter(event=row, is_in=True).select_related("bot")}
    versions = versions_to_play(row.slug, online, hosted_only=event.terms.entry.hosted_bots_only)
    field = ((number, versions[number], strength_of(bots[number], event.terms)) for number in sorted(event.present))
    append_facts(row, [(Fact(FieldFrozen(tuple(field))), by)])


@repeated
@transaction.atomic
def freeze_now(slug: str, user_id: int, online: Collection[int] = ()) -> None:
    """Freeze the field on the organiser's request. `online` holds the ids of the versions that are online. The event
    starts within seconds."""
    row = organised(slug, user_id)
    freeze_event(row, fold_event(row), online, user_id)


def _entry(row: EventRow, bot_slug: str, user_id: int) -> EventBot:
    """Return a bot's entry for its owner or an organiser. Raise `NotFound` or `Forbidden`."""
    entry = EventBot.objects.select_related("bot").filter(event=row, bot__slug=bot_slug, is_in=True).first()
    if entry is None:
        raise NotFound(f"{bot_slug!r} is not in {row.name}")
    if entry.bot.owner_id != user_id:
        organised(row.slug, user_id)
    return entry


@repeated
@transaction.atomic
def leave_event(slug: str, bot_slug: str, user_id: int) -> None:
    """Withdraw a bot, as its owner or an organiser."""
    row = find_event(slug)
    entry = _entry(row, bot_slug, user_id)
    facts: Sequence[tuple[Fact, int | None]] = _absences(row, entry.number, user_id)
    # before the event, in the order of the advancer: this avoids deadlocks
    EventBot.objects.filter(pk=entry.pk).update(is_in=False)
    append_facts(row, [(Fact(BotWithdrawn(entry.number)), user_id), *facts])


@repeated
@transaction.atomic
def check_in(slug: str, bot_slug: str, user_id: int) -> None:
    """Check a bot in, as its owner or an organiser. Check-in opens `course.check_in_s` before the start."""
    row = find_event(slug)
    entry = _entry(row, bot_slug, user_id)
    opens = check_in_opens(fold_event(row).terms.course)
    if opens is None or datetime.now(UTC) < opens:
        raise EventRefusal("NO_CHECK_IN", "check-in is not open")
    append_facts(row, [(Fact(BotCheckedIn(entry.number)), user_id)])
