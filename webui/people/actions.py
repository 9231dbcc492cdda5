"""Actions of people at tables: sitting down, deciding, and coming back with an account."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from arena.bus.keys import PEOPLE
from arena.rules import RulesError
from webui.accounts.actions import create_user
from webui.accounts.models import User
from webui.bots import presence
from webui.bots import queries as bot_queries
from webui.bots.actions import register_bot
from webui.bots.models import Bot, BotVersion
from webui.challenges.actions import lay_table, withdraw_challenge
from webui.challenges.models import ChallengeSeat, ChallengeState
from webui.challenges.pairing import are_tables_full
from webui.challenges.values import WantedSeat
from webui.core.dbtime import before_now
from webui.core.errors import NameTaken, NotFound
from webui.matches.models import ENDED, Participant
from webui.pairing.sessions import IN_FLIGHT_STATES
from webui.people.models import Person, PersonAnswer
from webui.people.queries import after_drop, asked_seat, of_visitor, open_tables, own_seat
from webui.people.values import CLOCK_FOR_OTHERS, CLOCKS, AnswerRefused, TableRefused, Visitor

OWNER: Final = "arena-people"
"""Account that all people's bots belong to. Nobody can sign in to it."""
VERSION: Final = "person"
MOST_TABLES: Final = 40
"""Maximum number of tables with people at a time, because each holds places of bots."""
TABLES_OF_GUESTS: Final = 20
"""Maximum number of these at which guests sit."""
NAMES_TRIED: Final = 20
SEEN_EVERY_S: Final = 20.0
"""Minimum number of seconds between two notes that a visitor is still there."""

log = structlog.get_logger(__name__)


def owner_id() -> int:
    """Return the id of the account of all people. Make the account if it is missing."""
    for number in range(NAMES_TRIED):
        name = f"{OWNER}-{number}" if number else OWNER
        try:
            found: int | None = bot_queries.user_id(name) or create_user(name, None, role="house")
        except NameTaken:  # by a name that looks like it, or by another process just now
            found = bot_queries.user_id(name)
        if found is not None and not bot_queries.can_sign_in(found):
            return found
    raise NameTaken(f"accounts of others have all names like {OWNER!r}: rename one")


@transaction.atomic
def sit_down(visitor: Visitor, opponents: Sequence[int], expansions: Sequence[str], clock: str) -> str:
    """Let a visitor play against these bots. Return the id of the table, which will be that of the match.

    `clock` is a key of `CLOCKS`. A visitor who sits at a table already gets that one, because the request was sent
    twice. Raise `TableRefused` while too many people play or runners have no places for the opponents, or for a clock
    that some opponents may not have. Raise the errors of `challenge`.
    """
    owner = owner_id()
    User.objects.select_for_update().get(pk=owner)  # two requests of a visitor would else make two people
    person = of_visitor(visitor).first() or _new_person(visitor, owner)
    if tables := open_tables(visitor):
        return tables[0]
    _check_room(is_guest=person.user_id is None)
    _check_places(opponents)
    if clock != CLOCK_FOR_OTHERS and Bot.objects.filter(pk__in=opponents, is_house=False).exists():
        raise TableRefused("CLOCK", "against bots that are not the house's, choose the clock of 10 minutes")
    seats = [WantedSeat(person.version.bot_id, person.version_id), *(WantedSeat(bot) for bot in opponents)]
    table = lay_table(owner, seats, expansions, CLOCKS[clock])
    Person.objects.filter(pk=person.pk).update(seen_at=Now())
    transaction.on_commit(partial(presence.wake, PEOPLE), robust=True)
    return table


def stand_up(visitor: Visitor, table: str) -> bool:
    """Give up a table whose match has not been made. Return False if it does not wait any more."""
    return table in open_tables(visitor) and withdraw_challenge(table, owner_id())


def note_seen(visitor: Visitor) -> None:
    """Note that a visitor is still there. Whoever is not seen for some minutes gives up (`desk.GONE_S`)."""
    of_visitor(visitor).filter(seen_at__lt=before_now(SEEN_EVERY_S)).update(seen_at=Now())


def give_up(visitor: Visitor, match_id: str) -> None:
    """Let a house player go on for a visitor who leaves a match.

    The visitor makes a fault at each decision from now on, and so forfeits the seat with the last strike of the match's
    policy. Until then the decisions are the default ones. All seats of a table have the same policy.

    Raise `NotFound` if the visitor has no seat in the match.
    """
    if own_seat(match_id, visitor) is None:
        raise NotFound(f"you have no seat in match {match_id!r}")
    seated = of_visitor(visitor).filter(version__participations__match=match_id)
    if seated.exclude(left=match_id).update(left=match_id):
        presence.wake(PEOPLE)


