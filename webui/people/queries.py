"""Queries of people at tables."""

from __future__ import annotations

from typing import Final

from django.db.models import F, Q, QuerySet

from arena.players import GRADED
from arena.rules import RulesError, view
from arena.rules.chance import Stream
from arena.rules.determinize import determinize
from arena.wire.codec import unpack_view
from webui.bots.models import Bot, BotState
from webui.bots.queries import bot_ref
from webui.challenges.models import Challenge, ChallengeSeat, ChallengeState
from webui.challenges.queries import accepts, is_challengeable
from webui.matches.models import Participant, SeatRow, SpectatorRow
from webui.pairing.sessions import IN_FLIGHT_STATES
from webui.people.models import Person, PersonAnswer, PersonRating
from webui.people.values import AnswerRefused, AskedSeat, OfferedOpponent, OwnSeat, RatedPerson, Visitor
from webui.ratings.queries import bot_ratings
from webui.ratings.values import Rated

OPPONENTS_OFFERED: Final = 100
NOBODY: Final = 0
"""Id of no user."""


IS_THERE: Final = Q(user__is_active=True) | Q(guest__isnull=False)
"""Condition for people who can come back: active accounts, and guests until their day is over."""


def rated_people(*, limit: int, offset: int = 0) -> list[RatedPerson]:
    """Return the rated people, best first. Needs one query."""
    there = Person.objects.filter(IS_THERE)
    rows = PersonRating.objects.filter(person__in=there.values("pk")).select_related(
        "person__user", "person__version__bot"
    )
    return [_rated(row) for row in rows.order_by("-points", "pk")[offset : offset + limit]]


def rating_of(user: str) -> RatedPerson | None:
    """Return the rating of the account with this name. None if it has none."""
    rows = PersonRating.objects.filter(person__user__username=user).select_related(
        "person__user", "person__version__bot"
    )
    row = rows.order_by("pk").first()
    return _rated(row) if row else None


def _rated(row: PersonRating) -> RatedPerson:
    rated = Rated(round(row.points), round(row.low), round(row.high), row.games, 0)
    user = row.person.user
    return RatedPerson(row.person.version.bot.name, user.username if user else None, rated)


def of_visitor(visitor: Visitor) -> QuerySet[Person]:
    """Return the people that a visitor is, first one first. A guest is one or none."""
    if visitor.user_id is not None:
        return Person.objects.filter(user=visitor.user_id).order_by("pk")
    return Person.objects.filter(guest=visitor.guest) if visitor.guest else Person.objects.none()


def open_tables(visitor: Visitor) -> list[str]:
    """Return the tables at which a visitor plays, and then those that wait: ids of challenges and of their matches.

    A match that the person has given up does not count. There is more than one table only for an account that has
    played as a guest meanwhile.
    """
    people = of_visitor(visitor).values("pk")
    playing = Participant.objects.filter(version__in=people, match__state__in=IN_FLIGHT_STATES)
    playing = playing.exclude(match=F("version__person__left")).order_by("version")
    waiting = ChallengeSeat.objects.filter(version__in=people, challenge__state=ChallengeState.WAITING)
    tables = waiting.order_by("version").values_list("challenge_id", flat=True)
    return [*playing.values_list("match_id", flat=True), *tables]


def waiting_table(table: str, visitor: Visitor) -> str | None:
    """Return the state of a challenge at which a visitor has a seat. None if there is none."""
    people = of_visitor(visitor).values("version")
    rows = Challenge.objects.filter(pk=table, seats__version__in=people)
    return rows.values_list("state", flat=True).first()


def own_seat(match_id: str, visitor: Visitor) -> OwnSeat | None:
    """Return the seat of a visitor in a match. None if there is none."""
    people = of_visitor(visitor).values("version")
    seats = Participant.objects.filter(match=match_id, version__in=people)
    found = seats.values_list("match_id", "seat", "match__state", "version__person__left").first()
    return OwnSeat(*found[:3], has_left=found[3] == match_id) if found else None


def has_left(match_id: str, seat: int) -> bool:
    """Return whether the person at this seat has given up or forfeited."""
    return Participant.objects.filter(match=match_id, seat=seat, version__person__left=match_id).exists()


def asked_seat(match_id: str, seat: int) -> AskedSeat | None:
    """Return what a seat is asked for now. None if it is another seat's turn, or nothing has begun.

    A view leaves open what its seat cannot know. What is legal does not depend on that.
    """
    # A match whose worker has died waits for another one, which asks the same.
    rows = SeatRow.objects.filter(match=match_id, viewer=seat, match__state__in=IN_FLIGHT_STATES)
    last = rows.order_by("-ply").values_list("ply", "view").first()
    if last is None:
        return None
    ply, packed = last
    view = unpack_view(bytes(packed))
    if view.to_act != seat:
        return None
    decision = SpectatorRow.objects.filter(match=match_id, ply=ply).values_list("index", "chance").first()
    if decision is None:
        return None
    index = decision[0] + 1 + len(decision[1]) if ply else 0
    return AskedSeat(index, view, determinize(view, Stream(bytes(32))))


def after_drop(asked: AskedSeat, text: str) -> AskedSeat:
    """Return what the seat is asked after picking up meeples, or after a drop that is not the last one.

    Raise `AnswerRefused` for an action that is not legal, and for any other one.
    """
    try:
        state = asked.state.play(asked.state.parse(text))
    except RulesError as error:
        raise AnswerRefused("ILLEGAL", "{why}", why=error.message) from error
    if state.phase != "sow":
        raise AnswerRefused("ILLEGAL", "{why}", why="only a sowing can be tried out, until its last drop")
    return AskedSeat(asked.index + 1, view(state, asked.state.to_act), state)


def is_answered(match_id: str, index: int) -> bool:
    """Return whether a person has made this decision already, and only the game has not gone on yet."""
    return PersonAnswer.objects.filter(match=match_id, index=index).exists()


def plays_people(bot_id: int) -> bool:
    """Return whether anybody can play against this bot."""
    return is_challengeable(bot_id, NOBODY)


def opponents() -> list[OfferedOpponent]:
    """Return the bots that accept everybody's challenges: those of the house, weakest first, and then the others.

    Needs three queries.
    """
    rows = Bot.objects.filter(accepts(NOBODY), state=BotState.ACTIVE, owner__is_active=True, is_person=False)
    rows = rows.select_related("owner").order_by("-is_house", "name")
    bots = sorted(rows[:OPPONENTS_OFFERED], key=_weakest_first)
    ratings = bot_ratings([row.pk for row in bots])
    return [OfferedOpponent(bot_ref(row), row.description, *ratings.get(row.pk, (None, None))) for row in bots]


def _weakest_first(bot: Bot) -> int:
    """Return the grade of a house bot, from 0. Other bots come after all of these."""
    return GRADED.index(bot.slug) if bot.is_house and bot.slug in GRADED else len(GRADED)