@transaction.atomic
def answer(visitor: Visitor, match_id: str, index: int, decisions: Sequence[str]) -> None:
    """Store a decision of a visitor, or all decisions of a sowing. The same ones sent again change nothing.

    `index` is that of the first decision. The others of a sowing follow it without a gap, because it draws nothing.
    Raise `NotFound` if the visitor has no seat in the match. Raise `AnswerRefused` if the game is over for the visitor,
    or if the seat is not asked for this decision (any more). The same is raised if another decision was sent from
    another tab, or if an action is not legal.
    """
    seat = own_seat(match_id, visitor)
    if seat is None:
        raise NotFound(f"you have no seat in match {match_id!r}")
    wanted = dict(enumerate(decisions, index))
    stored = PersonAnswer.objects.filter(match=match_id, index__in=wanted)
    sent = dict(stored.values_list("index", "action"))
    if sent == wanted:
        return
    if seat.has_left or seat.state in ENDED:
        raise AnswerRefused("OVER", "the game is over for you, so this decision was not played: sit down anew")
    asked = asked_seat(match_id, seat.seat)
    if sent or asked is None or asked.index != index:
        raise AnswerRefused("STALE", "the game has gone on: this decision was made already, or is not yours")
    *tried, last = decisions
    for action in tried:
        asked = after_drop(asked, action)
    try:
        asked.state.parse(last)
    except RulesError as error:
        raise AnswerRefused("ILLEGAL", "{why}", why=error.message) from error
    for number, action in wanted.items():
        row, is_new = PersonAnswer.objects.get_or_create(
            match_id=match_id, index=number, defaults={"seat": seat.seat, "action": action}
        )
        if not is_new and row.action != action:
            raise AnswerRefused("STALE", "the game has gone on: this decision was made already, or is not yours")
    transaction.on_commit(partial(presence.wake, PEOPLE), robust=True)


@transaction.atomic
def take_over(user_id: int, guest: str) -> bool:
    """Give the games of a guest to an account, with the seat at which the guest plays. Return whether it did.

    The account is rated anew, by the games of both.
    """
    User.objects.select_for_update().get(pk=user_id)
    if not Person.objects.filter(guest=guest).update(user=user_id, guest=None):
        return False
    Person.objects.filter(user=user_id).update(rated_seat=None)
    return True


def _check_room(*, is_guest: bool) -> None:
    """Raise `TableRefused` if too many people sit at tables."""
    playing = Participant.objects.filter(version=OuterRef("pk"), match__state__in=IN_FLIGHT_STATES)
    waiting = ChallengeSeat.objects.filter(version=OuterRef("pk"), challenge__state=ChallengeState.WAITING)
    seated = Person.objects.filter(Exists(playing) | Exists(waiting))
    if seated.count() >= MOST_TABLES:
        raise TableRefused("FULL", "all tables for people are taken: try again in some minutes")
    if is_guest and seated.filter(user=None).count() >= TABLES_OF_GUESTS:
        raise TableRefused("GUESTS", "all tables for guests are taken: sign in, or try again in some minutes")


def _check_places(opponents: Sequence[int]) -> None:
    """Raise `TableRefused` if runners have no places for these bots beside those at other tables with people."""
    online = presence.online() or {}
    hosted = {bot: sessions for bot, sessions in online.items() if any(session.places for session in sessions)}
    with_person = ChallengeSeat.objects.filter(challenge=OuterRef("challenge"), bot__is_person=True)
    waiting = ChallengeSeat.objects.filter(Exists(with_person), challenge__state=ChallengeState.WAITING)
    wanted = sum(bot in hosted for bot in opponents)
    sessions = [session for of_bot in hosted.values() for session in of_bot]
    if wanted and are_tables_full(sessions, wanted + waiting.filter(bot__in=hosted).count()):
        raise TableRefused("PLACES", "too many people play now: choose fewer opponents, or try again in some minutes")


def _new_person(visitor: Visitor, owner: int) -> Person:
    for name in _names(visitor):
        try:
            bot = register_bot(owner, name, is_person=True)
        except NameTaken:
            continue
        version = BotVersion.objects.create(bot_id=bot, name=VERSION)
        return Person.objects.create(version=version, user_id=visitor.user_id, guest=visitor.guest)
    raise TableRefused("FULL", "all tables for people are taken: try again in some minutes")


def _names(visitor: Visitor) -> Iterator[str]:
    """Yield names for a visitor, best first: that of the account, with numbers if others have it; a guest's number."""
    numbers = [secrets.randbelow(900_000) + 100_000 for _ in range(NAMES_TRIED)]
    if visitor.user_id is None:
        yield from (f"Guest {number}" for number in numbers)
        return
    name = User.objects.values_list("username", flat=True).get(pk=visitor.user_id)
    yield f"{name[:31]} (person)"
    yield from (f"{name[:24]} (person {number})" for number in numbers)
